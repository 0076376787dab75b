#include "fit/smooth_system.h"

#include <Eigen/SparseCholesky>
#include <Eigen/SparseCore>
#include <algorithm>
#include <utility>

#include "base/thread_scopes.h"
#include "fit/vertex_graph.h"
#include "p2mpp/error.h"

namespace p2mpp {
namespace {

using PaddedVector = Eigen::Array4f;  // x, y, z and nothing: one vector register
using Vectors = std::vector<PaddedVector, Eigen::aligned_allocator<PaddedVector>>;
using Sparse = Eigen::SparseMatrix<double>;

constexpr double kUsualWeight = 0.3;        ///< of a vertex's targets, for the preconditioner
constexpr float kRelativeResidual = 2e-3F;  ///< far below what a step changes
constexpr int kMaxIterations = 40;
constexpr std::size_t kMostPairs = 1'200'000;  ///< entries of L'L before they are summed: some 24,000 vertices

Sparse laplacian(const VertexGraph& graph) {
  std::vector<Eigen::Triplet<double>> entries;
  for (std::size_t i = 0; i < graph.size(); ++i) {
    const auto neighbours = graph.neighbours(i);
    if (neighbours.empty()) continue;
    const int row = static_cast<int>(i);
    entries.emplace_back(row, row, 1.0);
    for (const std::int32_t other : neighbours) {
      entries.emplace_back(row, other, -1.0 / static_cast<double>(neighbours.size()));
    }
  }
  const auto count = static_cast<Eigen::Index>(graph.size());
  Sparse matrix(count, count);
  matrix.setFromTriplets(entries.begin(), entries.end());
  return matrix;
}

// Of x, y and z; in double, in one order.
double dot(const Vectors& a, const Vectors& b) {
  Eigen::Array4d sum = Eigen::Array4d::Zero();
  for (std::size_t i = 0; i < a.size(); ++i) sum += (a[i] * b[i]).cast<double>();
  return sum[0] + sum[1] + sum[2];
}

}  // namespace

struct SmoothSystem::Impl {
  /// A symmetric matrix or a triangle of one, by columns.
  struct Columns {
    std::vector<std::int32_t> first, row;  // [N+1], [entries]
    std::vector<float> value;
  };

  static Columns sparse_columns(const Eigen::SparseMatrix<double>& matrix);

  std::vector<CoarserGraph> levels;     // from the surface's vertices to those of the system
  Columns stiff;                        // stiffness L'L + damping
  Columns lower;                        // the factor's entries below the diagonal: unit lower triangle
  std::vector<float> inverse_diagonal;  // of the factorisation's D
  std::vector<std::int32_t> place;      // of a vertex in the factorisation's order

  [[nodiscard]] std::vector<Eigen::Vector3f> solve(const std::vector<VertexPull>& pulls) const;

  void apply(const std::vector<VertexPull>& pulls, const Vectors& in, Vectors& out) const {
    for (std::size_t i = 0; i < in.size(); ++i) {
      PaddedVector sum = PaddedVector::Zero();  // the matrix is symmetric: its columns are its rows
      for (auto k = static_cast<std::size_t>(stiff.first[i]); k < static_cast<std::size_t>(stiff.first[i + 1]); ++k) {
        sum += stiff.value[k] * in[static_cast<std::size_t>(stiff.row[k])];
      }
      sum.head<3>() += (pulls[i].weights * in[i].head<3>().matrix()).array();
      out[i] = sum;
    }
  }

