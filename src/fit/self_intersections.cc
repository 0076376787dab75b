#include "fit/self_intersections.h"

#include <algorithm>
#include <cstdint>

#include "geometry/triangle_intersection.h"

namespace p2mpp {
namespace {

constexpr int kMostCells = 64;  ///< of the grid, along an axis

/// Cells of equal sides over the mesh's box; a triangle is listed in each cell that its box touches.
class Grid {
 public:
  explicit Grid(std::span<const TriangleCorners> triangles) {
    Eigen::Vector3f low = triangles.front().low, high = triangles.front().high, mean = Eigen::Vector3f::Zero();
    for (const TriangleCorners& triangle : triangles) {
      low = low.cwiseMin(triangle.low);
      high = high.cwiseMax(triangle.high);
      mean += triangle.high - triangle.low;
    }
    mean /= static_cast<float>(triangles.size());
    const float extent = std::max((high - low).maxCoeff(), 1e-30F);
    side_ = std::max(1.5F * mean.maxCoeff(), extent / kMostCells);
    low_ = low;
    for (int k = 0; k < 3; ++k) cells_[k] = std::min(kMostCells, static_cast<int>((high[k] - low[k]) / side_) + 1);
    first_.assign(static_cast<std::size_t>(cells_.prod()) + 1, 0);
    for (const TriangleCorners& triangle : triangles) {
      for_each_cell(triangle, [&](std::size_t cell) { ++first_[cell + 1]; });
    }
    for (std::size_t i = 1; i < first_.size(); ++i) first_[i] += first_[i - 1];
    items_.resize(first_.back());
    std::vector<std::size_t> next(first_.begin(), first_.end() - 1);
    for (std::size_t i = 0; i < triangles.size(); ++i) {
      for_each_cell(triangles[i], [&](std::size_t cell) { items_[next[cell]++] = static_cast<std::uint32_t>(i); });
    }
  }

  [[nodiscard]] std::size_t cell_count() const { return first_.size() - 1; }
  [[nodiscard]] std::span<const std::uint32_t> items(std::size_t cell) const {
    return std::span(items_).subspan(first_[cell], first_[cell + 1] - first_[cell]);
  }

 private:
  [[nodiscard]] Eigen::Vector3i cell_of(const Eigen::Vector3f& point) const {
    Eigen::Vector3i cell;
    for (int k = 0; k < 3; ++k) {
      cell[k] = std::clamp(static_cast<int>((point[k] - low_[k]) / side_), 0, cells_[k] - 1);
    }
    return cell;
  }

  template <typename Body>
  void for_each_cell(const TriangleCorners& triangle, const Body& body) const {
    const Eigen::Vector3i begin = cell_of(triangle.low), end = cell_of(triangle.high);
    for (int z = begin.z(); z <= end.z(); ++z) {
      for (int y = begin.y(); y <= end.y(); ++y) {
        for (int x = begin.x(); x <= end.x(); ++x) {
          body(static_cast<std::size_t>((z * cells_.y() + y) * cells_.x() + x));
        }
      }
    }
  }

  Eigen::Vector3f low_;
  float side_ = 1;
  Eigen::Vector3i cells_;
  std::vector<std::size_t> first_;
  std::vector<std::uint32_t> items_;
};

}  // namespace

std::vector<std::int32_t> intersecting_triangles(std::span<const Eigen::Vector3f> vertices,
                                                 std::span<const Triangle> triangles) {
  if (triangles.empty()) return {};
  std::vector<TriangleCorners> corners;
  corners.reserve(triangles.size());
  for (const Triangle& triangle : triangles) corners.emplace_back(vertices, triangle);
  const Grid grid(corners);
  std::vector<std::uint8_t> intersects(triangles.size());
  for (std::size_t cell = 0; cell < grid.cell_count(); ++cell) {
    const std::span<const std::uint32_t> items = grid.items(cell);
    for (std::size_t i = 0; i < items.size(); ++i) {
      const TriangleCorners& a = corners[items[i]];
      for (std::size_t j = i + 1; j < items.size(); ++j) {
        const TriangleCorners& b = corners[items[j]];
        if (intersects[items[i]] != 0 && intersects[items[j]] != 0) continue;
        if (!intersect(a, b) || share_vertex(triangles[items[i]], triangles[items[j]])) continue;
        intersects[items[i]] = intersects[items[j]] = 1;
      }
    }
  }
  std::vector<std::int32_t> found;
  for (std::size_t i = 0; i < intersects.size(); ++i) {
    if (intersects[i] != 0) found.push_back(static_cast<std::int32_t>(i));
  }
  return found;
}

std::size_t count_intersecting(std::span<const Eigen::Vector3f> vertices, std::span<const Triangle> triangles) {
  return intersecting_triangles(vertices, triangles).size();
}

}  // namespace p2mpp
