#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "p2mpp/camera.h"
#include "p2mpp/image.h"

namespace p2mpp {

/// An object's silhouette in a camera: a square mask of kMinFitMask to kMaxFitMask pixels a side.
struct FitMask : Mask {
  /// The camera in the frame of the vertices, in any unit. The intrinsics are in pixels of 224x224 for every size of
  /// the mask.
  Camera camera = {};
  /// Brightness of each pixel, [height, width]; empty if unknown. Only differences between pixels that the object
  /// covers are used.
  std::vector<std::uint8_t> brightness = {};
  std::string name = {};  ///< for messages
};
inline constexpr int kMinFitMask = 8, kMaxFitMask = 2048;

}  // namespace p2mpp
