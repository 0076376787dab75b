#pragma once

#include <cstddef>
#include <functional>

#include "p2mpp/triangle_mesh.h"

namespace p2mpp {

/// The same surface with about as many vertices as wanted, evenly spaced: edges of about one length, triangles close to
/// equilateral. Components and holes stay, because the topology never changes; thin parts may keep more vertices than
/// their share. `onto` moves a point to the surface nearby; it is called by `threads` threads at a time. Throws
/// InputError unless the mesh is closed, manifold and wound consistently; it may have several components.
/// Deterministic.
/// Source: Botsch and Kobbelt, "A Remeshing Approach to Multiresolution Modeling" (SGP 2004); the link condition is Dey
/// et al.'s, "Topology Preserving Edge Contraction" (1999).
[[nodiscard]] TriangleMesh even_mesh(const TriangleMesh& mesh, std::size_t vertices,
                                     const std::function<Eigen::Vector3f(const Eigen::Vector3f&)>& onto,
                                     int threads = 1);

}  // namespace p2mpp
