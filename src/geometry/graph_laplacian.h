#pragma once

#include <Eigen/SparseCore>
#include <cstdint>
#include <vector>

#include "p2mpp/triangle_mesh.h"

namespace p2mpp {

/// The largest eigenvalue of L = I - D^-1/2 A D^-1/2, the normalised Laplacian of an undirected graph: in (1, 2], to a
/// relative 1e-14, the same on every call. Each edge is given once [E,2]. A factorisation proves that no eigenvalue is
/// larger; it is fast where the graph is a surface's (a few thousand vertices in some milliseconds).
/// Throws InputError for an edge that names a missing vertex or one vertex twice, and for a vertex without an edge.
[[nodiscard]] double largest_laplacian_eigenvalue(std::int64_t vertex_count, const std::vector<Edge>& edges);

/// T1 = 2 L / lambda_max - I [N,N], every diagonal entry stored. T0 of the Chebyshev basis is the identity.
/// Source: Defferrard et al., Convolutional Neural Networks on Graphs with Fast Localized Spectral Filtering (2016).
/// Throws InputError as largest_laplacian_eigenvalue() does.
[[nodiscard]] Eigen::SparseMatrix<float, Eigen::RowMajor> chebyshev_support(std::int64_t vertex_count,
                                                                            const std::vector<Edge>& edges,
                                                                            double lambda_max);

}  // namespace p2mpp
