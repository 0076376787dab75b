#include "surface/reconstruct_surface.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "fit/mesh_silhouette.h"
#include "fit/self_intersections.h"
#include "geometry/edge_uses.h"
#include "p2mpp/error.h"
#include "p2mpp/fit.h"
#include "p2mpp/sample.h"
#include "support/box_meshes.h"
#include "support/drawn_masks.h"
#include "support/messages.h"
#include "support/test_meshes.h"

namespace p2mpp {
namespace {

using testing::add_box;
using testing::box_masks;
using testing::cameras_around;
using testing::ellipsoid_mask;
using testing::masks_of;
using testing::table;

constexpr SurfaceOptions kSmall{.resolution = 48, .target_vertices = 1000, .fit_steps = 6, .threads = 2};

constexpr SurfaceOptions kHullAlone{.target_vertices = 1500, .fit_steps = 0, .photo_consistency = false, .threads = 2};

double overlap(const TriangleMesh& mesh, const FitMask& mask) {
  MeshSilhouette silhouette(mask.width, 2);
  silhouette.draw(project_vertices(mesh.vertices, pinhole_of(mask.camera, mask.width).cast<float>()), mesh.triangles);
  return silhouette.overlap(mask.coverage);
}

std::string refusal(const std::vector<FitMask>& masks, const SurfaceOptions& options = kSmall) {
  return message_of<InputError>([&] { static_cast<void>(reconstruct_surface(masks, {}, options)); });
}

void expect_clean(const SurfaceResult& result) {
  EXPECT_TRUE(is_closed(result.mesh.triangles));
  EXPECT_EQ(count_intersecting(result.mesh.vertices, result.mesh.triangles), 0U);
}

/// As a photograph whose border cuts the object: nothing is known beyond a row or a column.
void cut(int side, FitMask& mask) {
  mask.unknown.assign(mask.coverage.size(), 0);
  for (int row = 0; row < mask.height; ++row) {
    for (int column = 0; column < mask.width; ++column) {
      const int along = side < 2 ? column : row, from_border = side % 2 == 0 ? along : mask.width - 1 - along;
      if (from_border > 4 * mask.width / 10) continue;
      const auto pixel = static_cast<std::size_t>(row * mask.width + column);
      mask.unknown[pixel] = 1;
      mask.coverage[pixel] = 0;
    }
  }
}

TEST(ReconstructSurfaceTest, WhatIsUnknownHasNoVote) {
  const std::vector<FitMask> whole = masks_of(table(), 16);
  std::vector<FitMask> masks = whole;
  for (std::size_t i = 0; i < masks.size(); i += 2) cut(static_cast<int>(i / 2 % 4), masks[i]);
  const SurfaceResult expected = reconstruct_surface(whole, {}, kSmall),
                      result = reconstruct_surface(masks, {}, kSmall);
  expect_clean(result);
  EXPECT_EQ(result.allowance, 0);
  EXPECT_GT(result.iou, expected.iou - 0.01);
  for (const FitMask& mask : whole) EXPECT_GT(overlap(result.mesh, mask), overlap(expected.mesh, mask) - 0.04);
}

TEST(ReconstructSurfaceTest, ABoxFromItsMasksAlone) {
  const std::vector<FitMask> masks = box_masks({0.14, 0.10, 0.12}, 12);
  const SurfaceResult result = reconstruct_surface(masks, {}, kSmall);
  expect_clean(result);
  EXPECT_EQ(euler_characteristic(result.mesh), 2);
  EXPECT_EQ(result.used, 12U);
  EXPECT_EQ(result.allowance, 0);
  EXPECT_EQ(result.note, "");
  EXPECT_NEAR(static_cast<double>(result.mesh.vertices.size()), 1000, 100);
  EXPECT_GT(result.iou, 0.98);
  for (const FitMask& mask : masks) EXPECT_GT(overlap(result.mesh, mask), 0.97);
}

std::vector<FitMask> ball_masks(double radius, int views, int size) {
  return testing::ellipsoid_masks(radius * Eigen::Matrix3d::Identity(), views, size);
}

// A pixel is 0.0065 here; a mask of whole pixels would be off by half of one.
TEST(ReconstructSurfaceTest, SoftMasksGiveFractionsOfAPixel) {
  const double radius = 0.15;
  const TriangleMesh hull = reconstruct_surface(ball_masks(radius, 24, 112), {}, kHullAlone).mesh;
  double inside = 0, sum = 0;
  for (const Eigen::Vector3f& vertex : hull.vertices) {
    inside = std::max(inside, radius - static_cast<double>(vertex.norm()));
    sum += std::fabs(static_cast<double>(vertex.norm()) - radius);
  }
  EXPECT_LT(inside, 0.0016);  // nowhere inside the ball, which is in every hull
  EXPECT_LT(sum / static_cast<double>(hull.vertices.size()), 0.0016);
}

// Evening out gives about as many vertices as asked for, and a network takes no fewer.
TEST(ReconstructSurfaceTest, TheLeastNumberOfVerticesIsKept) {
  SurfaceOptions options = kHullAlone;
  options.target_vertices = kMinInitialVertices;
  for (const double radius : {0.12, 0.15, 0.2}) {
    const std::size_t count = reconstruct_surface(ball_masks(radius, 6, 56), {}, options).mesh.vertices.size();
    EXPECT_GE(count, kMinInitialVertices) << radius;
    EXPECT_LE(count, kMinInitialVertices * 6 / 5) << radius;
  }
}

// Rungs of three pixels of the masks.
TEST(ReconstructSurfaceTest, TheHolesOfALadderSurvive) {
  TriangleMesh ladder;
  for (const float x : {-0.1F, 0.08F}) add_box({x, -0.2F, -0.012F}, {x + 0.02F, 0.2F, 0.012F}, ladder);
  for (const float y : {-0.15F, -0.05F, 0.05F, 0.15F}) {
    add_box({-0.09F, y - 0.01F, -0.01F}, {0.09F, y + 0.01F, 0.01F}, ladder);
  }
  const SurfaceResult result = reconstruct_surface(masks_of(ladder, 16), {}, kHullAlone);
  expect_clean(result);
  EXPECT_EQ(euler_characteristic(result.mesh), 2 - 2 * 3);
}

// Its distances jump where the mask leaves the picture.
TEST(ReconstructSurfaceTest, AMaskThatThePicturesBorderCutsLeavesItClosed) {
  for (const double half : {0.3, 0.38}) {  // the picture shows 0.36 on each side of the middle
    const SurfaceResult result = reconstruct_surface(box_masks({half, 0.1, 0.15}, 8), {}, kHullAlone);
    expect_clean(result);
    EXPECT_GT(signed_volume(result.mesh), 8 * half * 0.1 * 0.15 * 0.8) << half;
  }
}

// The network's mesh is a box around the table: thin legs come from the masks.
TEST(ReconstructSurfaceTest, ThinLegsThatTheNetworkDoesNotKnow) {
  const TriangleMesh truth = table();
  const std::vector<FitMask> masks = masks_of(truth, 16);
  TriangleMesh network;
  add_box({-0.15F, 0.07F, -0.12F}, {0.15F, 0.11F, 0.12F}, network);
  const SurfaceResult result = reconstruct_surface(masks, {.network = &network}, kSmall);
  expect_clean(result);
  EXPECT_EQ(result.parts, 1U);
  EXPECT_EQ(euler_characteristic(result.mesh), 2);
  for (const FitMask& mask : masks) EXPECT_GT(overlap(result.mesh, mask), 0.9);
}

// No silhouette shows the hollow; the network's mesh does.
TEST(ReconstructSurfaceTest, AHollowThatOnlyTheNetworkKnows) {
  const std::vector<FitMask> masks = box_masks({0.12, 0.12, 0.12}, 12);
  TriangleMesh network;
  add_box({-0.12F, -0.12F, -0.12F}, {0.12F, -0.06F, 0.12F}, network);
  add_box({-0.12F, -0.12F, -0.12F}, {-0.06F, 0.12F, 0.12F}, network);
  add_box({0.06F, -0.12F, -0.12F}, {0.12F, 0.12F, 0.12F}, network);
  add_box({-0.12F, -0.12F, -0.12F}, {0.12F, 0.12F, -0.06F}, network);
  add_box({-0.12F, -0.12F, 0.06F}, {0.12F, 0.12F, 0.12F}, network);
  const SurfaceResult hollow = reconstruct_surface(masks, {.network = &network}, kSmall);
  expect_clean(hollow);
  const double expected = 0.24 * 0.24 * 0.24 - 0.12 * 0.18 * 0.12;
  EXPECT_NEAR(signed_volume(hollow.mesh), expected, 0.1 * expected);
}

// A mesh that was fitted to all masks follows the wrong one, too.
TEST(ReconstructSurfaceTest, AFittedMeshIsTrustedUnlessMasksContradictEachOther) {
  std::vector<FitMask> masks = box_masks({0.12, 0.12, 0.12}, 24);
  TriangleMesh network, fitted;
  add_box({-0.12F, -0.12F, -0.12F}, {0.12F, 0.12F, 0.12F}, network);
  add_box({-0.12F, -0.12F, -0.12F}, {0.12F, 0.04F, 0.12F}, fitted);
  const ExpectedSurface meshes{.network = &network, .fitted = &fitted};
  const double both = signed_volume(reconstruct_surface(masks, meshes, kSmall).mesh);
  for (int row = 20; row < 60; ++row) {
    for (int column = 20; column < 50; ++column) {
      masks[3].coverage[static_cast<std::size_t>(row * masks[3].width + column)] = 0;
    }
  }
  const SurfaceResult result = reconstruct_surface(masks, meshes, kSmall);
  EXPECT_EQ(result.allowance, 1);
  EXPECT_GT(signed_volume(result.mesh), both * 1.05);
  EXPECT_NEAR(signed_volume(result.mesh), 0.24 * 0.24 * 0.24, 0.1 * 0.24 * 0.24 * 0.24);
}

TEST(ReconstructSurfaceTest, ThreadsChangeNothing) {
  const std::vector<FitMask> masks = masks_of(table(), 8);
  const TriangleMesh network = table();
  SurfaceOptions options{.resolution = 48, .target_vertices = 800, .fit_steps = 2, .threads = 1};
  const SurfaceResult one = reconstruct_surface(masks, {.network = &network}, options);
  options.threads = 3;
  const SurfaceResult three = reconstruct_surface(masks, {.network = &network}, options);
  EXPECT_EQ(one.mesh.vertices, three.mesh.vertices);
  EXPECT_EQ(one.mesh.triangles, three.mesh.triangles);
}

TEST(ReconstructSurfaceTest, WhatCannotBeReconstructedIsRefused) {
  std::vector<FitMask> masks = box_masks({0.14, 0.10, 0.12}, 3);
  EXPECT_EQ(refusal(masks, {.resolution = 5}), "5 voxels along the object; expected 32 to 512, or 0");
  masks[1].coverage.assign(masks[1].coverage.size(), 0);
  EXPECT_EQ(reconstruct_surface(masks, {}, kSmall).note, "1 of 3 masks are not used: mask 2: the mask is empty");
  masks[2].coverage.assign(masks[2].coverage.size(), 0);
  EXPECT_EQ(refusal(masks),
            "1 of 3 masks show the object; expected at least 2 for its surface; mask 2: the mask is empty");
  EXPECT_EQ(refusal({}), "0 of 0 masks show the object; expected at least 2 for its surface");
  EXPECT_EQ(refusal({masks[0], masks[0]}), "the cameras look along one line; expected photographs from several sides");
  masks[1].coverage.pop_back();
  EXPECT_EQ(refusal(masks), "mask 2: has 12543 values; expected 112x112");
}

// Every input that passes the checks gives a clean mesh of finite vertices, or a line.
TEST(ReconstructSurfaceTest, NoiseEndsInAMeshOrALine) {
  std::mt19937_64 generator(5);
  int meshes = 0, lines = 0;
  for (int round = 0; round < 24; ++round) {
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
      const int resolution = round % 5 == 1 ? 0 : 48;  // automatic, which takes longer, for some
      const SurfaceResult result =
          reconstruct_surface(masks, {}, {.resolution = resolution, .target_vertices = 300, .fit_steps = 2});
      expect_clean(result);
      EXPECT_TRUE(std::ranges::all_of(result.mesh.vertices, [](const auto& vertex) { return vertex.allFinite(); }));
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
