#pragma once

#include <Eigen/Core>
#include <cstdint>
#include <vector>

#include "p2mpp/triangle_mesh.h"

namespace p2mpp {

/// How often a mesh winds around a point: 1 inside a closed mesh, 0 outside, and between them near the holes of an open
/// one. It also tells inside from outside where triangles intersect.
/// Source: Barill et al., "Fast Winding Numbers for Soups and Clouds" (SIGGRAPH 2018), with terms of the first order.
class WindingNumber {
 public:
  /// Precondition: finite vertices, indices in range.
  explicit WindingNumber(const TriangleMesh& mesh);

  /// Thread-safe.
  [[nodiscard]] float at(const Eigen::Vector3f& point) const;

 private:
  struct Corners {
    Eigen::Vector3f a, b, c;
  };
  /// Of a tree: one triangle, or two parts.
  struct Node {
    Eigen::Vector3f middle = Eigen::Vector3f::Zero();  ///< weighted by area
    Eigen::Vector3f normal = Eigen::Vector3f::Zero();  ///< sum of the triangles', times their areas
    float far = 0;                                     ///< beyond this squared distance, the sum stands for all
    std::uint32_t first = 0, count = 0;                ///< of triangles_
    std::uint32_t next = 0;                            ///< the node after this one's parts
  };
  void build(std::uint32_t first, std::uint32_t count);

  std::vector<Corners> triangles_;
  std::vector<Node> nodes_;  // parents before their parts
};

}  // namespace p2mpp
