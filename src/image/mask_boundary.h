#pragma once

#include <Eigen/Core>
#include <cstdint>
#include <vector>

namespace p2mpp {

/// A point of a mask's boundary, in pixels from the upper left corner.
struct BoundaryPoint {
  Eigen::Vector2f position;
  Eigen::Vector2f outward;  ///< unit length
};

/// The points between the centres of neighbouring pixels where the coverage of a square mask crosses one half, and the
/// nearest of these points for every pixel. The image's border is no boundary, because the object may extend beyond it.
class MaskBoundary {
 public:
  /// coverage: [size, size].
  MaskBoundary(std::vector<std::uint8_t> coverage, int size);

  [[nodiscard]] const std::vector<std::uint8_t>& coverage() const { return coverage_; }

  /// The coverage with the boundary moved inwards by some pixels, or outwards if they are negative.
  [[nodiscard]] std::vector<std::uint8_t> shrunk(float pixels) const;

  [[nodiscard]] const std::vector<BoundaryPoint>& points() const { return points_; }

  /// The point nearest to the centre of the pixel at a position, which is clamped to the image. Precondition: there is
  /// a point.
  [[nodiscard]] const BoundaryPoint& nearest(const Eigen::Vector2f& position) const {
    return points_[static_cast<std::size_t>(nearest_[pixel_at(position)])];
  }
  /// Whether that pixel is the object's.
  [[nodiscard]] bool is_object(const Eigen::Vector2f& position) const { return coverage_[pixel_at(position)] >= 128; }

 private:
  [[nodiscard]] std::size_t pixel_at(const Eigen::Vector2f& position) const;
  void find_points();
  void add_point(int row, int column, int step_row, int step_column);
  void spread();

  std::vector<std::uint8_t> coverage_;
  int size_;
  std::vector<BoundaryPoint> points_;
  std::vector<std::int32_t> nearest_;  // [size, size]; -1: not known yet
};

}  // namespace p2mpp
