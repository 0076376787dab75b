#pragma once

#include <Eigen/Core>
#include <cstdint>
#include <vector>

#include "p2mpp/image.h"

namespace p2mpp {

/// A point of a mask's boundary, in pixels from the upper left corner.
struct BoundaryPoint {
  Eigen::Vector2f position;
  Eigen::Vector2f outward;  ///< unit length
};

/// The points between the centres of neighbouring pixels where the coverage of a mask crosses one half, and the nearest
/// of these points for every pixel. The image's border is no boundary, because the object may extend beyond it, and
/// neither is the border of what is unknown.
class MaskBoundary {
 public:
  explicit MaskBoundary(Mask mask);

  [[nodiscard]] const Mask& mask() const { return mask_; }

  /// The mask with the boundary moved inwards by some pixels, or outwards if they are negative.
  [[nodiscard]] Mask shrunk(float pixels) const;

  [[nodiscard]] const std::vector<BoundaryPoint>& points() const { return points_; }

  /// The distances from the centres of all pixels to the boundary, [height, width], positive inside. Near the boundary,
  /// which may be soft, they are exact to fractions of a pixel. What is unknown is inside, and the background around it
  /// is no farther outside than that. Without a point, they are twice the longer side, with the sign.
  [[nodiscard]] std::vector<float> signed_distances() const;

  /// The point nearest to the centre of the pixel at a position, which is clamped to the image. Precondition: there is
  /// a point.
  [[nodiscard]] const BoundaryPoint& nearest(const Eigen::Vector2f& position) const {
    return points_[static_cast<std::size_t>(nearest_[pixel_at(position)])];
  }
  /// Whether that pixel is the background's.
  [[nodiscard]] bool is_background(const Eigen::Vector2f& position) const {
    const std::size_t pixel = pixel_at(position);
    return mask_.coverage[pixel] < 128 && mask_.is_known(pixel);
  }

 private:
  [[nodiscard]] std::size_t pixel_at(const Eigen::Vector2f& position) const;
  void find_points();
  void add_point(int row, int column, int step_row, int step_column);
  void spread();

  Mask mask_;
  std::vector<BoundaryPoint> points_;
  std::vector<std::int32_t> nearest_;  // [height, width]; -1: not known yet
};

}  // namespace p2mpp
