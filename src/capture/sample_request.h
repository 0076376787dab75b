#pragma once

#include <algorithm>
#include <cstddef>
#include <functional>
#include <vector>

#include "cameras/capture.h"
#include "capture/fit_views.h"
#include "capture/preparation_options.h"
#include "io/image/pixel_budget.h"
#include "p2mpp/sample.h"

namespace p2mpp {

/// How a path is read as a sample.
struct SampleRequest {
  /// Views of a folder or photographs of a capture, from 0. The first one's camera is the network's frame. Empty:
  /// view_count of them.
  std::vector<std::size_t> views = {};
  /// The number of views to use, the best ones; 0: as suits the layout. Not for a folder with numbered views.
  std::size_t view_count = 0;
  /// The views of a folder with numbered views, as the model was trained on. Without view_count, as many photographs of
  /// a capture enter the network.
  std::vector<std::size_t> trained_views = {0, 6, 7};
  FitViews fit = {};  ///< the views whose masks are kept: Sample::fit_masks
  /// Pixels of decoded images: of all images with camera rows together, as they are in memory; of one photograph of
  /// cameras.json; of the photographs of a capture that are decoded at the same time.
  std::size_t max_pixels = kMaxPixelsInWork;
  /// Pixels of all images together that are decoded, masks among them: see PixelTotal.
  std::size_t max_total_pixels = PixelTotal::kUnlimited;
  int threads = 1;
  bool takes_captures = true;  ///< otherwise a capture is refused

  /// Of a capture; corrections.masks also of the masks of a sample's folder that are fitted to.
  PreparationOptions capture = {};
  /// Called by open_sample() with the number of photographs that were read, and of all. By one thread at a time.
  std::function<void(std::size_t, std::size_t)> on_photograph = {};

  /// Throws TooManyPixels if the images and masks of a capture have more than max_total_pixels, each as often as it is
  /// named.
  void check_total_pixels(const Capture& photographs) const {
    if (max_total_pixels == PixelTotal::kUnlimited) return;
    PixelTotal total(max_total_pixels);
    for (const Photograph& photograph : photographs.photographs) {
      total.add(photograph.image);
      if (!photograph.mask.empty()) total.add(photograph.mask);
    }
  }

  /// The number of photographs of a capture that enter the network.
  [[nodiscard]] std::size_t photograph_count() const {
    if (!views.empty()) return views.size();
    return view_count != 0 ? view_count : std::clamp(trained_views.size(), kMinViews, kMaxViews);
  }
};

}  // namespace p2mpp
