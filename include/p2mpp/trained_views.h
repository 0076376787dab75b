#pragma once

#include <array>
#include <optional>

namespace p2mpp {

/// The views that a network was trained on, for warnings about inputs that differ. The defaults are those of the
/// published models: ShapeNet's renderings.
struct TrainedViews {
  /// kPublished: one focal length (248 at 224 pixels). kPinhole: cameras at all distances, with a focal length that
  /// grows with the distance, so that the object keeps its size in the image.
  enum class Cameras { kPublished, kPinhole };
  Cameras cameras = Cameras::kPublished;
  std::array<double, 2> distance = {0.65, 0.9};    ///< from the object's centre: nearest, farthest
  std::array<double, 2> elevation_deg = {25, 30};  ///< lowest, highest
  /// Silhouette IoU with correct cameras on objects like those of the training, averaged over a sample's views: mean
  /// and standard deviation over samples. Empty if it was not measured.
  std::optional<std::array<double, 2>> typical_iou = {};
};

}  // namespace p2mpp