  void precondition(const Vectors& in, Vectors& scratch, Vectors& out) const {
    const std::size_t count = in.size();
    for (std::size_t i = 0; i < count; ++i) scratch[static_cast<std::size_t>(place[i])] = in[i];
    for (std::size_t j = 0; j < count; ++j) {
      const PaddedVector known = scratch[j];
      for (auto k = static_cast<std::size_t>(lower.first[j]); k < static_cast<std::size_t>(lower.first[j + 1]); ++k) {
        scratch[static_cast<std::size_t>(lower.row[k])] -= lower.value[k] * known;
      }
    }
    for (std::size_t j = count; j-- > 0;) {
      PaddedVector sum = scratch[j] * inverse_diagonal[j];
      for (auto k = static_cast<std::size_t>(lower.first[j]); k < static_cast<std::size_t>(lower.first[j + 1]); ++k) {
        sum -= lower.value[k] * scratch[static_cast<std::size_t>(lower.row[k])];
      }
      scratch[j] = sum;
    }
    for (std::size_t i = 0; i < count; ++i) out[i] = scratch[static_cast<std::size_t>(place[i])];
  }
};

SmoothSystem::Impl::Columns SmoothSystem::Impl::sparse_columns(const Eigen::SparseMatrix<double>& matrix) {
  Columns columns;
  columns.first.push_back(0);
  for (int column = 0; column < matrix.outerSize(); ++column) {
    for (Sparse::InnerIterator entry(matrix, column); entry; ++entry) {
      columns.row.push_back(static_cast<std::int32_t>(entry.row()));
      columns.value.push_back(static_cast<float>(entry.value()));
    }
    columns.first.push_back(static_cast<std::int32_t>(columns.row.size()));
  }
  return columns;
}

SmoothSystem::SmoothSystem(const FitSurface& surface, float stiffness, float damping)
    : impl_(std::make_unique<Impl>()) {
  VertexGraph graph(surface);
  for (std::size_t size = 0; pairs_of_neighbours(graph) > kMostPairs && size != graph.size();) {
    size = graph.size();
    impl_->levels.emplace_back(std::move(graph));
    graph = impl_->levels.back().coarse_graph();
  }
  const Sparse rows = laplacian(graph);
  Sparse identity(rows.rows(), rows.cols());
  identity.setIdentity();
  const Sparse stiff =
      static_cast<double>(stiffness) * Sparse(rows.transpose() * rows) + static_cast<double>(damping) * identity;
  const Eigen::SimplicialLDLT<Sparse> factor(stiff + kUsualWeight * identity);
  if (factor.info() != Eigen::Success) throw Error("the fit's system cannot be factorised; expected a finite one");
  impl_->stiff = Impl::sparse_columns(stiff);
  Sparse below = factor.matrixL();
  below.prune([](Eigen::Index row, Eigen::Index column, double) { return row != column; });
  impl_->lower = Impl::sparse_columns(below);
  for (const double value : factor.vectorD()) impl_->inverse_diagonal.push_back(static_cast<float>(1 / value));
  for (const int index : factor.permutationP().indices()) impl_->place.push_back(index);
}

SmoothSystem::~SmoothSystem() = default;
SmoothSystem::SmoothSystem(SmoothSystem&&) noexcept = default;
SmoothSystem& SmoothSystem::operator=(SmoothSystem&&) noexcept = default;

std::vector<Eigen::Vector3f> SmoothSystem::solve(const std::vector<VertexPull>& pulls) const {
  std::vector<VertexPull> summed = pulls;
  for (const CoarserGraph& level : impl_->levels) summed = level.restricted(summed);
  // A coarse vertex has the weight of a vertex, so that a mesh is as stiff at every size.
  const float share = static_cast<float>(summed.size()) / static_cast<float>(pulls.size());
  if (!impl_->levels.empty()) {
    for (VertexPull& pull : summed) pull = {share * pull.weights, share * pull.pull};
  }
  std::vector<Eigen::Vector3f> displacements = impl_->solve(summed);
  for (std::size_t i = impl_->levels.size(); i-- > 0;) displacements = impl_->levels[i].prolonged(displacements);
  return displacements;
}

std::vector<Eigen::Vector3f> SmoothSystem::Impl::solve(const std::vector<VertexPull>& pulls) const {
  const std::size_t count = pulls.size();
  Vectors solution(count, PaddedVector::Zero()), residual(count), image(count), better(count), direction(count),
      scratch(count);
  for (std::size_t i = 0; i < count; ++i) {
    residual[i] = PaddedVector::Zero();
    residual[i].head<3>() = pulls[i].pull.array();
  }
  const double enough = dot(residual, residual) * kRelativeResidual * kRelativeResidual;
  precondition(residual, scratch, better);
  direction = better;
  double product = dot(residual, better);
  for (int iteration = 0; iteration < kMaxIterations && product > 0; ++iteration) {
    end_if_stopped();
    apply(pulls, direction, image);
    const auto length = static_cast<float>(product / dot(direction, image));
    for (std::size_t i = 0; i < count; ++i) {
      solution[i] += length * direction[i];
      residual[i] -= length * image[i];
    }
    if (dot(residual, residual) <= enough) break;
    precondition(residual, scratch, better);
    const double next = dot(residual, better);
    const auto share = static_cast<float>(next / product);
    for (std::size_t i = 0; i < count; ++i) direction[i] = better[i] + share * direction[i];
    product = next;
  }
  std::vector<Eigen::Vector3f> displacements(count);
  for (std::size_t i = 0; i < count; ++i) displacements[i] = solution[i].head<3>().matrix();
  return displacements;
}

}  // namespace p2mpp
