#include <gtest/gtest.h>

#include <Eigen/Eigenvalues>
#include <cmath>
#include <numbers>
#include <random>
#include <set>

#include "geometry/mesh_template.h"
#include "p2mpp/error.h"
#include "support/test_meshes.h"

namespace p2mpp {
namespace {

struct Graph {
  std::int64_t vertex_count = 0;
  std::vector<Edge> edges;
};

Graph path(std::int32_t count) {
  Graph graph{count, {}};
  for (std::int32_t i = 0; i + 1 < count; ++i) graph.edges.push_back({i, i + 1});
  return graph;
}

Graph cycle(std::int32_t count) {
  Graph graph = path(count);
  graph.edges.push_back({0, count - 1});
  return graph;
}

Graph complete(std::int32_t count) {
  Graph graph{count, {}};
  for (std::int32_t i = 0; i < count; ++i) {
    for (std::int32_t j = 0; j < i; ++j) graph.edges.push_back({j, i});
  }
  return graph;
}

Graph complete_bipartite(std::int32_t left, std::int32_t right) {
  Graph graph{left + right, {}};
  for (std::int32_t i = 0; i < left; ++i) {
    for (std::int32_t j = left; j < left + right; ++j) graph.edges.push_back({i, j});
  }
  return graph;
}

/// A long path that ends in a triangle: almost bipartite, with eigenvalues crowded below the
/// largest.
Graph kite(std::int32_t count) {
  Graph graph = path(count);
  graph.edges.push_back({count - 3, count - 1});
  return graph;
}

/// A random tree and some more edges.
Graph random_connected(std::mt19937_64& generator) {
  const auto count = static_cast<std::int32_t>(2 + generator() % 150);
  std::set<Edge> edges;
  for (std::int32_t i = 1; i < count; ++i) {
    edges.insert({testing::draw_below(static_cast<std::size_t>(i), generator), i});
  }
  for (auto extra = generator() % 200; extra > 0; --extra) {
    const auto a = testing::draw_below(static_cast<std::size_t>(count), generator);
    const auto b = testing::draw_below(static_cast<std::size_t>(count), generator);
    if (a != b) edges.insert(testing::sorted_edge(a, b));
  }
  return {count, {edges.begin(), edges.end()}};
}

template <typename Real>
using DenseMatrix = Eigen::Matrix<Real, Eigen::Dynamic, Eigen::Dynamic>;

template <typename Real>
DenseMatrix<Real> dense_laplacian(const Graph& graph) {
  DenseMatrix<Real> adjacency = DenseMatrix<Real>::Zero(graph.vertex_count, graph.vertex_count);
  for (const auto& [a, b] : graph.edges) adjacency(a, b) = adjacency(b, a) = 1;
  const auto scale = adjacency.rowwise().sum().cwiseSqrt().cwiseInverse().eval();
  return DenseMatrix<Real>::Identity(graph.vertex_count, graph.vertex_count) -
         DenseMatrix<Real>(scale.asDiagonal() * adjacency * scale.asDiagonal());
}

/// In extended precision: in double the dense solver is itself wrong by some 1e-14.
double dense_largest_eigenvalue(const Graph& graph) {
  const Eigen::SelfAdjointEigenSolver<DenseMatrix<long double>> solver(dense_laplacian<long double>(graph),
                                                                       Eigen::EigenvaluesOnly);
  return static_cast<double>(solver.eigenvalues().maxCoeff());
}

double largest(const Graph& graph) { return largest_laplacian_eigenvalue(graph.vertex_count, graph.edges); }

constexpr double kRelative = 1e-14;

TEST(LargestLaplacianEigenvalue, IsTheDenseSolversOnRandomGraphs) {
  std::mt19937_64 generator(41);
  for (int round = 0; round < 100; ++round) {
    const Graph graph = random_connected(generator);
    const double expected = dense_largest_eigenvalue(graph);
    EXPECT_NEAR(largest(graph), expected, kRelative * expected) << graph.vertex_count;
  }
}

TEST(LargestLaplacianEigenvalue, IsThatOfTheTextbooks) {
  struct Known {
    Graph graph;
    double eigenvalue;
  };
  std::vector<Known> graphs = {{complete_bipartite(1, 30), 2}, {complete_bipartite(7, 12), 2}};
  for (const std::int32_t count : {2, 3, 4, 50, 301, 2000}) graphs.push_back({path(count), 2});
  for (const std::int32_t count : {4, 100, 1000}) graphs.push_back({cycle(count), 2});
  for (const std::int32_t count : {3, 5, 99, 1001}) {  // twofold, and close to the next
    graphs.push_back({cycle(count), 1 + std::cos(std::numbers::pi / count)});
  }
  for (const std::int32_t count : {2, 3, 4, 40}) {  // all but one are equal
    graphs.push_back({complete(count), count / (count - 1.0)});
  }
  for (const auto& [graph, eigenvalue] : graphs) {
    EXPECT_NEAR(largest(graph), eigenvalue, kRelative * eigenvalue) << graph.vertex_count << " " << graph.edges.size();
    EXPECT_LE(largest(graph), 2);
  }
}

TEST(LargestLaplacianEigenvalue, SeparatesCrowdedEigenvalues) {
  for (const std::int32_t count : {4, 30, 300}) {
    const double expected = dense_largest_eigenvalue(kite(count));
    EXPECT_NEAR(largest(kite(count)), expected, kRelative * expected) << count;
  }
}

TEST(LargestLaplacianEigenvalue, IsThatOfTheWorstPartOfADisconnectedGraph) {
  Graph graph = cycle(5);
  for (const auto& [a, b] : cycle(3).edges) graph.edges.push_back({a + 5, b + 5});
  graph.vertex_count += 3;
  EXPECT_NEAR(largest(graph), 1 + std::cos(std::numbers::pi / 5), 2 * kRelative);
}

TEST(LargestLaplacianEigenvalue, RefusesWhatIsNoGraph) {
  EXPECT_THROW((void)largest_laplacian_eigenvalue(-1, {}), InputError);
  EXPECT_THROW((void)largest_laplacian_eigenvalue(0, {}), InputError);
  EXPECT_THROW((void)largest_laplacian_eigenvalue(1, {}), InputError);
  EXPECT_THROW((void)largest_laplacian_eigenvalue(3, {{0, 1}}), InputError);
  EXPECT_THROW((void)largest_laplacian_eigenvalue(2, {{0, 2}}), InputError);
  EXPECT_THROW((void)largest_laplacian_eigenvalue(2, {{-1, 1}}), InputError);
  EXPECT_THROW((void)largest_laplacian_eigenvalue(2, {{0, 1}, {1, 1}}), InputError);
  EXPECT_THROW((void)chebyshev_support(3, {{0, 1}}, 1.5), InputError);
}

TEST(ChebyshevSupport, IsTheShiftedLaplacian) {
  std::mt19937_64 generator(43);
  for (int round = 0; round < 20; ++round) {
    const Graph graph = random_connected(generator);
    const double lambda_max = 1 + static_cast<double>(round) / 19;
    const auto support = chebyshev_support(graph.vertex_count, graph.edges, lambda_max);
    const Eigen::MatrixXd expected = 2 / lambda_max * dense_laplacian<double>(graph) -
                                     Eigen::MatrixXd::Identity(graph.vertex_count, graph.vertex_count);
    EXPECT_LT((Eigen::MatrixXf(support).cast<double>() - expected).cwiseAbs().maxCoeff(), 6e-8);
    EXPECT_EQ(support.nonZeros(), graph.vertex_count + 2 * std::ssize(graph.edges));
  }
}

}  // namespace
}  // namespace p2mpp
