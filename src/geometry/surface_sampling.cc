#include <fmt/format.h>

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <iterator>

#include "base/numbers/random.h"
#include "p2mpp/error.h"
#include "p2mpp/metrics.h"

namespace p2mpp {
namespace {

Eigen::Vector3d corner(const TriangleMesh& mesh, const Triangle& triangle, std::size_t place) {
  return mesh.vertices[static_cast<std::size_t>(triangle[place])].cast<double>();
}

/// The triangle's normal times twice its area.
Eigen::Vector3d area_normal(const TriangleMesh& mesh, const Triangle& triangle) {
  const Eigen::Vector3d a = corner(mesh, triangle, 0);
  return (corner(mesh, triangle, 1) - a).cross(corner(mesh, triangle, 2) - a);
}

/// The unit vector; zero for a zero vector. Scaled first, because squares of tiny components underflow.
Eigen::Vector3f unit_or_zero(const Eigen::Vector3d& vector) {
  const double largest = vector.cwiseAbs().maxCoeff();
  if (!(largest > 0)) return Eigen::Vector3f::Zero();
  return (vector / largest).normalized().cast<float>();
}

void check_indices(const TriangleMesh& mesh) {
  const auto count = std::ssize(mesh.vertices);
  for (const Triangle& triangle : mesh.triangles) {
    const auto [low, high] = std::minmax_element(triangle.begin(), triangle.end());
    if (*low < 0 || *high >= count) {
      throw InputError(fmt::format("triangle {}, counted from 1, is {} {} {}; expected 1 to {}",
                                   &triangle - mesh.triangles.data() + 1, std::int64_t{triangle[0]} + 1,
                                   std::int64_t{triangle[1]} + 1, std::int64_t{triangle[2]} + 1, count));
    }
  }
}

/// The area of the triangles up to and including each [F].
std::vector<double> cumulative_areas(const TriangleMesh& mesh) {
  std::vector<double> result;
  result.reserve(mesh.triangles.size());
  double total = 0;
  for (const Triangle& triangle : mesh.triangles) {
    result.push_back(total += area_normal(mesh, triangle).norm() / 2);
  }
  if (!(std::isfinite(total) && total > 0)) {
    throw InputError(fmt::format("surface of area {}; expected a positive number", total));
  }
  return result;
}

Eigen::Vector3f draw_point(const TriangleMesh& mesh, const Triangle& triangle, std::mt19937_64& generator) {
  double u = draw_unit(generator);
  double v = draw_unit(generator);
  if (u + v > 1) {  // the other half of the parallelogram, turned back onto the triangle
    u = 1 - u;
    v = 1 - v;
  }
  const Eigen::Vector3d a = corner(mesh, triangle, 0);
  const Eigen::Vector3d point = a + u * (corner(mesh, triangle, 1) - a) + v * (corner(mesh, triangle, 2) - a);
  return point.cast<float>();
}

}  // namespace

PointCloud sample_surface(const TriangleMesh& mesh, std::size_t count, std::uint64_t seed) {
  check_indices(mesh);
  const std::vector<double> areas = cumulative_areas(mesh);
  std::mt19937_64 generator(seed);
  PointCloud samples;
  samples.points.reserve(count);
  samples.normals.reserve(count);
  for (std::size_t i = 0; i < count; ++i) {
    const double target = draw_unit(generator) * areas.back();
    const auto chosen = std::upper_bound(areas.begin(), areas.end(), target) - areas.begin();
    const Triangle& triangle = mesh.triangles[static_cast<std::size_t>(chosen)];
    samples.points.push_back(draw_point(mesh, triangle, generator));
    samples.normals.push_back(unit_or_zero(area_normal(mesh, triangle)));
  }
  return samples;
}

PointCloud vertex_cloud(const TriangleMesh& mesh) {
  if (!mesh.normals.empty() || mesh.triangles.empty()) return {mesh.vertices, mesh.normals};
  std::vector<Eigen::Vector3d> sums(mesh.vertices.size(), Eigen::Vector3d::Zero());
  for (const Triangle& triangle : mesh.triangles) {
    const Eigen::Vector3d normal = area_normal(mesh, triangle);
    for (const std::int32_t vertex : triangle) sums[static_cast<std::size_t>(vertex)] += normal;
  }
  PointCloud cloud{mesh.vertices, {}};
  cloud.normals.reserve(sums.size());
  for (const Eigen::Vector3d& sum : sums) cloud.normals.push_back(unit_or_zero(sum));
  return cloud;
}

}  // namespace p2mpp
