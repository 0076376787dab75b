#include "geometry/mesh_template.h"

#include <fmt/format.h>

#include <Eigen/SparseCholesky>
#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <map>
#include <random>
#include <utility>

#include "geometry/edge_uses.h"
#include "p2mpp/error.h"

namespace p2mpp {
namespace {

using SparseMatrix = Eigen::SparseMatrix<double>;
using Triplets = std::vector<Eigen::Triplet<double>>;

/// Largest relative distance between the proven bounds of an eigenvalue.
constexpr double kBoundGap = 4e-15;

std::vector<double> count_degrees(std::int64_t vertex_count, const std::vector<Edge>& edges) {
  if (vertex_count < 2) {
    throw InputError(fmt::format("graph of {} vertices; expected at least 2", vertex_count));
  }
  std::vector<double> degrees(static_cast<std::size_t>(vertex_count));
  for (const auto& [a, b] : edges) {
    if (std::min(a, b) < 0 || std::max(a, b) >= vertex_count || a == b) {
      throw InputError(fmt::format("edge {}-{}, counted from 1; expected two different vertices from 1 to {}",
                                   std::int64_t{a} + 1, std::int64_t{b} + 1, vertex_count));
    }
    ++degrees[static_cast<std::size_t>(a)];
    ++degrees[static_cast<std::size_t>(b)];
  }
  const auto lonely = std::find(degrees.begin(), degrees.end(), 0.0);
  if (lonely != degrees.end()) {
    throw InputError(
        fmt::format("vertex {}, counted from 1, has no edge; expected at least 1", lonely - degrees.begin() + 1));
  }
  return degrees;
}

/// D^-1/2 A D^-1/2 times a scale, with a constant diagonal that is stored even if it is 0 [N + 2E].
Triplets scaled_adjacency(std::int64_t vertex_count, const std::vector<Edge>& edges, double scale, double diagonal) {
  const std::vector<double> degrees = count_degrees(vertex_count, edges);
  Triplets entries;
  entries.reserve(degrees.size() + 2 * edges.size());
  for (int v = 0; v < static_cast<int>(vertex_count); ++v) entries.emplace_back(v, v, diagonal);
  for (const auto& [a, b] : edges) {
    const double product = degrees[static_cast<std::size_t>(a)] * degrees[static_cast<std::size_t>(b)];
    entries.emplace_back(a, b, scale / std::sqrt(product));
    entries.emplace_back(b, a, scale / std::sqrt(product));
  }
  return entries;
}

/// A bracket of the largest eigenvalue of L = I - adjacency. Rayleigh quotients bound the eigenvalue from below. A
/// Cholesky factorisation of sigma I - L bounds it from above, because it exists only for sigma above every eigenvalue.
class LargestEigenvalue {
 public:
  explicit LargestEigenvalue(const SparseMatrix& adjacency) : adjacency_(adjacency), vector_(adjacency.rows()) {
    factor_.analyzePattern(adjacency_);
    draw_vector();
    for (int i = 0; i < kPowerSteps; ++i) vector_ = laplacian_times_vector().normalized();
    raise_lower_bound();
  }

  double compute() {
    while (upper_ - lower_ > kBoundGap * upper_) {
      const double step = std::min(step_, (upper_ - lower_) / 2);
      if (const double sigma = lower_ + step; is_above_spectrum(sigma)) {
        upper_ = sigma;
        for (int i = 0; i < kInverseSteps; ++i) vector_ = factor_.solve(vector_).normalized();
        raise_lower_bound();
      } else {
        lower_ = sigma;
        step_ = kStepGrowth * step;
      }
    }
    return std::min(lower_, upper_);
  }

 private:
  static constexpr int kPowerSteps = 200;
  static constexpr int kInverseSteps = 8;
  static constexpr double kStepGrowth = 8;

  /// Uniform in [-1, 1) from the generator's own bits: the same vector with every standard library.
  void draw_vector() {
    std::mt19937_64 generator(1);
    for (double& value : vector_) value = static_cast<double>(generator() >> 11) * 0x1p-52 - 1;
    vector_.normalize();
  }

  [[nodiscard]] Eigen::VectorXd laplacian_times_vector() const { return vector_ - adjacency_ * vector_; }

  /// The next trial: an eigenvalue is within the residual of the Rayleigh quotient.
  void raise_lower_bound() {
    const Eigen::VectorXd product = laplacian_times_vector();
    const double quotient = vector_.dot(product);
    lower_ = std::max(lower_, quotient);
    step_ = std::max((product - quotient * vector_).norm(), 0.75 * kBoundGap * upper_);
  }

  /// sigma I - L = (sigma - 1) I + adjacency.
  bool is_above_spectrum(double sigma) {
    factor_.setShift(sigma - 1);
    factor_.factorize(adjacency_);
    return factor_.info() == Eigen::Success;
  }

