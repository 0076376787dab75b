#pragma once

#include <Eigen/SparseCore>
#include <cstdint>
#include <vector>

#include "p2mpp/triangle_mesh.h"

namespace p2mpp {

/// The largest eigenvalue of L = I - D^-1/2 A D^-1/2, the normalised Laplacian of an undirected graph: in (1, 2], with
/// a relative error of 1e-14, deterministic. Each edge is given once [E,2]. A factorisation proves that no eigenvalue
/// is larger. It takes some milliseconds for the graph of a surface with a few thousand vertices. Throws InputError if
/// an edge names a missing vertex or a vertex twice, and if a vertex has no edge.
[[nodiscard]] double largest_laplacian_eigenvalue(std::int64_t vertex_count, const std::vector<Edge>& edges);

/// T1 = 2 L / lambda_max - I [N,N], with all diagonal entries stored. T0 of the Chebyshev basis is the identity.
/// Source: Defferrard et al., Convolutional Neural Networks on Graphs with Fast Localized Spectral Filtering (2016).
/// Throws InputError as largest_laplacian_eigenvalue() does.
[[nodiscard]] Eigen::SparseMatrix<float, Eigen::RowMajor> chebyshev_support(std::int64_t vertex_count,
                                                                            const std::vector<Edge>& edges,
                                                                            double lambda_max);

}  // namespace p2mpp
