#pragma once

#include <Eigen/Core>
#include <cstdint>
#include <limits>
#include <memory>
#include <span>
#include <string_view>

#include "p2mpp/triangle_mesh.h"

namespace p2mpp {

struct Ray {
  Eigen::Vector3f origin;
  Eigen::Vector3f direction;  ///< of any length, which is the unit of distances
  float reach = std::numeric_limits<float>::infinity();
};

inline constexpr std::uint32_t kNothing = 0xFFFFFFFF;

/// The first surface that a ray meets.
struct RayHit {
  std::uint32_t primitive = kNothing;  ///< the triangle, or the point of a cloud
  float distance = 0;
  float u = 0, v = 0;  ///< weights of the triangle's second and third corner

  [[nodiscard]] bool hit() const { return primitive != kNothing; }
};

/// A mesh, or the points of a cloud as spheres, for ray queries. Thread-safe.
class RayScene {
 public:
  /// A mesh without triangles is a cloud: spheres of `point_radius` around its vertices. Throws Error if memory is not
  /// sufficient. Precondition: finite vertices and indices in range.
  RayScene(const TriangleMesh& mesh, float point_radius);
  RayScene(RayScene&&) noexcept;
  RayScene& operator=(RayScene&&) noexcept;
  ~RayScene();

  /// The first hit of each ray [R]. Fastest if adjacent rays are similar.
  void intersect(std::span<const Ray> rays, std::span<RayHit> hits) const;

  /// Whether each ray meets a surface within its reach: 1 or 0 [R].
  void find_blocked(std::span<const Ray> rays, std::span<std::uint8_t> blocked) const;

  /// Number of such rays.
  [[nodiscard]] std::size_t count_blocked(std::span<const Ray> rays) const;

  /// "Embree 3.13.5", or empty if this build has no ray tracer.
  [[nodiscard]] static std::string_view tracer();

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace p2mpp
