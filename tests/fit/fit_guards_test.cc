#include "fit/fit_guards.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <numbers>

#include "fit/self_intersections.h"
#include "p2mpp/fit.h"
#include "support/drawn_masks.h"
#include "support/growth.h"
#include "support/test_meshes.h"

namespace p2mpp {
namespace {

constexpr float kBallRadius = 0.12F;

TriangleMesh ball(float radius = kBallRadius) { return testing::scaled(testing::icosphere(3), radius); }

/// Triangles around vertex 0, which is above the middle of a regular polygon.
TriangleMesh hub_with(int sides) {
  TriangleMesh mesh{{{0, 0, 1}}, {}};
  for (int i = 0; i < sides; ++i) {
    const double angle = 2 * std::numbers::pi * i / sides;
    mesh.vertices.emplace_back(static_cast<float>(std::cos(angle)), static_cast<float>(std::sin(angle)), 0);
    mesh.triangles.push_back({0, 1 + i, 1 + (i + 1) % sides});
  }
  return mesh;
}

std::vector<SurfaceMatch> matches_of(const TriangleMesh& mesh, const std::function<float(std::size_t)>& distance) {
  std::vector<SurfaceMatch> matches;
  for (std::size_t i = 0; i < mesh.vertices.size(); ++i) {
    matches.push_back({static_cast<std::int32_t>(i), distance(i)});
  }
  return matches;
}

TEST(FitGuardsTest, VerticesGoBackWhereTheSurfaceWouldIntersectItself) {
  const TriangleMesh mesh = ball();
  const FitSurface surface(mesh.vertices.size(), mesh.triangles);
  Points after = mesh.vertices;
  for (Eigen::Vector3f& vertex : after) {  // a cap is pushed through the other side
    if (vertex.y() > 0.8F * kBallRadius) vertex.y() -= 2.2F * kBallRadius;
  }
  const auto beside = static_cast<std::size_t>(
      std::ranges::find_if(after,
                           [](const Eigen::Vector3f& vertex) { return std::fabs(vertex.y()) < 0.1F * kBallRadius; }) -
      after.begin());
  after[beside] *= 1.05F;
  const Points wished = after;
  ASSERT_GT(count_intersecting(after, mesh.triangles), 0U);
  ASSERT_TRUE(keep_apart(surface, mesh.vertices, find_contacts(mesh.vertices, mesh.triangles, 1e-5F), 2, after));
  EXPECT_EQ(count_intersecting(after, mesh.triangles), 0U);
  EXPECT_EQ(after[beside], wished[beside]);
}

// The triangles between a vertex and its ring, which all share it, were no obstacle to each other.
TEST(FitGuardsTest, AVertexGoesBackWhoseOwnTrianglesWouldIntersect) {
  const TriangleMesh mesh = hub_with(8);
  const FitSurface surface(mesh.vertices.size(), mesh.triangles);
  Points after = mesh.vertices;
  after[1] = {-0.2F, 0.9F, 0.1F};  // past its second neighbour; no triangle turns by more than 90 degrees
  ASSERT_GT(count_intersecting(after, mesh.triangles), 0U);
  ASSERT_TRUE(keep_apart(surface, mesh.vertices, find_contacts(mesh.vertices, mesh.triangles, 1e-5F), 1, after));
  EXPECT_EQ(count_intersecting(after, mesh.triangles), 0U);
}

// The neighbours of the hub went back once for each of its triangles: a square of 40,000.
TEST(FitGuardsTest, AVertexOfManyTrianglesGoesBackOnce) {
  const TriangleMesh mesh = hub_with(40'000);
  const FitSurface surface(mesh.vertices.size(), mesh.triangles);
  Points after = mesh.vertices;
  after[0].z() = -1;  // all triangles turn over
  const double begin = processor_seconds();
  const Contacts were{std::vector<Contact>(mesh.triangles.size(), Contact::kIntersecting)};
  ASSERT_TRUE(keep_apart(surface, mesh.vertices, were, 1, after));
  EXPECT_EQ(after, mesh.vertices);
  EXPECT_LT(processor_seconds() - begin, 20);
}

TEST(FitGuardsTest, MatchesOfHighlightsDoNotAgree) {
  const TriangleMesh mesh = ball();
  const FitSurface surface(mesh.vertices.size(), mesh.triangles);
  EXPECT_TRUE(do_agree(surface, mesh.vertices, matches_of(mesh, [](std::size_t) { return -0.01F; })));
  EXPECT_FALSE(do_agree(surface, mesh.vertices,
                        matches_of(mesh, [](std::size_t i) { return 0.05F * std::sin(static_cast<float>(i * i)); })));
}

TEST(FitGuardsTest, NeighboursOfAFineMeshThatSeeTheSamePixelsProveNothing) {
  const TriangleMesh mesh = testing::icosphere(6);
  const FitSurface surface(mesh.vertices.size(), mesh.triangles);
  const auto of_spot = [&](std::size_t i) {  // two edges wide
    const Eigen::Vector3i spot = (mesh.vertices[i] / 0.035F).array().floor().cast<int>();
    return 0.2F * std::sin(static_cast<float>(spot.dot(Eigen::Vector3i(71, 1931, 411))));
  };
  EXPECT_FALSE(do_agree(surface, mesh.vertices, matches_of(mesh, of_spot)));
  EXPECT_TRUE(do_agree(surface, mesh.vertices, matches_of(mesh, [](std::size_t) { return 0.2F; })));
}

TEST(FitGuardsTest, NoiseIsRough) {
  TriangleMesh mesh = ball();
  const FitSurface surface(mesh.vertices.size(), mesh.triangles);
  const double smooth = roughness(surface, mesh.vertices);
  for (std::size_t i = 0; i < mesh.vertices.size(); i += 3) mesh.vertices[i] *= 1.03F;
  EXPECT_GT(roughness(surface, mesh.vertices), 2 * smooth);
}

TEST(FitGuardsTest, AMinorityOfMasksMovesNoVertex) {
  const TriangleMesh mesh = ball();
  std::vector<FitTarget> targets;
  const std::vector<FitMask> masks = testing::ellipsoid_masks(kBallRadius * Eigen::Matrix3d::Identity(), 6, 48);
  const std::vector<MaskView> views(masks.begin(), masks.end());
  for (std::size_t i = 0; i < views.size(); ++i) targets.emplace_back(views[i], i);
  const Eigen::Vector3f outward = mesh.vertices.front().normalized();
  const auto left = [&](const std::vector<FitForce>& forces, int allowance) {
    std::vector<std::vector<FitForce>> found(targets.size());
    for (std::size_t i = 0; i < forces.size(); ++i) found[i] = {forces[i]};
    drop_minorities(targets, mesh.vertices, allowance, 2, found);
    std::size_t count = 0;
    for (const std::vector<FitForce>& of_mask : found) count += of_mask.size();
    return count;
  };
  const FitForce inward{0, 1, -outward, 0.02F, true}, away{0, 1, outward, 0.1F, false}, slight{0, 1, outward, 0, false};
  EXPECT_EQ(left({inward}, 0), 1U);
  EXPECT_EQ(left({inward}, 1), 0U);
  EXPECT_EQ(left({inward, inward}, 1), 2U);
  EXPECT_EQ(left({away}, 1), 0U);  // most masks show that place outside
  EXPECT_EQ(left({slight}, 1), 1U);
}

TEST(FitGuardsTest, AMeshThatIsTooLargeStillFollowsMasksThatContradictEachOther) {
  const std::vector<FitMask> masks = testing::box_masks({0.10, 0.10, 0.10}, 10, 56);
  const FitResult result =
      fit_to_masks(ball(0.15F), masks, {.new_intersections = 0, .guarded = true, .allowance = 1, .threads = 2});
  EXPECT_GT(result.iou_after, result.iou_before + 0.1);
  EXPECT_EQ(result.intersecting_after, 0U);
}

}  // namespace
}  // namespace p2mpp
