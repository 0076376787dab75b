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

/// One resolution of the template.
struct TemplateLevel {
  std::int64_t vertex_count = 0;
  std::vector<Triangle> triangles;           ///< in the published order and winding, which is not consistent
  std::vector<Triangle> oriented_triangles;  ///< the same triangles in the same order, wound outward on the template
  /// [E,2] The next level's vertices are this level's, followed by the midpoints of these edges. Empty at the finest.
  std::vector<Edge> unpool_edges;
  double lambda_max = 0;  ///< the largest eigenvalue of the normalised graph Laplacian, exact
  /// T1 = 2 L / lambda_max - I, L = I - D^-1/2 A D^-1/2: the Chebyshev support [N,N]. T0 is the identity.
  Eigen::SparseMatrix<float, Eigen::RowMajor> support;
};

/// The initial mesh and its hierarchy of levels, as the graph convolutions use it.
struct MeshTemplate {
  Points vertices;                    ///< of level 0, in the frame of camera 0
  std::vector<TemplateLevel> levels;  ///< coarse to fine
};

/// Derives the hierarchy from its coarsest mesh alone, in the published order: for each triangle (a,b,c) in file order,
/// the edges ab, ca, bc get the next index at their first occurrence; children are (a,ab,ca), (b,ab,bc), (c,ca,bc),
/// (ab,ca,bc). Throws InputError unless check_mesh() passes and the genus is 0, and if level_count is below 1 or gives
/// more vertices than 32-bit indices can name.
[[nodiscard]] MeshTemplate build_template(const TriangleMesh& coarsest, int level_count = 3);

/// The finest level before any deformation, wound outward.
[[nodiscard]] TriangleMesh undeformed_mesh(const MeshTemplate& mesh_template);

}  // namespace p2mpp
