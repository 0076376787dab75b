#include "geometry/graph_laplacian.h"

#include <fmt/format.h>

#include <Eigen/SparseCholesky>
#include <algorithm>
#include <cmath>
#include <random>

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

}  // namespace p2mpp
