#pragma once

#include <cstddef>

#include "geometry/lens.h"
#include "image/mask_facts.h"
#include "image/mask_view.h"
#include "image/resize.h"
#include "p2mpp/sample.h"

namespace p2mpp {

inline constexpr int kMaskViewSize = 320;

/// The side of each of many photographs' views: smaller ones from 800 on, so that memory stays below about a gigabyte.
[[nodiscard]] constexpr int mask_view_size(std::size_t photographs) {
  int size = kMaskViewSize;
  for (std::size_t most = 800; photographs > most && size > 40; most *= 2) size = size * 7 / 10;
  return size;
}

/// The side at which a view's pixels are as large as the mask's.
[[nodiscard]] int native_view_size(const MaskFacts& facts);

/// Resamples a mask (of any size with the photograph's aspect ratio) to an ideal pinhole camera, which looks at the
/// mask's middle: a square image just larger than the mask, without the lens' distortion. The principal point is in its
/// middle. Its world is the photograph's camera frame. A mask that touches the image border is assumed to extend beyond
/// it: what the photograph does not show is unknown then. `photograph`: its pixels, to which the lens refers. `image`:
/// the photograph, of any size, for the brightness; may be null. Precondition: shows_object(facts). Throws InputError
/// (without a name) if the lens sees none of the mask.
[[nodiscard]] MaskView resampled_mask(const Lens& lens, const ImageSize& photograph, const Mask& mask,
                                      const MaskFacts& facts, int size, const Image* image = nullptr);

/// The mask and the brightness of a view. The mask is the image's alpha or the pixels that differ from a plain
/// background, resampled to 224x224 if the image is larger than 256 or smaller than 64 pixels. Throws InputError naming
/// the view if it has neither alpha nor a plain background.
[[nodiscard]] FitMask make_fit_mask(const View& view);

}  // namespace p2mpp
