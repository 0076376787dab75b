#pragma once

#include <vector>

#include "backends/common/preprocess.h"
#include "backends/self_check/draw.h"
#include "p2mpp/metrics.h"

// The rest of the operations as plain loops: what is done to images, and the nearest of a cloud's points.

namespace p2mpp::plain {

/// preprocess() gives the bits of cv2, which rounds positions to 1/2048 of a pixel and results to 8 bits.
inline constexpr double kPreprocessTolerance = 1.5 / 255;

inline constexpr std::size_t kPlanes = 3 * 224 * 224;

/// What preprocess() gives, in double: composited, resized bilinearly with half-pixel centres. [3,224,224].
[[nodiscard]] std::vector<double> preprocess(const Image& image, AlphaRule rule);

/// The largest relative difference of the squared distances to the nearest target, found in all pairs; infinite where
/// an index is not of a nearest one.
[[nodiscard]] double squared_distance_difference(const Neighbours& found, const Points& queries, const Points& targets);

/// Random colours; a part of the pixels is transparent.
[[nodiscard]] Image drawn_image(Draw& draw, int width, int height);

/// Points in a cube of side 1.
[[nodiscard]] Points drawn_cloud(Draw& draw, std::size_t count);

}  // namespace p2mpp::plain