  const SparseMatrix& adjacency_;
  Eigen::SimplicialLLT<SparseMatrix> factor_;
  Eigen::VectorXd vector_;
  double lower_ = 0;
  double upper_ = 2;  // holds for every graph
  double step_ = 0;
};

}  // namespace

double largest_laplacian_eigenvalue(std::int64_t vertex_count, const std::vector<Edge>& edges) {
  // Without zeros on the diagonal, Eigen's minimum-degree ordering gives a dense factor.
  const Triplets entries = scaled_adjacency(vertex_count, edges, 1, 0);
  SparseMatrix adjacency(vertex_count, vertex_count);
  adjacency.setFromTriplets(entries.begin(), entries.end());
  return LargestEigenvalue(adjacency).compute();
}

Eigen::SparseMatrix<float, Eigen::RowMajor> chebyshev_support(std::int64_t vertex_count, const std::vector<Edge>& edges,
                                                              double lambda_max) {
  const Triplets entries = scaled_adjacency(vertex_count, edges, -2 / lambda_max, 2 / lambda_max - 1);
  Eigen::SparseMatrix<float, Eigen::RowMajor> support(vertex_count, vertex_count);
  support.setFromTriplets(entries.begin(), entries.end());
  return support;
}

namespace {

struct Subdivision {
  std::vector<Edge> edges;          ///< as they are first met, in that triangle's direction [E,2]
  std::vector<Triangle> triangles;  ///< four children a triangle [4F,3]
};

Subdivision subdivide(std::int64_t vertex_count, const std::vector<Triangle>& triangles) {
  Subdivision result;
  std::map<Edge, std::int32_t> midpoints;
  const auto midpoint = [&](std::int32_t a, std::int32_t b) {
    const auto next = static_cast<std::int32_t>(vertex_count + std::ssize(result.edges));
    const auto [found, is_new] = midpoints.try_emplace(undirected(a, b), next);
    if (is_new) result.edges.push_back({a, b});
    return found->second;
  };
  for (const auto& [a, b, c] : triangles) {
    const std::int32_t ab = midpoint(a, b);
    const std::int32_t ca = midpoint(c, a);
    const std::int32_t bc = midpoint(b, c);
    for (const Triangle& child :
         {Triangle{a, ab, ca}, Triangle{b, ab, bc}, Triangle{c, ca, bc}, Triangle{ab, ca, bc}}) {
      result.triangles.push_back(child);
    }
  }
  return result;
}

/// The second and the fourth child of a triangle have the opposite winding [F] -> [4F].
std::vector<bool> flips_of_children(const std::vector<bool>& flips) {
  std::vector<bool> result;
  result.reserve(4 * flips.size());
  for (const bool flip : flips) result.insert(result.end(), {flip, !flip, flip, !flip});
  return result;
}

std::vector<Triangle> apply_flips(std::vector<Triangle> triangles, const std::vector<bool>& flips) {
  for (std::size_t t = 0; t < triangles.size(); ++t) {
    if (flips[t]) std::swap(triangles[t][1], triangles[t][2]);
  }
  return triangles;
}

/// Every subdivision multiplies V - 2 by four. Precondition: a closed surface of genus 0.
void check_level_count(const TriangleMesh& coarsest, int level_count) {
  if (level_count < 1) {
    throw InputError(fmt::format("{} levels; expected at least 1", level_count));
  }
  constexpr std::int64_t kLimit = std::numeric_limits<std::int32_t>::max();
  auto vertex_count = std::ssize(coarsest.vertices);
  for (int level = 1; level < level_count; ++level) {
    vertex_count = 4 * (vertex_count - 2) + 2;
    if (vertex_count > kLimit) {
      throw InputError(fmt::format("{} levels have more than {} vertices; expected fewer levels", level_count, kLimit));
    }
  }
}

void check_coarsest(const TriangleMesh& coarsest) {
  if (const MeshCheck check = check_mesh(coarsest); !check.ok()) throw InputError(check.detail);
  const std::int64_t genus = (2 - euler_characteristic(coarsest)) / 2;
  if (genus != 0) {
    throw InputError(fmt::format("the surface has genus {}; expected 0, as a sphere", genus));
  }
}

/// A level without its unpool_edges.
TemplateLevel make_level(std::int64_t vertex_count, const std::vector<Triangle>& triangles,
                         const std::vector<bool>& flips) {
  const std::vector<Edge> edges = unique_edges(triangles);
  TemplateLevel level;
  level.vertex_count = vertex_count;
  level.triangles = triangles;
  level.oriented_triangles = apply_flips(triangles, flips);
  level.lambda_max = largest_laplacian_eigenvalue(vertex_count, edges);
  level.support = chebyshev_support(vertex_count, edges, level.lambda_max);
  return level;
}

}  // namespace

MeshTemplate build_template(const TriangleMesh& coarsest, int level_count) {
  check_coarsest(coarsest);
  check_level_count(coarsest, level_count);

  std::vector<bool> flips(coarsest.triangles.size(), signed_volume(coarsest) < 0);
  MeshTemplate result{.vertices = coarsest.vertices, .levels = {}};
  result.levels.push_back(make_level(std::ssize(coarsest.vertices), coarsest.triangles, flips));
  for (int i = 1; i < level_count; ++i) {
    TemplateLevel& coarse = result.levels.back();
    Subdivision finer = subdivide(coarse.vertex_count, coarse.triangles);
    coarse.unpool_edges = std::move(finer.edges);
    flips = flips_of_children(flips);
    result.levels.push_back(make_level(coarse.vertex_count + std::ssize(coarse.unpool_edges), finer.triangles, flips));
  }
  return result;
}

TriangleMesh undeformed_mesh(const MeshTemplate& mesh_template) {
  TriangleMesh mesh{mesh_template.vertices, mesh_template.levels.back().oriented_triangles};
  for (const TemplateLevel& level : mesh_template.levels) {
    for (const Edge& edge : level.unpool_edges) {
      const Eigen::Vector3f middle =
          (mesh.vertices[static_cast<std::size_t>(edge[0])] + mesh.vertices[static_cast<std::size_t>(edge[1])]) / 2;
      mesh.vertices.push_back(middle);
    }
  }
  return mesh;
}

}  // namespace p2mpp
