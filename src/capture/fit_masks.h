#pragma once

#include <string>

#include "capture/silhouette.h"
#include "p2mpp/sample.h"

namespace p2mpp {

/// The mask and the brightness of a view. The mask is the image's alpha or the pixels that differ from a plain
/// background, resampled to 224x224 if the image is larger than 256 or smaller than 64 pixels. Throws InputError naming
/// the view if it has neither alpha nor a plain background.
[[nodiscard]] FitMask make_fit_mask(const View& view);

/// The mask of a photograph's silhouette in the world, with its brightness if it has one. The pose is the photograph's,
/// in OpenCV's frame. `name`: for messages.
[[nodiscard]] FitMask make_fit_mask(const Silhouette& silhouette, const Rigid3& cam_from_world, std::string name);

}  // namespace p2mpp
