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
  Eigen::Vector3f direction;  ///< of any length; distances are in its unit
  float reach = std::numeric_limits<float>::infinity();
};

inline constexpr std::uint32_t kNothing = 0xFFFFFFFF;

/// What a ray meets first.
struct RayHit {
  std::uint32_t primitive = kNothing;  ///< the triangle, or the point of a cloud
  float distance = 0;
  float u = 0, v = 0;  ///< weights of the triangle's second and third corner

  [[nodiscard]] bool hit() const { return primitive != kNothing; }
};

/// A mesh, or a cloud's points as spheres, ready to be met by rays. Safe to use from several threads.
class RayScene {
 public:
  /// A mesh without triangles is a cloud: spheres of `point_radius` around its vertices. Expects finite vertices and
  /// indices in range. Throws Error where there is no memory.
  RayScene(const TriangleMesh& mesh, float point_radius);
  RayScene(RayScene&&) noexcept;
  RayScene& operator=(RayScene&&) noexcept;
  ~RayScene();

  /// The first hit of each ray [R]. Fastest where neighbours in the list are alike.
  void intersect(std::span<const Ray> rays, std::span<RayHit> hits) const;

  /// How many of the rays meet anything.
  [[nodiscard]] std::size_t count_blocked(std::span<const Ray> rays) const;

  /// "Embree 3.13.5", or empty where this build has no ray tracer.
  [[nodiscard]] static std::string_view tracer();

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace p2mpp
