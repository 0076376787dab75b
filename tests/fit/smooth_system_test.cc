#include "fit/smooth_system.h"

#include <gtest/gtest.h>

#include <Eigen/LU>
#include <random>

#include "support/test_meshes.h"

namespace p2mpp {
namespace {

// The normal equations with dense matrices.
Eigen::VectorXd solve_plainly(const FitSurface& surface, double stiffness, double damping,
                              const std::vector<VertexPull>& pulls) {
  const auto count = static_cast<Eigen::Index>(surface.vertex_count());
  Eigen::MatrixXd rows = Eigen::MatrixXd::Zero(count, count);
  for (Eigen::Index i = 0; i < count; ++i) {
    const auto neighbours = surface.neighbours(static_cast<std::size_t>(i));
    rows(i, i) = 1;
    for (const std::int32_t other : neighbours) rows(i, other) = -1 / static_cast<double>(neighbours.size());
  }
  const Eigen::MatrixXd stiff = stiffness * rows.transpose() * rows + damping * Eigen::MatrixXd::Identity(count, count);
  Eigen::MatrixXd matrix = Eigen::MatrixXd::Zero(3 * count, 3 * count);
  Eigen::VectorXd right(3 * count);
  for (Eigen::Index i = 0; i < count; ++i) {
    for (Eigen::Index j = 0; j < count; ++j) {
      matrix.block<3, 3>(3 * i, 3 * j) += stiff(i, j) * Eigen::Matrix3d::Identity();
    }
    const VertexPull& pull = pulls[static_cast<std::size_t>(i)];
    matrix.block<3, 3>(3 * i, 3 * i) += pull.weights.cast<double>();
    right.segment<3>(3 * i) = pull.pull.cast<double>();
  }
  return matrix.lu().solve(right);
}

TEST(SmoothSystemTest, FindsWhatADenseSolverFinds) {
  const TriangleMesh mesh = testing::icosphere(2);
  const FitSurface surface(mesh.vertices.size(), mesh.triangles);
  const SmoothSystem system(surface, 10, 0.02F);
  std::mt19937_64 generator(2);
  std::normal_distribution<float> drawn;
  std::vector<VertexPull> pulls(mesh.vertices.size());
  for (int i = 0; i < 40; ++i) {
    const Eigen::Vector3f direction =
        Eigen::Vector3f(drawn(generator), drawn(generator), drawn(generator)).normalized();
    pulls[generator() % pulls.size()].add(0.3F, direction, 0.05F * drawn(generator), 0.15F);
  }
  const std::vector<Eigen::Vector3f> found = system.solve(pulls);
  const Eigen::VectorXd expected = solve_plainly(surface, 10, 0.02, pulls);
  double difference = 0;
  for (std::size_t i = 0; i < found.size(); ++i) {
    difference += (found[i].cast<double>() - expected.segment<3>(3 * static_cast<Eigen::Index>(i))).squaredNorm();
  }
  EXPECT_LT(std::sqrt(difference), 0.01 * expected.norm());
  EXPECT_GT(expected.norm(), 0.01);
}

TEST(SmoothSystemTest, ATargetForAllVerticesMovesAllOfThem) {
  const TriangleMesh mesh = testing::icosphere(3);
  const SmoothSystem system(FitSurface(mesh.vertices.size(), mesh.triangles), 10, 0);
  std::vector<VertexPull> pulls(mesh.vertices.size());
  for (VertexPull& pull : pulls) pull.add(0.3F, Eigen::Vector3f::UnitY(), 0.25F, 1);
  for (const Eigen::Vector3f& way : system.solve(pulls)) EXPECT_LT((way - Eigen::Vector3f(0, 0.25F, 0)).norm(), 1e-3F);
}

// Its vertices have 30,000 neighbours each, and a pair of them is an entry of the system's matrix.
TEST(SmoothSystemTest, AVertexWithManyNeighboursCostsNoMore) {
  constexpr std::int32_t kCount = 30'000;
  std::vector<Triangle> triangles;
  for (std::int32_t i = 0; i < kCount; ++i) {
    for (const std::int32_t tip : {0, 1}) triangles.push_back({tip, 2 + i, 2 + (i + 1) % kCount});
  }
  const SmoothSystem system(FitSurface(kCount + 2, std::move(triangles)), 10, 0.02F);
  std::vector<VertexPull> pulls(kCount + 2);
  for (VertexPull& pull : pulls) pull.add(0.3F, Eigen::Vector3f::UnitY(), 0.25F, 1);
  for (const Eigen::Vector3f& way : system.solve(pulls)) EXPECT_NEAR(way.y(), 0.25F, 0.05F);
}

TEST(SmoothSystemTest, NoTargetMovesNothing) {
  const TriangleMesh mesh = testing::icosphere(1);
  const SmoothSystem system(FitSurface(mesh.vertices.size(), mesh.triangles), 10, 0.02F);
  for (const Eigen::Vector3f& way : system.solve(std::vector<VertexPull>(mesh.vertices.size()))) {
    EXPECT_EQ(way, Eigen::Vector3f::Zero());
  }
}

}  // namespace
}  // namespace p2mpp
