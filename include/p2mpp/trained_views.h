#pragma once

#include <array>

namespace p2mpp {

/// The views that a network was trained on, for warnings about inputs that differ. The defaults are those of the
/// published models: ShapeNet's renderings.
struct TrainedViews {
  /// kPublished: one focal length (248 at 224 pixels). kPinhole: cameras at all distances, at whose distance the focal
  /// length grows so that the object keeps its size in the image.
  enum class Cameras { kPublished, kPinhole };
  Cameras cameras = Cameras::kPublished;
  std::array<double, 2> distance = {0.65, 0.9};    ///< from the object's centre: nearest, farthest
  std::array<double, 2> elevation_deg = {25, 30};  ///< lowest, highest
};

}  // namespace p2mpp
