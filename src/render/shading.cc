#include "render/shading.h"

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <numbers>
#include <span>

#include "geometry/edge_uses.h"

namespace p2mpp {
namespace {

/// The triangles' normals, as long as twice their area [F].
Points area_normals(const TriangleMesh& mesh) {
  Points normals;
  normals.reserve(mesh.triangles.size());
  for (const Triangle& triangle : mesh.triangles) {
    const auto corner = [&](std::size_t i) { return mesh.vertices[static_cast<std::size_t>(triangle[i])]; };
    normals.emplace_back((corner(1) - corner(0)).cross(corner(2) - corner(0)));
  }
  return normals;
}

constexpr float kKey = 0.80F, kFill = 0.16F, kSkyAbove = 0.36F, kSkyBelow = 0.14F, kRim = 0.08F;

}  // namespace

Points corner_normals(const TriangleMesh& mesh, float crease_deg) {
  constexpr std::size_t kLargestFan = 64;  // with more triangles (the tip of a cone), all count
  const Points areas = area_normals(mesh);
  Points units = areas;
  for (Eigen::Vector3f& unit : units) unit.stableNormalize();
  const TriangleFans fans = triangle_fans(mesh.triangles, mesh.vertices.size());
  const float least_cosine = std::cos(crease_deg * std::numbers::pi_v<float> / 180) - 1e-6F;
  const auto mean_over = [&](std::span<const std::uint32_t> fan, const auto& counts) {
    Eigen::Vector3f sum = Eigen::Vector3f::Zero();
    for (const std::uint32_t other : fan) {
      if (counts(other)) sum += areas[other];
    }
    return sum.stableNormalized().eval();
  };
  Points of_large_fans(mesh.vertices.size());  // once a vertex, because a mean at each of its corners takes too long
  for (std::size_t vertex = 0; vertex < mesh.vertices.size(); ++vertex) {
    if (fans.of(vertex).size() <= kLargestFan) continue;
    of_large_fans[vertex] = mean_over(fans.of(vertex), [](std::uint32_t) { return true; });
  }
  Points normals;
  normals.reserve(3 * mesh.triangles.size());
  for (std::size_t t = 0; t < mesh.triangles.size(); ++t) {
    for (const std::int32_t corner : mesh.triangles[t]) {
      const auto vertex = static_cast<std::size_t>(corner);
      const std::span<const std::uint32_t> fan = fans.of(vertex);
      normals.push_back(fan.size() > kLargestFan ? of_large_fans[vertex] : mean_over(fan, [&](std::uint32_t other) {
        return units[t].dot(units[other]) >= least_cosine;
      }));
    }
  }
  return normals;
}

Lights::Lights(const Eigen::Matrix3d& axes)
    : key_((axes.transpose() * Eigen::Vector3d(-0.55, 0.75, 0.60)).normalized().cast<float>()),
      fill_((axes.transpose() * Eigen::Vector3d(0.80, 0.10, 0.55)).normalized().cast<float>()) {}

Eigen::Vector3f Lights::shade(const SurfacePoint& point) const {
  const float open = point.sky_visibility;
  const float sky = kSkyBelow + (kSkyAbove - kSkyBelow) * (0.5F + 0.5F * point.normal.y());
  // Occluded points also receive less direct light.
  const float lamps = kKey * std::max(0.0F, point.normal.dot(key_)) + kFill * std::max(0.0F, point.normal.dot(fill_));
  const float grazing = 1 - std::clamp(point.normal.dot(point.to_viewer), 0.0F, 1.0F);
  const float rim = kRim * grazing * grazing * grazing * open;
  return point.colour * (sky * open + lamps * (0.35F + 0.65F * open)) + Eigen::Vector3f::Constant(rim);
}

}  // namespace p2mpp
