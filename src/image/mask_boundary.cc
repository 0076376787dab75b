#include "image/mask_boundary.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <utility>

#include "geometry/distances/line_transform.h"

namespace p2mpp {
namespace {

/// Distances to the nearest pixel that satisfies `is_wanted`.
template <typename Wanted>
std::vector<float> distances_to(const Mask& mask, const Wanted& is_wanted) {
  const auto width = static_cast<std::size_t>(mask.width), height = static_cast<std::size_t>(mask.height);
  const auto longer = static_cast<float>(std::max(mask.width, mask.height));
  const float far = 8.0F * longer * longer;
  std::vector<float> field(mask.coverage.size());
  for (std::size_t i = 0; i < field.size(); ++i) field[i] = is_wanted(i) ? 0 : far;
  LineTransform columns(mask.height), rows(mask.width);
  for (std::size_t i = 0; i < width; ++i) columns.apply(&field[i], width);
  for (std::size_t i = 0; i < height; ++i) rows.apply(&field[i * width], 1);
  for (float& value : field) value = std::min(std::sqrt(value), 2.0F * longer);
  return field;
}

struct NeighbourStep {
  int row, column;
};

}  // namespace

MaskBoundary::MaskBoundary(Mask mask) : mask_(std::move(mask)), nearest_(mask_.coverage.size(), -1) {
  find_points();
  if (!points_.empty()) spread();
}

std::size_t MaskBoundary::pixel_at(const Eigen::Vector2f& position) const {
  const auto right = static_cast<float>(mask_.width - 1), bottom = static_cast<float>(mask_.height - 1);
  const auto column = static_cast<std::size_t>(std::clamp(position.x(), 0.0F, right));
  const auto row = static_cast<std::size_t>(std::clamp(position.y(), 0.0F, bottom));
  return row * static_cast<std::size_t>(mask_.width) + column;
}

void MaskBoundary::find_points() {
  for (int row = 0; row < mask_.height; ++row) {
    for (int column = 0; column < mask_.width; ++column) {
      if (column + 1 < mask_.width) add_point(row, column, 0, 1);
      if (row + 1 < mask_.height) add_point(row, column, 1, 0);
    }
  }
}

// Between a pixel and its right or lower neighbour, if one of them is the object's.
void MaskBoundary::add_point(int row, int column, int step_row, int step_column) {
  const auto value = [&](int r, int c) {
    r = std::clamp(r, 0, mask_.height - 1);
    c = std::clamp(c, 0, mask_.width - 1);
    return static_cast<float>(mask_.at(r, c));
  };
  const float first = value(row, column), second = value(row + step_row, column + step_column);
  if ((first >= 128) == (second >= 128)) return;
  if (!mask_.is_known(row, column) || !mask_.is_known(row + step_row, column + step_column)) return;
  const float along = (127.5F - first) / (second - first);
  BoundaryPoint point;
  point.position = {static_cast<float>(column) + 0.5F + along * static_cast<float>(step_column),
                    static_cast<float>(row) + 0.5F + along * static_cast<float>(step_row)};
  // Sobel at both pixels.
  Eigen::Vector2f gradient = Eigen::Vector2f::Zero();
  for (int i = 0; i < 2; ++i) {
    const int r = row + i * step_row, c = column + i * step_column;
    for (int k = -1; k <= 1; ++k) {
      const float weight = k == 0 ? 2 : 1;
      gradient.x() += weight * (value(r + k, c + 1) - value(r + k, c - 1));
      gradient.y() += weight * (value(r + 1, c + k) - value(r - 1, c + k));
    }
  }
  const Eigen::Vector2f across =
      Eigen::Vector2f(static_cast<float>(step_column), static_cast<float>(step_row)) * (first > second ? 1.0F : -1.0F);
  const float length = gradient.norm();
  point.outward = length > 1 ? Eigen::Vector2f(-gradient / length) : across;
  if (point.outward.dot(across) <= 0) point.outward = across;

  const auto index = static_cast<std::int32_t>(points_.size());
  points_.push_back(point);
  for (int i = 0; i < 2; ++i) {
    const int r = row + i * step_row, c = column + i * step_column;
    std::int32_t& known =
        nearest_[static_cast<std::size_t>(r) * static_cast<std::size_t>(mask_.width) + static_cast<std::size_t>(c)];
    const Eigen::Vector2f centre(static_cast<float>(c) + 0.5F, static_cast<float>(r) + 0.5F);
    const auto distance = [&](std::int32_t k) {
      return (points_[static_cast<std::size_t>(k)].position - centre).squaredNorm();
    };
    if (known < 0 || distance(index) < distance(known)) known = index;
  }
}

// From neighbour to neighbour, down and up: a nearest point is missed only by fractions of a pixel.
// Source: Danielsson, "Euclidean Distance Mapping" (1980).
void MaskBoundary::spread() {
  const auto width = static_cast<std::size_t>(mask_.width);
  std::vector<float> distance(nearest_.size(), std::numeric_limits<float>::max());
  const auto distance_to = [&](int row, int column, std::int32_t point) {
    const Eigen::Vector2f centre(static_cast<float>(column) + 0.5F, static_cast<float>(row) + 0.5F);
    return (points_[static_cast<std::size_t>(point)].position - centre).squaredNorm();
  };
  const auto take = [&](int row, int column, NeighbourStep step) {
    const int r = row + step.row, c = column + step.column;
    if (r < 0 || c < 0 || r >= mask_.height || c >= mask_.width) return;
    const std::int32_t offered = nearest_[static_cast<std::size_t>(r) * width + static_cast<std::size_t>(c)];
    const std::size_t here = static_cast<std::size_t>(row) * width + static_cast<std::size_t>(column);
    if (offered < 0 || offered == nearest_[here]) return;
    const float there = distance_to(row, column, offered);
    if (there >= distance[here]) return;
    distance[here] = there;
    nearest_[here] = offered;
  };
  for (int row = 0; row < mask_.height; ++row) {
    for (int column = 0; column < mask_.width; ++column) {
      const std::size_t here = static_cast<std::size_t>(row) * width + static_cast<std::size_t>(column);
      if (nearest_[here] >= 0) distance[here] = distance_to(row, column, nearest_[here]);
    }
  }
  for (int row = 0; row < mask_.height; ++row) {
    for (int column = 0; column < mask_.width; ++column) {
      for (const NeighbourStep step :
           {NeighbourStep{-1, -1}, NeighbourStep{-1, 0}, NeighbourStep{-1, 1}, NeighbourStep{0, -1}})
        take(row, column, step);
    }
    for (int column = mask_.width - 1; column >= 0; --column) take(row, column, {0, 1});
  }
  for (int row = mask_.height - 1; row >= 0; --row) {
    for (int column = mask_.width - 1; column >= 0; --column) {
      for (const NeighbourStep step :
           {NeighbourStep{1, -1}, NeighbourStep{1, 0}, NeighbourStep{1, 1}, NeighbourStep{0, 1}})
        take(row, column, step);
    }
    for (int column = 0; column < mask_.width; ++column) take(row, column, {0, -1});
  }
}

std::vector<float> MaskBoundary::signed_distances() const {
  constexpr float kNear = 1.5F;  // to the boundary's tangent: its points are up to a pixel apart
  std::vector<float> distances;
  distances.reserve(mask_.coverage.size());
  if (points_.empty()) {
    const auto far = static_cast<float>(2 * std::max(mask_.width, mask_.height));
    for (std::size_t i = 0; i < mask_.coverage.size(); ++i) {
      distances.push_back(mask_.coverage[i] >= 128 || !mask_.is_known(i) ? far : -far);
    }
    return distances;
  }
  for (int row = 0; row < mask_.height; ++row) {
    for (int column = 0; column < mask_.width; ++column) {
      const Eigen::Vector2f centre(static_cast<float>(column) + 0.5F, static_cast<float>(row) + 0.5F);
      const BoundaryPoint& point = nearest(centre);
      const Eigen::Vector2f way = point.position - centre;
      const float length = way.norm();
      const float distance = is_background(centre) ? -length : length;
      distances.push_back(length < kNear ? way.dot(point.outward) : distance);
    }
  }
  if (mask_.unknown.empty()) return distances;
  const std::vector<float> to_unknown = distances_to(mask_, [&](std::size_t i) { return !mask_.is_known(i); });
  for (std::size_t i = 0; i < distances.size(); ++i) {
    distances[i] = mask_.is_known(i) ? std::max(distances[i], -to_unknown[i]) : std::max(distances[i], 1.0F);
  }
  return distances;
}

Mask MaskBoundary::shrunk(float pixels) const {
  Mask result = mask_;
  if (points_.empty()) return result;
  for (int row = 0; row < mask_.height; ++row) {
    for (int column = 0; column < mask_.width; ++column) {
      const Eigen::Vector2f centre(static_cast<float>(column) + 0.5F, static_cast<float>(row) + 0.5F);
      const std::size_t pixel = pixel_at(centre);
      const float distance = (nearest(centre).position - centre).norm();
      const float inside = mask_.coverage[pixel] >= 128 ? distance : -distance;
      const float cover = std::clamp(inside - pixels + 0.5F, 0.0F, 1.0F);
      result.coverage[pixel] = static_cast<std::uint8_t>(std::lround(255 * cover));
    }
  }
  return result;
}

}  // namespace p2mpp
