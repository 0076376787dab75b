#include "geometry/mesh_template.h"

#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <random>
#include <sstream>
#include <string>

#include "io/mesh/mesh_file.h"
#include "p2mpp/error.h"
#include "support/messages.h"
#include "support/test_meshes.h"

namespace p2mpp {
namespace {

using testing::icosphere;
using testing::random_sphere;

TriangleMesh published_size_mesh() { return read_mesh(P2MPP_TEST_DATA "/../../data/templates/ellipsoid_156.obj"); }

template <typename Rows>
std::uint64_t checksum(const Rows& rows) {
  std::uint64_t value = 0;
  for (const auto& row : rows) {
    for (const std::int32_t index : row) {
      value = value * 1000003 + static_cast<std::uint64_t>(index) + 1;
    }
  }
  return value;
}

/// The vertices and the outward triangles of every level, unpooled one after the other.
std::vector<TriangleMesh> unpooled_meshes(const MeshTemplate& mesh_template) {
  std::vector<TriangleMesh> meshes;
  Points vertices = mesh_template.vertices;
  for (const TemplateLevel& level : mesh_template.levels) {
    meshes.push_back({vertices, level.oriented_triangles});
    for (const auto& [a, b] : level.unpool_edges) {
      vertices.push_back(
          (meshes.back().vertices[static_cast<std::size_t>(a)] + meshes.back().vertices[static_cast<std::size_t>(b)]) /
          2);
    }
  }
  return meshes;
}

TEST(BuildTemplate, GivesTheGoldenHierarchy) {
  const MeshTemplate result = build_template(published_size_mesh());
  std::ifstream file(std::string(P2MPP_TEST_DATA) + "/geometry/template_golden.txt");
  ASSERT_TRUE(file);
  std::size_t levels = 0, entries = 0;
  for (std::string line; std::getline(file, line);) {
    std::istringstream words(line);
    std::string kind;
    words >> kind;
    if (kind == "level") {
      const TemplateLevel& level = result.levels.at(levels++);
      std::int64_t vertices = 0;
      std::size_t triangles = 0, edges = 0;
      std::uint64_t triangles_checksum = 0, edges_checksum = 0;
      double lambda_max = 0;
      ASSERT_TRUE(words >> vertices >> triangles >> triangles_checksum >> edges >> edges_checksum >> lambda_max);
      EXPECT_EQ(level.vertex_count, vertices);
      EXPECT_EQ(level.support.rows(), vertices);
      EXPECT_EQ(level.support.cols(), vertices);
      EXPECT_EQ(level.triangles.size(), triangles);
      EXPECT_EQ(checksum(level.triangles), triangles_checksum);
      EXPECT_EQ(level.unpool_edges.size(), edges);
      EXPECT_EQ(checksum(level.unpool_edges), edges_checksum);
      EXPECT_NEAR(level.lambda_max, lambda_max, 1e-14 * lambda_max);
    } else if (kind == "support") {
      std::size_t level = 0;
      Eigen::Index row = 0, column = 0;
      double value = 0;
      ASSERT_TRUE(words >> level >> row >> column >> value);
      EXPECT_FLOAT_EQ(result.levels.at(level).support.coeff(row, column), static_cast<float>(value));
      ++entries;
    }
  }
  EXPECT_EQ(levels, 3u);
  EXPECT_EQ(entries, 54u);
  EXPECT_EQ(undeformed_mesh(result).vertices, unpooled_meshes(result).back().vertices);
  EXPECT_TRUE(check_mesh(undeformed_mesh(result)).ok());
}

TEST(BuildTemplate, NumbersEdgesAndChildrenInThePublishedOrder) {
  const TriangleMesh coarsest = testing::tetrahedron();  // 0 1 2, 0 2 3, 0 3 1, 1 3 2
  const MeshTemplate result = build_template(coarsest, 2);
  const std::vector<Edge> edges{{0, 1}, {2, 0}, {1, 2}, {3, 0}, {2, 3}, {3, 1}};
  const std::vector<Triangle> children{
      {0, 4, 5}, {1, 4, 6}, {2, 5, 6}, {4, 5, 6},  // ab = 4, ca = 5, bc = 6
      {0, 5, 7}, {2, 5, 8}, {3, 7, 8}, {5, 7, 8},  // ab = 5, ca = 7, bc = 8
      {0, 7, 4}, {3, 7, 9}, {1, 4, 9}, {7, 4, 9},  // ab = 7, ca = 4, bc = 9
      {1, 9, 6}, {3, 9, 8}, {2, 6, 8}, {9, 6, 8},  // ab = 9, ca = 6, bc = 8
  };
  EXPECT_EQ(result.vertices, coarsest.vertices);
  EXPECT_EQ(result.levels[0].triangles, coarsest.triangles);
  EXPECT_EQ(result.levels[0].unpool_edges, edges);
  EXPECT_EQ(result.levels[1].triangles, children);
  EXPECT_TRUE(result.levels[1].unpool_edges.empty());
}

TEST(BuildTemplate, OrientsEveryLevelOutward) {
  std::mt19937_64 generator(51);
  for (int round = 0; round < 20; ++round) {
    TriangleMesh coarsest = round == 0 ? published_size_mesh() : random_sphere(generator);
    if (round % 4 == 3) {  // a template may as well be wound inward
      for (Triangle& triangle : coarsest.triangles) std::swap(triangle[0], triangle[1]);
    }
    const MeshTemplate result = build_template(coarsest, 1 + round % 4);
    const auto meshes = unpooled_meshes(result);
    for (std::size_t i = 0; i < meshes.size(); ++i) {
      const MeshCheck check = check_mesh(meshes[i]);
      EXPECT_TRUE(check.ok()) << check.detail;
      EXPECT_GT(signed_volume(meshes[i]), 0);
      EXPECT_EQ(euler_characteristic(meshes[i]), 2);
      const TriangleMesh as_published{meshes[i].vertices, result.levels[i].triangles};
      EXPECT_EQ(oriented_outward(as_published), result.levels[i].oriented_triangles);
    }
  }
}

TEST(BuildTemplate, GivesSupportsWithASpectrumWithinOne) {
  std::mt19937_64 generator(53);
  const MeshTemplate result = build_template(random_sphere(generator), 2);
  for (const TemplateLevel& level : result.levels) {
    const Eigen::SparseMatrix<float> transposed = level.support.transpose();
    EXPECT_EQ((Eigen::SparseMatrix<float>(level.support) - transposed).norm(), 0);
    // The square roots of the degrees are the eigenvector of L's smallest eigenvalue, 0.
    Eigen::VectorXf vector(level.vertex_count);
    for (Eigen::Index v = 0; v < vector.size(); ++v) {
      const auto row_entries = Eigen::SparseVector<float>(level.support.row(v)).nonZeros();
      vector[v] = std::sqrt(static_cast<float>(row_entries - 1));
    }
    EXPECT_LT((level.support * vector + vector).cwiseAbs().maxCoeff(), 2e-6f);
  }
}

std::string refusal(const TriangleMesh& coarsest, int level_count = 3) {
  return message_of<InputError>([&] { (void)build_template(coarsest, level_count); });
}

TEST(BuildTemplate, RefusesABadMesh) {
  const TriangleMesh good = icosphere(0);
  TriangleMesh hole = good, flipped = good, extra = good;
  hole.triangles.pop_back();
  std::swap(flipped.triangles[0][1], flipped.triangles[0][2]);
  extra.vertices.push_back({0, 0, 0});
  EXPECT_EQ(refusal(hole), "edge 2-9, counted from 1, has 1 triangle; expected 2");
  EXPECT_EQ(refusal(flipped),
            "edge 1-6, counted from 1, is traversed in the same direction by triangles 1 and 2; "
            "expected opposite directions");
  EXPECT_EQ(refusal(extra), "vertex 13, counted from 1, is in no triangle; expected every vertex in one");
  EXPECT_EQ(refusal({}), "0 vertices; expected at least 1");
  EXPECT_EQ(refusal(testing::torus(5, 6)), "the surface has genus 1; expected 0, as a sphere");
}

TEST(BuildTemplate, RefusesALevelCountThatCannotBe) {
  EXPECT_EQ(refusal(icosphere(0), 0), "0 levels; expected at least 1");
  EXPECT_EQ(refusal(icosphere(0), -3), "-3 levels; expected at least 1");
  EXPECT_EQ(refusal(icosphere(0), std::numeric_limits<int>::max()),
            "2147483647 levels have more than 2147483647 vertices; expected fewer levels");
}

}  // namespace
}  // namespace p2mpp
