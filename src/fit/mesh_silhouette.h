#pragma once

#include <Eigen/Core>
#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "geometry/cameras/pinhole.h"
#include "p2mpp/triangle_mesh.h"

namespace p2mpp {

/// Vertices as a camera sees them.
struct ProjectedVertices {
  std::vector<Eigen::Vector3f> in_camera;  ///< [N,3]: x right, y down, z > 0 in front
  std::vector<Eigen::Vector2f> pixels;     ///< [N,2]; far outside the image if the vertex is not in front
};

[[nodiscard]] ProjectedVertices project_vertices(std::span<const Eigen::Vector3f> vertices,
                                                 const Pinhole<float>& camera);

/// The pixels that triangles cover, by samples: `samples` x `samples` a pixel.
class MeshSilhouette {
 public:
  MeshSilhouette(int size, int samples);

  /// Triangles with a vertex that is not in front of the camera are left out.
  void draw(const ProjectedVertices& projected, std::span<const Triangle> triangles);

  [[nodiscard]] int size() const { return size_; }

  /// Whether the sample nearest to a position in pixels is covered; false outside the image.
  [[nodiscard]] bool covers(const Eigen::Vector2f& position) const;

  /// Whether any sample within `reach` samples of a position is uncovered or outside the image.
  [[nodiscard]] bool is_near_outline(const Eigen::Vector2f& position, int reach) const;

  /// The soft IoU of two coverages: the sum of the pixels' minima divided by the sum of their maxima; 1 if both are
  /// empty. Pixels that are not 0 in `unknown` (Mask::unknown) do not count.
  [[nodiscard]] double overlap(std::span<const std::uint8_t> coverage,
                               std::span<const std::uint8_t> unknown = {}) const;

 private:
  int size_, samples_, side_;
  std::vector<std::uint8_t> covered_;  // [side, side]: 0 or 1
};

/// Calls fill(row, begin, end) for the columns of each row of a square image whose centres lie in a triangle.
/// a, b, c: corners, in pixels; finite. side: of the image, in pixels.
template <class Fill>
void for_each_span(const Eigen::Vector2f& a, const Eigen::Vector2f& b, const Eigen::Vector2f& c, int side,
                   const Fill& fill) {
  const Eigen::Vector2f* top = &a;
  const Eigen::Vector2f* middle = &b;
  const Eigen::Vector2f* bottom = &c;
  if (middle->y() < top->y()) std::swap(middle, top);
  if (bottom->y() < top->y()) std::swap(bottom, top);
  if (bottom->y() < middle->y()) std::swap(bottom, middle);
  const auto limit = static_cast<float>(side);
  const float first_row = std::ceil(std::clamp(top->y(), -1.0F, limit) - 0.5F);
  const float end_row = std::ceil(std::clamp(bottom->y(), -1.0F, limit) - 0.5F);
  const auto slope = [](const Eigen::Vector2f& from, const Eigen::Vector2f& to) {
    const float height = to.y() - from.y();
    return height > 0 ? (to.x() - from.x()) / height : 0.0F;
  };
  const float long_slope = slope(*top, *bottom), upper_slope = slope(*top, *middle),
              lower_slope = slope(*middle, *bottom);
  const int end = std::min(static_cast<int>(end_row), side);
  for (int row = std::max(static_cast<int>(first_row), 0); row < end; ++row) {
    const float y = static_cast<float>(row) + 0.5F;
    const float one = top->x() + (y - top->y()) * long_slope;
    const float other =
        y < middle->y() ? top->x() + (y - top->y()) * upper_slope : middle->x() + (y - middle->y()) * lower_slope;
    const float left = std::clamp(std::min(one, other), -1.0F, limit + 1);
    const float right = std::clamp(std::max(one, other), -1.0F, limit + 1);
    const int begin_column = std::max(static_cast<int>(std::ceil(left - 0.5F)), 0);
    const int end_column = std::min(static_cast<int>(std::ceil(right - 0.5F)), side);
    if (begin_column < end_column) fill(row, begin_column, end_column);
  }
}

/// Calls fill(pixel, value) for the pixels of a square image whose centres lie in a triangle. values: at its corners,
/// and linear between them. A triangle without an area has none.
template <class Fill>
void for_each_pixel(const std::array<Eigen::Vector2f, 3>& corners, const std::array<float, 3>& values, int side,
                    const Fill& fill) {
  const Eigen::Vector2f a = corners[1] - corners[0], b = corners[2] - corners[0];
  const float area = a.x() * b.y() - a.y() * b.x();
  if (!(std::fabs(area) > 1e-9F)) return;
  const float across = ((values[1] - values[0]) * b.y() - (values[2] - values[0]) * a.y()) / area;
  const float down = ((values[2] - values[0]) * a.x() - (values[1] - values[0]) * b.x()) / area;
  for_each_span(corners[0], corners[1], corners[2], side, [&](int row, int begin, int end) {
    const std::size_t line = static_cast<std::size_t>(row) * static_cast<std::size_t>(side);
    const float y = static_cast<float>(row) + 0.5F - corners[0].y();
    for (int column = begin; column < end; ++column) {
      const float x = static_cast<float>(column) + 0.5F - corners[0].x();
      fill(line + static_cast<std::size_t>(column), values[0] + x * across + y * down);
    }
  });
}

}  // namespace p2mpp
