#include "capture/hull/hull_mesh.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <string>

#include "capture/drawn_capture.h"
#include "capture/silhouette.h"
#include "geometry/corner_table.h"
#include "p2mpp/error.h"
#include "support/drawn_masks.h"

namespace p2mpp {
namespace {

using testing::box_masks;
using testing::cameras_around;
using testing::ellipsoid_mask;

std::vector<FitMask> drawn_masks(DrawnShape shape, int views, double elevation_deg, double elevation_range_deg) {
  DrawnOptions options;
  options.views = views;
  options.elevation_deg = elevation_deg;
  options.elevation_range_deg = elevation_range_deg;
  options.width = 240;
  options.height = 180;
  options.any_similarity = false;
  const DrawnCapture drawn = draw_capture(std::move(shape), options, 3);
  const std::vector<Silhouette> silhouettes = silhouettes_of(drawn);
  std::vector<FitMask> masks;
  for (std::size_t i = 0; i < silhouettes.size(); ++i) {
    const Photograph& photograph = drawn.capture.photographs[i];
    masks.push_back(make_fit_mask(silhouettes[i], photograph.cam_from_source, photograph.name));
  }
  return masks;
}

double overlap(const TriangleMesh& mesh, const FitMask& mask) {
  MeshSilhouette silhouette(mask.width, 2);
  silhouette.draw(project_vertices(mesh.vertices, scaled_to(mask.camera, mask.width)), mesh.triangles);
  return silhouette.overlap(mask.coverage);
}

std::string refusal(const std::vector<FitMask>& masks, const HullMeshOptions& options = {}) {
  try {
    static_cast<void>(hull_mesh(masks, options));
  } catch (const InputError& error) {
    return error.what();
  }
  return "no error";
}

TEST(HullMeshTest, ABoxIsFoundWithTheWantedVertices) {
  const Eigen::Vector3d half(0.14, 0.10, 0.12);
  const std::vector<FitMask> masks = box_masks(half, 8);
  for (const std::size_t wanted : {500U, 2500U}) {
    const HullMesh hull = hull_mesh(masks, {.target_vertices = wanted});
    EXPECT_TRUE(check_mesh(hull.mesh).ok()) << check_mesh(hull.mesh).detail;
    EXPECT_EQ(euler_characteristic(hull.mesh), 2);
    EXPECT_EQ(hull.masks, 8U);
    EXPECT_EQ(hull.note, "");
    EXPECT_NEAR(static_cast<double>(hull.mesh.vertices.size()) / static_cast<double>(wanted), 1, 0.06);
    EXPECT_GT(signed_volume(hull.mesh), 8 * half.prod() * 0.97);
    EXPECT_LT(signed_volume(hull.mesh), 8 * half.prod() * 1.2);
    for (const FitMask& mask : masks) EXPECT_GT(overlap(hull.mesh, mask), wanted == 500 ? 0.95 : 0.97);
  }
}

// A pixel is 0.0065 here; a mask of whole pixels would be off by half of one.
TEST(HullMeshTest, SoftMasksGiveFractionsOfAPixel) {
  const double radius = 0.15;
  std::vector<FitMask> masks;
  for (const Camera& camera : cameras_around(24)) {
    masks.push_back(ellipsoid_mask(radius * Eigen::Matrix3d::Identity(), camera, 112));
  }
  const HullMesh hull = hull_mesh(masks);
  double inside = 0, sum = 0;
  for (const Eigen::Vector3f& vertex : hull.mesh.vertices) {
    inside = std::max(inside, radius - static_cast<double>(vertex.norm()));
    sum += std::fabs(static_cast<double>(vertex.norm()) - radius);
  }
  EXPECT_LT(inside, 0.0016);  // nowhere inside the ball, which is in every hull
  EXPECT_LT(sum / static_cast<double>(hull.mesh.vertices.size()), 0.0016);
}

// Evening out gives about as many vertices as asked for, and a network takes no fewer.
TEST(HullMeshTest, TheLeastNumberOfVerticesIsKept) {
  for (const double radius : {0.12, 0.15, 0.2}) {
    std::vector<FitMask> masks;
    for (const Camera& camera : cameras_around(6)) {
      masks.push_back(ellipsoid_mask(radius * Eigen::Matrix3d::Identity(), camera, 56));
    }
    const std::size_t count = hull_mesh(masks, {.target_vertices = kMinInitialVertices}).mesh.vertices.size();
    EXPECT_GE(count, kMinInitialVertices) << radius;
    EXPECT_LE(count, kMinInitialVertices * 6 / 5) << radius;
  }
}

TEST(HullMeshTest, HolesAndThinPartsSurvive) {
  EXPECT_EQ(euler_characteristic(hull_mesh(drawn_masks(drawn_torus(), 12, 50, 20)).mesh), 0);
  // A ladder: four rungs, 0.03 thick beside posts of 1, five pixels of the photographs.
  const DrawnShape ladder{"ladder",
                          [](const Eigen::Vector3d& p) {
                            double d = 1e9;
                            for (const double x : {-0.4, 0.4}) {
                              d = std::min(d, box_distance(p, {x, 0, 0}, {0.05, 1, 0.05}));
                            }
                            for (const double y : {-0.75, -0.25, 0.25, 0.75}) {
                              d = std::min(d, box_distance(p, {0, y, 0}, {0.4, 0.03, 0.03}));
                            }
                            return d;
                          },
                          {0.45, 1, 0.05}};
  const HullMesh hull = hull_mesh(drawn_masks(ladder, 16, 20, 60));
  EXPECT_TRUE(check_mesh(hull.mesh).ok()) << check_mesh(hull.mesh).detail;
  EXPECT_EQ(euler_characteristic(hull.mesh), 2 - 2 * 3);
}

// Its distances jump where the mask leaves the picture.
TEST(HullMeshTest, AMaskThatThePicturesBorderCutsLeavesItClosed) {
  for (const double half : {0.3, 0.34, 0.38}) {  // the picture shows 0.36 on each side of the middle
    const HullMesh hull = hull_mesh(box_masks({half, 0.1, 0.15}, 8), {.target_vertices = 800});
    EXPECT_NO_THROW(CornerTable{hull.mesh});
    EXPECT_GT(signed_volume(hull.mesh), 8 * half * 0.1 * 0.15 * 0.8) << half;
  }
}

TEST(HullMeshTest, ThreadsChangeNothing) {
  const std::vector<FitMask> masks = box_masks({0.14, 0.10, 0.12}, 5);
  const HullMesh one = hull_mesh(masks, {.threads = 1}), three = hull_mesh(masks, {.threads = 3});
  EXPECT_EQ(one.mesh.triangles, three.mesh.triangles);
  EXPECT_EQ(one.mesh.vertices, three.mesh.vertices);
}

TEST(HullMeshTest, MasksThatShowNothingOrContradictAreLeftOut) {
  const std::vector<FitMask> good = box_masks({0.14, 0.10, 0.12}, 8);
  const double volume = signed_volume(hull_mesh(good).mesh);
  const auto spoilt = [&](const auto& spoil) {
    std::vector<FitMask> masks = good;
    masks[2].name = "two";
    spoil(masks[2].coverage);
    const HullMesh hull = hull_mesh(masks);
    EXPECT_EQ(hull.masks, 7U);
    EXPECT_NEAR(signed_volume(hull.mesh) / volume, 1, 0.12);
    return hull.note;
  };
  EXPECT_EQ(spoilt([](auto& coverage) { std::ranges::fill(coverage, std::uint8_t{0}); }),
            "1 of 8 masks are not used: two: the mask is empty");
  EXPECT_EQ(spoilt([](auto& coverage) { std::ranges::fill(coverage, std::uint8_t{255}); }),
            "1 of 8 masks are not used: two: the mask is full");
  const auto one_pixel = [](auto& coverage) {
    std::ranges::fill(coverage, std::uint8_t{0});
    coverage[5000] = 255;
  };
  EXPECT_EQ(spoilt(one_pixel), "1 of 8 masks are not used: two: the mask has 1 pixels of the object");
  const auto elsewhere = [](auto& coverage) {
    std::ranges::fill(coverage, std::uint8_t{0});
    for (std::size_t row = 10; row < 30; ++row)
      std::fill_n(coverage.begin() + static_cast<long>(112 * row + 5), 20, 255);
  };
  EXPECT_EQ(spoilt(elsewhere), "1 of 8 masks are not used: two: contradicts the others");
}

TEST(HullMeshTest, WhatHasNoHullIsALine) {
  const std::vector<FitMask> good = box_masks({0.14, 0.10, 0.12}, 4);
  EXPECT_EQ(refusal({}), "0 of 0 masks show the object; expected at least 2 for its hull");
  EXPECT_EQ(refusal({good[0]}), "1 of 1 masks show the object; expected at least 2 for its hull");
  std::vector<FitMask> masks = good;
  for (std::size_t i = 1; i < 4; ++i) std::ranges::fill(masks[i].coverage, std::uint8_t{0});
  EXPECT_EQ(refusal(masks),
            "1 of 4 masks show the object; expected at least 2 for its hull; mask 2: the mask is empty");
  EXPECT_EQ(refusal({good[0], good[0]}), "the cameras look along one line; expected photographs from several sides");
  masks = {good[0], good[1]};
  std::ranges::reverse(masks[0].coverage);
  for (FitMask& mask : masks) {
    std::ranges::fill(mask.coverage, std::uint8_t{0});
    const std::size_t first = &mask == &masks[0] ? 5 : 100;
    for (std::size_t row = first; row < first + 8; ++row)
      std::fill_n(mask.coverage.begin() + static_cast<long>(112 * row + 5), 8, 255);
  }
  EXPECT_NE(refusal(masks).find("the silhouettes have no point in common"), std::string::npos) << refusal(masks);
  masks = good;
  masks[1].camera.intrinsics.cx = 100;
  EXPECT_NE(refusal(masks).find("mask 2: fx 248, fy 248, cx 100, cy 112; the hull expects"), std::string::npos);
  masks[1].coverage.pop_back();
  EXPECT_EQ(refusal(masks), "mask 2: has 12543 values; expected 112x112");
  EXPECT_EQ(refusal(good, {.target_vertices = 99}), "99 vertices of the hull; expected 100 to 200000");
}

// Every input that passes the checks gives a closed mesh of finite vertices, or a line.
TEST(HullMeshTest, NoiseEndsInAMeshOrALine) {
  std::mt19937_64 generator(5);
  int meshes = 0, lines = 0;
  for (int round = 0; round < 30; ++round) {
    std::vector<FitMask> masks;
    for (const Camera& camera : cameras_around(2 + round % 4)) {
      const int size = 8 + static_cast<int>(generator() % 40);
      FitMask mask = round % 2 == 0 ? ellipsoid_mask(0.1 * Eigen::Matrix3d::Identity(), camera, size)
                                    : FitMask{{size, size, {}}, camera};
      mask.coverage.resize(static_cast<std::size_t>(size) * static_cast<std::size_t>(size));
      for (std::uint8_t& value : mask.coverage) {
        if (round % 2 == 1 || generator() % 50 == 0) value = static_cast<std::uint8_t>(generator());
      }
      if (round % 3 == 0) {
        mask.camera.intrinsics.fx *= static_cast<double>(generator() % 100 + 1);
        mask.camera.intrinsics.fy = mask.camera.intrinsics.fx;
      }
      if (round % 5 == 0) mask.camera.origin *= 0.2 + static_cast<double>(generator() % 100);
      masks.push_back(std::move(mask));
    }
    try {
      const HullMesh hull = hull_mesh(masks, {.target_vertices = 300});
      EXPECT_NO_THROW(CornerTable{hull.mesh});
      EXPECT_TRUE(std::ranges::all_of(hull.mesh.vertices, [](const auto& vertex) { return vertex.allFinite(); }));
      ++meshes;
    } catch (const InputError& error) {
      const std::string line = error.what();  // the input's fault, not that of a mesh that is not closed or manifold
      EXPECT_TRUE(line.find("an edge") == line.npos && line.find("two surfaces") == line.npos) << line;
      ++lines;
    }
  }
  EXPECT_GT(meshes, 5);
  EXPECT_GT(lines, 0);
}

}  // namespace
}  // namespace p2mpp
