#pragma once

#include <cstddef>
#include <functional>

#include "p2mpp/triangle_mesh.h"

namespace p2mpp {

/// The same surface with about as many vertices as wanted, evenly spaced: edges of about one length, triangles close to
/// equilateral. The topology, with all components and holes, does not change. Thin parts may keep more vertices than
/// their share. `onto` projects a point to the nearby surface; up to `threads` threads call it at the same time. Throws
/// InputError unless the mesh is closed, manifold and wound consistently; it may have several components. If no triangle
/// of the mesh intersects another, but for common vertices and edges, none of the result does: it has more vertices where
/// surfaces are close together. Deterministic. Source: Botsch and Kobbelt, "A Remeshing Approach to Multiresolution
/// Modeling" (SGP 2004); the link condition is Dey et al.'s, "Topology Preserving Edge Contraction" (1999).
[[nodiscard]] TriangleMesh even_mesh(const TriangleMesh& mesh, std::size_t vertices,
                                     const std::function<Eigen::Vector3f(const Eigen::Vector3f&)>& onto,
                                     int threads = 1);

}  // namespace p2mpp
