#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "p2mpp/camera.h"

namespace p2mpp {

/// An object's silhouette in a camera, with partly covered pixels.
struct FitMask {
  int size = 0;                        ///< pixels, of a side: kMinFitMask to kMaxFitMask
  std::vector<std::uint8_t> coverage;  ///< [size, size], rows from the top: 0 background, 255 the object
  /// The camera in the frame of the vertices, in any unit. The intrinsics are in pixels of 224x224 for every size of
  /// the mask.
  Camera camera;
  /// Brightness of each pixel, [size, size]; empty if unknown. Only differences between pixels that the object covers
  /// are used.
  std::vector<std::uint8_t> brightness = {};
  std::string name = {};  ///< for messages
};
inline constexpr int kMinFitMask = 8, kMaxFitMask = 2048;

}  // namespace p2mpp
