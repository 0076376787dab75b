#include <gtest/gtest.h>

#include <cmath>

#include "fit/fit_forces.h"
#include "p2mpp/error.h"
#include "support/drawn_masks.h"
#include "support/messages.h"
#include "support/test_meshes.h"

namespace p2mpp {
namespace {

using testing::cameras_around;

constexpr double kRadius = 0.12;
constexpr int kSize = 224;

/// A ball that has a pattern, as a camera sees it.
FitMask patterned_ball(const Camera& camera) {
  FitMask mask = testing::ellipsoid_mask(kRadius * Eigen::Matrix3d::Identity(), camera, kSize);
  const Pinhole<double> pinhole = pinhole_of(camera, kSize);
  for (int row = 0; row < kSize; ++row) {
    for (int column = 0; column < kSize; ++column) {
      const Eigen::Vector3d way = pinhole.ray(column + 0.5, row + 0.5).normalized();
      const double along = -camera.origin.dot(way);
      const double inside = kRadius * kRadius - (camera.origin + along * way).squaredNorm();
      const Eigen::Vector3d point = camera.origin + (along - std::sqrt(std::max(inside, 0.0))) * way;
      mask.brightness.push_back(testing::pattern_at(point));
    }
  }
  return mask;
}

struct Scene {
  explicit Scene(float radius, int count)
      : mesh(testing::scaled(testing::icosphere(4), radius)), surface(mesh.vertices.size(), mesh.triangles) {
    for (const Camera& camera : cameras_around(count)) views.emplace_back(patterned_ball(camera));
    for (std::size_t i = 0; i < views.size(); ++i) targets.emplace_back(views[i], i);
    for (const FitTarget& target : targets) projections.push_back(project_to_mask(target, surface, mesh.vertices));
  }
  [[nodiscard]] std::vector<SurfaceMatch> matches(int threads = 1) const {
    return match_surface(targets, projections, surface, mesh.vertices, vertex_normals(surface, mesh.vertices), threads);
  }
  TriangleMesh mesh;
  FitSurface surface;
  std::vector<MaskView> views;
  std::vector<FitTarget> targets;
  std::vector<MaskProjection> projections;
};

TEST(SurfaceMatchingTest, APatternSaysWhereTheSurfaceIs) {
  for (const float off : {-0.005F, 0.0F, 0.005F}) {
    const auto radius = static_cast<float>(kRadius);
    const Scene scene(radius + off, 12);
    ASSERT_TRUE(can_match(scene.targets));
    const std::vector<SurfaceMatch> matches = scene.matches();
    EXPECT_GT(matches.size(), scene.mesh.vertices.size() / 5);
    int right = 0;
    for (const SurfaceMatch& match : matches) right += std::fabs(match.distance + off) < 0.0015F;
    EXPECT_GT(right, 0.9 * static_cast<double>(matches.size())) << off;
  }
}

TEST(SurfaceMatchingTest, EveryNumberOfThreadsFindsTheSame) {
  const Scene scene(0.118F, 9);
  const std::vector<SurfaceMatch> one = scene.matches(), three = scene.matches(3);
  ASSERT_EQ(one.size(), three.size());
  for (std::size_t i = 0; i < one.size(); ++i) {
    EXPECT_EQ(one[i].vertex, three[i].vertex);
    EXPECT_EQ(one[i].distance, three[i].distance);
  }
}

TEST(SurfaceMatchingTest, WhatHasNoPatternMatchesNothing) {
  Scene scene(0.118F, 9);
  for (FitTarget& target : scene.targets) {
    for (float& value : target.brightness) value = std::isnan(value) ? value : 200;
  }
  EXPECT_TRUE(scene.matches().empty());
}

TEST(SurfaceMatchingTest, FewPicturesAreNotMatched) {
  Scene scene(0.118F, 9);
  scene.targets[0].brightness.clear();
  EXPECT_TRUE(can_match(scene.targets));
  scene.targets[1].brightness.clear();
  EXPECT_FALSE(can_match(scene.targets));
}

// A dent that no silhouette shows: the fit finds it by the pattern alone.
TEST(SurfaceMatchingTest, TheFitFindsWhatNoSilhouetteShows) {
  TriangleMesh mesh = testing::icosphere(4);
  for (Eigen::Vector3f& vertex : mesh.vertices) {
    const float beside = (vertex - Eigen::Vector3f::UnitY()).norm();
    vertex *= static_cast<float>(kRadius) - 0.006F * std::exp(-beside * beside / 0.04F);
  }
  std::vector<FitMask> with, without;
  for (int i = 0; i < 10; ++i) {
    with.push_back(patterned_ball(camera_from_row({static_cast<float>(36 * i), 50, 0, 0.8F, 25})));
    without.push_back(with.back());
    without.back().brightness.clear();
  }
  const auto depth = [&](const std::vector<FitMask>& masks, const FitOptions& options = {}) {
    const Points points = fit_to_masks(mesh, masks, options).vertices;
    float deepest = 0;
    for (const Eigen::Vector3f& point : points) {
      deepest = std::max(deepest, static_cast<float>(kRadius) - point.norm());
    }
    return deepest;
  };
  EXPECT_GT(depth(without), 0.004F);
  EXPECT_LT(depth(with), 0.6F * depth(without));
  EXPECT_EQ(depth(with, {.photo_consistency = false}), depth(without));
}

TEST(SurfaceMatchingTest, BrightnessOfAnotherSizeIsRefused) {
  FitMask mask = patterned_ball(cameras_around(1)[0]);
  mask.brightness.pop_back();
  EXPECT_REFUSED(fit_to_masks(testing::icosphere(2), std::vector{mask}),
                 "mask 1: has 50175 values of brightness; expected 224x224");
}

}  // namespace
}  // namespace p2mpp
