#include "geometry/distances/winding_number.h"

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numbers>

namespace p2mpp {
namespace {

constexpr float kFar = 2.3F;            ///< relative to a part's radius
constexpr std::uint32_t kTogether = 4;  ///< triangles of the smallest parts

/// Source: Van Oosterom and Strackee, "The Solid Angle of a Plane Triangle" (1983).
float solid_angle(const Eigen::Vector3f& a, const Eigen::Vector3f& b, const Eigen::Vector3f& c) {
  const float p = a.norm(), q = b.norm(), r = c.norm();
  const float volume = a.dot(b.cross(c));
  return 2 * std::atan2(volume, p * q * r + a.dot(b) * r + b.dot(c) * p + c.dot(a) * q);
}

}  // namespace

WindingNumber::WindingNumber(const TriangleMesh& mesh) {
  const auto at = [&](std::int32_t vertex) { return mesh.vertices[static_cast<std::size_t>(vertex)]; };
  for (const auto& [a, b, c] : mesh.triangles) triangles_.push_back({at(a), at(b), at(c)});
  if (!triangles_.empty()) build(0, static_cast<std::uint32_t>(triangles_.size()));
}

void WindingNumber::build(std::uint32_t first, std::uint32_t count) {
  const auto begin = triangles_.begin() + first, end = begin + count;
  Node node{.first = first, .count = count};
  float areas = 0;
  Eigen::Vector3f low = begin->a, high = begin->a;
  for (auto triangle = begin; triangle != end; ++triangle) {
    const auto& [a, b, c] = *triangle;
    const Eigen::Vector3f normal = (b - a).cross(c - a) / 2;
    node.normal += normal;
    node.middle += normal.norm() * (a + b + c) / 3;
    areas += normal.norm();
    low = low.cwiseMin(a).cwiseMin(b).cwiseMin(c);
    high = high.cwiseMax(a).cwiseMax(b).cwiseMax(c);
  }
  node.middle = areas > 0 ? Eigen::Vector3f(node.middle / areas) : Eigen::Vector3f((low + high) / 2);
  float radius = 0;
  for (auto triangle = begin; triangle != end; ++triangle) {
    for (const Eigen::Vector3f& corner : {triangle->a, triangle->b, triangle->c}) {
      radius = std::max(radius, (corner - node.middle).squaredNorm());
    }
  }
  node.far = kFar * kFar * radius;
  const std::size_t index = nodes_.size();
  nodes_.push_back(node);
  if (count > kTogether) {
    Eigen::Index axis = 0;
    (high - low).maxCoeff(&axis);
    const std::uint32_t half = count / 2;
    std::nth_element(begin, begin + half, end, [axis](const Corners& one, const Corners& other) {
      return one.a[axis] + one.b[axis] + one.c[axis] < other.a[axis] + other.b[axis] + other.c[axis];
    });
    build(first, half);
    build(first + half, count - half);
  }
  nodes_[index].next = static_cast<std::uint32_t>(nodes_.size());
}

float WindingNumber::at(const Eigen::Vector3f& point) const {
  float sum = 0;
  for (std::size_t i = 0; i < nodes_.size();) {
    const Node& node = nodes_[i];
    const Eigen::Vector3f way = node.middle - point;
    const float square = way.squaredNorm();
    if (square > node.far && square > 0) {
      sum += node.normal.dot(way) / (square * std::sqrt(square));
      i = node.next;
    } else if (node.count <= kTogether) {
      for (std::uint32_t k = node.first; k < node.first + node.count; ++k) {
        const Corners& corners = triangles_[k];
        sum += solid_angle(corners.a - point, corners.b - point, corners.c - point);
      }
      i = node.next;
    } else {
      ++i;
    }
  }
  return sum / (4 * std::numbers::pi_v<float>);
}

}  // namespace p2mpp
