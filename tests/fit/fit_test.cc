#include "p2mpp/fit.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <limits>
#include <random>

#include "p2mpp/error.h"
#include "support/drawn_masks.h"
#include "support/messages.h"
#include "support/test_meshes.h"

namespace p2mpp {
namespace {

using testing::box_masks;
using testing::cameras_around;
using testing::ellipsoid_masks;

TriangleMesh sphere(float radius, int subdivisions = 3) {
  return testing::scaled(testing::icosphere(subdivisions), radius);
}

bool same_bytes(const Points& a, const Points& b) {
  return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size() * sizeof(a.front())) == 0;
}

bool all_finite(const Points& points) {
  return std::ranges::all_of(points, [](const Eigen::Vector3f& point) { return point.allFinite(); });
}

TEST(FitTest, SphereTakesTheShapeOfABoxFromItsMasks) {
  const Eigen::Vector3d half(0.14, 0.10, 0.12);
  const FitResult result = fit_to_masks(sphere(0.12F), box_masks(half, 8));
  EXPECT_LT(result.iou_before, 0.9);
  EXPECT_GT(result.iou_after, 0.96);
  // The hull of these views is a little more than the box; the sphere's vertices are 0.023 off on average.
  double off = 0;
  for (const Eigen::Vector3f& vertex : result.vertices) {
    const Eigen::Vector3d beyond = vertex.cast<double>().cwiseAbs() - half;
    off += std::fabs(beyond.maxCoeff()) / static_cast<double>(result.vertices.size());
  }
  EXPECT_LT(off, 0.008);
}

/// A body with a thin wall through it.
std::vector<FitMask> finned_masks(const Eigen::Vector3d& half_wall, int views) {
  std::vector<FitMask> masks = box_masks({0.14, 0.05, 0.05}, views);
  const std::vector<FitMask> wall = box_masks(half_wall, views);
  for (std::size_t i = 0; i < masks.size(); ++i) {
    std::ranges::transform(masks[i].coverage, wall[i].coverage, masks[i].coverage.begin(),
                           [](std::uint8_t body, std::uint8_t thin) { return std::max(body, thin); });
  }
  return masks;
}

TEST(FitTest, ThinPartsArePulledOutByFewMasks) {  // as stiff as at the beginning, 0.918 and 0.916
  EXPECT_GT(fit_to_masks(sphere(0.08F), finned_masks({0.008, 0.1, 0.03}, 2)).iou_after, 0.921);
  EXPECT_GT(fit_to_masks(sphere(0.08F), finned_masks({0.015, 0.18, 0.03}, 4)).iou_after, 0.917);
}

TEST(FitTest, RandomEllipsoidsAreFoundFromAnyNumberOfMasksOfAnySize) {
  std::mt19937_64 generator(19);
  std::uniform_real_distribution<double> axis(0.09, 0.17), angle(0, 3);
  for (const auto& [views, size] : {std::pair(1, 224), std::pair(2, 160), std::pair(5, 96), std::pair(9, 448)}) {
    const Eigen::Matrix3d axes = Eigen::AngleAxisd(angle(generator), Eigen::Vector3d(1, 2, -1).normalized()) *
                                 Eigen::Vector3d(axis(generator), axis(generator), axis(generator)).asDiagonal();
    const FitResult result = fit_to_masks(sphere(0.13F), ellipsoid_masks(axes, views, size));
    ASSERT_TRUE(all_finite(result.vertices));
    EXPECT_GE(result.iou_after, result.iou_before);
    EXPECT_GT(result.iou_after, 0.965) << views << " masks of " << size;
    if (views < 9) continue;
    double error = 0;
    for (const Eigen::Vector3f& vertex : result.vertices) {
      error +=
          std::fabs((axes.inverse() * vertex.cast<double>()).norm() - 1) / static_cast<double>(result.vertices.size());
    }
    EXPECT_LT(error, 0.02);
  }
}

// As stiff as a small mesh, edge by edge, a large one did not move at all.
TEST(FitTest, AMeshConvergesAtEverySize) {
  const std::vector<FitMask> masks = ellipsoid_masks(Eigen::Vector3d(0.25, 0.14, 0.16).asDiagonal(), 3, 112);
  for (const int subdivisions : {3, 6}) {  // 642 and 40,962 vertices
    const TriangleMesh mesh = sphere(0.18F, subdivisions);
    const FitResult result = fit_to_masks(mesh, masks, {.steps = 8});
    EXPECT_LT(result.iou_before, 0.8) << subdivisions;
    EXPECT_GT(result.iou_after, 0.93) << subdivisions;
  }
}

TEST(FitTest, TheUnitOfTheWorldDoesNotMatter) {
  std::vector<FitMask> masks = box_masks({0.13, 0.10, 0.12}, 4);
  const double iou = fit_to_masks(sphere(0.12F), masks).iou_after;
  for (FitMask& mask : masks) mask.camera.origin *= 1024;
  EXPECT_NEAR(fit_to_masks(sphere(1024 * 0.12F), masks).iou_after, iou, 1e-4);
}

TEST(FitTest, EveryNumberOfThreadsGivesTheSameBytes) {
  const TriangleMesh mesh = sphere(0.12F);
  const std::vector<FitMask> masks = box_masks({0.14, 0.10, 0.12}, 6);
  const MaskFitter fitter(mesh.vertices.size(), mesh.triangles);
  const FitResult one = fitter.fit(mesh.vertices, masks);
  for (const int threads : {2, 3, 8}) {
    const FitResult many = fitter.fit(mesh.vertices, masks, {.threads = threads});
    EXPECT_TRUE(same_bytes(one.vertices, many.vertices));
    EXPECT_EQ(one.iou_after, many.iou_after);
  }
  EXPECT_FALSE(same_bytes(one.vertices, mesh.vertices));
}

TEST(FitTest, ZeroStepsMoveNothing) {
  const TriangleMesh mesh = sphere(0.12F);
  const FitResult result = fit_to_masks(mesh, box_masks({0.14, 0.10, 0.12}, 3), {.steps = 0});
  EXPECT_TRUE(same_bytes(result.vertices, mesh.vertices));
  EXPECT_EQ(result.steps, 0);
  EXPECT_EQ(result.iou_after, result.iou_before);
}

TEST(FitTest, MasksThatShowNothingAreNamedAndNotUsed) {
  const TriangleMesh mesh = sphere(0.12F);
  std::vector<FitMask> masks = box_masks({0.14, 0.10, 0.12}, 6);
  std::ranges::fill(masks[1].coverage, std::uint8_t{0});
  std::ranges::fill(masks[3].coverage, std::uint8_t{255});
  std::ranges::fill(masks[4].coverage, std::uint8_t{0});
  masks[4].coverage[5000] = 255;
  masks[5].camera.origin = Eigen::Vector3d::Zero();
  masks[1].name = "b.png";
  const FitResult result = fit_to_masks(mesh, masks);
  EXPECT_EQ(result.views[1].problem, "the mask is empty");
  EXPECT_EQ(result.views[3].problem, "the mask is full");
  EXPECT_EQ(result.views[4].problem, "the mask has 1 pixels of the object");
  EXPECT_EQ(result.views[5].problem, "a part of the mesh is behind the camera");
  EXPECT_EQ(result.note, "4 of 6 masks are not used: b.png: the mask is empty");
  EXPECT_EQ(result.views[1].weight, 0);
  EXPECT_TRUE(all_finite(result.vertices));
  // As if they had not been given.
  EXPECT_TRUE(same_bytes(result.vertices, fit_to_masks(mesh, std::vector{masks[0], masks[2]}).vertices));
}

TEST(FitTest, WithoutAMaskThatCanBeUsedTheMeshStays) {
  const TriangleMesh mesh = sphere(0.12F);
  std::vector<FitMask> masks = box_masks({0.14, 0.10, 0.12}, 1);
  std::ranges::fill(masks[0].coverage, std::uint8_t{0});
  const FitResult result = fit_to_masks(mesh, masks);
  EXPECT_TRUE(same_bytes(result.vertices, mesh.vertices));
  EXPECT_EQ(result.note, "no mask can be used: the mesh stays as it is; mask 1: the mask is empty");
  EXPECT_EQ(fit_to_masks(mesh, {}).note, "no mask: the mesh stays as it is");
}

TEST(FitTest, AHopelessStartIsSaid) {
  TriangleMesh mesh = sphere(0.05F);
  for (Eigen::Vector3f& vertex : mesh.vertices) vertex.x() += 0.1F;
  const FitResult result = fit_to_masks(mesh, box_masks({0.14, 0.14, 0.14}, 3));
  EXPECT_LT(result.iou_before, kHopelessIou);
  EXPECT_NE(result.note.find("cannot be trusted"), std::string::npos) << result.note;
}

TEST(FitTest, AMaskThatContradictsTheOthersCountsLess) {
  const Eigen::Vector3d half(0.13, 0.11, 0.12);
  std::vector<FitMask> masks = box_masks(half, 8);
  masks[2] = testing::box_mask({0.05, 0.20, 0.05}, masks[2].camera, 112);
  const FitResult result = fit_to_masks(sphere(0.15F), masks);
  EXPECT_LT(result.views[2].weight, 0.3);
  EXPECT_GT(result.views[0].weight, 0.9);
  EXPECT_GT(result.views[0].iou_after, 0.93);
  EXPECT_TRUE(all_finite(result.vertices));
}

TEST(FitTest, MasksThatHaveGrownAreCorrectedIfTheMeshsSizeIsTrusted) {
  const Eigen::Matrix3d axes = Eigen::Vector3d(0.14, 0.12, 0.13).asDiagonal();
  const TriangleMesh mesh = testing::scaled(testing::icosphere(4), 0.997F * axes.diagonal().cast<float>());
  const std::vector<FitMask> exact = ellipsoid_masks(axes, 4, 224),
                             grown = ellipsoid_masks(axes * 1.1, 4, 224);  // by about 4 pixels
  const MaskFitter fitter(mesh.vertices.size(), mesh.triangles);
  const FitOptions trusting{.correct_masks = true};
  EXPECT_LT(std::fabs(fitter.fit(mesh.vertices, exact, trusting).mask_correction), 0.7);
  EXPECT_EQ(fitter.fit(mesh.vertices, grown).mask_correction, 0);
  const FitResult corrected = fitter.fit(mesh.vertices, grown, trusting);
  EXPECT_GT(corrected.mask_correction, 1.5);
  const auto size = [&](const Points& points) {
    float sum = 0;
    for (std::size_t i = 0; i < points.size(); ++i) sum += points[i].norm() / mesh.vertices[i].norm();
    return sum / static_cast<float>(points.size());
  };
  EXPECT_GT(size(fitter.fit(mesh.vertices, grown).vertices), 1.06F);
  EXPECT_LT(size(corrected.vertices), 1.04F);
}

TEST(FitTest, ALargeCorrectionNeedsTheSameGapEverywhere) {
  const auto fitted = [](const Eigen::Vector3d& masks_half, const Eigen::Vector3d& half) {
    const TriangleMesh mesh = testing::scaled(testing::icosphere(4), half.cast<float>());
    return fit_to_masks(mesh, ellipsoid_masks(masks_half.asDiagonal(), 4, 224), {.correct_masks = true});
  };
  const FitResult thin = fitted({0.17, 0.02, 0.02}, {0.165, 0.009, 0.012});
  EXPECT_EQ(thin.mask_correction, 0);
  EXPECT_GT(thin.iou_after, 0.9);
  EXPECT_GT(fitted({0.06, 0.06, 0.06}, {0.045, 0.045, 0.045}).mask_correction, 2);
}

// A network shrinks with masks that were eaten: then exact masks look as if they had grown a little.
TEST(FitTest, ManyMasksAreTrustedMoreThanTheMeshsSize) {
  const Eigen::Matrix3d axes = Eigen::Vector3d(0.14, 0.12, 0.13).asDiagonal();
  const TriangleMesh mesh = testing::scaled(testing::icosphere(4), 0.95F * axes.diagonal().cast<float>());
  const MaskFitter fitter(mesh.vertices.size(), mesh.triangles);
  const auto correction = [&](int count) {
    const std::vector<FitMask> masks = ellipsoid_masks(axes, count, 112);
    return fitter.fit(mesh.vertices, masks, {.steps = 0, .correct_masks = true}).mask_correction;
  };
  EXPECT_GT(correction(4), 0.2);
  EXPECT_EQ(correction(12), 0);
}

TEST(FitTest, NoStepMakesManyMoreFacesIntersect) {
  std::vector<FitMask> masks = box_masks({0.14, 0.02, 0.12}, 6);
  for (std::size_t i = 0; i < 3; ++i) {
    masks.push_back(testing::box_mask({0.02, 0.16, 0.02}, cameras_around(3)[i], 112));
  }
  const TriangleMesh mesh = sphere(0.12F);
  for (const double share : {0.0, 0.01}) {
    const FitResult result = fit_to_masks(mesh, masks, {.new_intersections = share});
    EXPECT_LE(result.intersecting_after, share * static_cast<double>(mesh.triangles.size()));
  }
}

TEST(FitTest, OpenSurfacesAndSeveralPiecesAreFitted) {
  TriangleMesh mesh = sphere(0.12F);
  mesh.triangles.resize(mesh.triangles.size() * 3 / 4);
  mesh.vertices.push_back({0, 0, 0});  // of no triangle
  const FitResult result = fit_to_masks(mesh, box_masks({0.13, 0.11, 0.12}, 4));
  EXPECT_TRUE(all_finite(result.vertices));
  EXPECT_GT(result.iou_after, result.iou_before);
}

// Files split vertices at the seams of textures and at flat faces.
TEST(FitTest, VerticesAtOnePlaceStayTogether) {
  const TriangleMesh whole = sphere(0.12F, 2);
  const std::vector<FitMask> masks = box_masks({0.14, 0.10, 0.12}, 3);
  TriangleMesh flat = testing::torn(whole);
  flat.triangles.push_back({0, 0, 1});
  flat.vertices.emplace_back(9, 9, 9);  // of no triangle
  const Points expected = fit_to_masks(whole, masks).vertices, found = fit_to_masks(flat, masks).vertices;
  ASSERT_EQ(found.size(), flat.vertices.size());
  EXPECT_EQ(found.back(), Eigen::Vector3f(9, 9, 9));
  double most = 0;
  for (std::size_t i = 0; i + 1 < found.size(); ++i) {
    const std::int32_t vertex = whole.triangles[i / 3][i % 3];
    most = std::max<double>(most, (found[i] - expected[static_cast<std::size_t>(vertex)]).norm());
  }
  EXPECT_LT(most, 0.005) << "the vertices' order changes sums";
}

TEST(FitTest, BadInputIsNamed) {
  const TriangleMesh mesh = sphere(0.12F, 1);
  const std::vector<FitMask> good = box_masks({0.14, 0.10, 0.12}, 2);
  const auto with = [&](const std::function<void(FitMask&)>& spoil) {
    std::vector<FitMask> masks = good;
    spoil(masks[1]);
    return fit_to_masks(mesh, masks);
  };
  constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_REFUSED(with([](FitMask& mask) { mask.camera.origin.x() = kNan; }),
                 "mask 2: the centre is not finite; expected three numbers");
  EXPECT_REFUSED(with([](FitMask& mask) { mask.camera.intrinsics.fx = kNan; }),
                 "mask 2: fx is nan; expected a positive number");
  EXPECT_REFUSED(with([](FitMask& mask) { mask.camera.rotation.setZero(); }), "mask 2: the rotation");
  EXPECT_REFUSED(with([](FitMask& mask) { mask.coverage.pop_back(); }), "mask 2: has 12543 values; expected 112x112");
  EXPECT_REFUSED(with([](FitMask& mask) { mask.width = mask.height = 0; }),
                 "mask 2: a mask of 0 pixels; expected 8 to 2048");
  EXPECT_REFUSED(with([](FitMask& mask) { mask.height = 7; }), "mask 2: a mask of 112x7 pixels; expected a square");
  TriangleMesh bad = mesh;
  bad.vertices[3].y() = std::numeric_limits<float>::infinity();
  EXPECT_REFUSED(fit_to_masks(bad, good), "the mesh has a vertex that is not finite; expected numbers");
  bad = mesh;
  bad.triangles[4] = {1, 2, 42};
  EXPECT_REFUSED(fit_to_masks(bad, good), "triangle 5 names vertex 43; expected 1 to 42");
  bad.triangles[4] = {1, 2, 1};
  EXPECT_THROW(MaskFitter(42, bad.triangles), InputError);
  bad.triangles.clear();
  EXPECT_REFUSED(fit_to_masks(bad, good), "the mesh has no triangle; expected a surface");
  EXPECT_REFUSED(fit_to_masks(mesh, good, {.steps = 101}), "101 steps of the fit; expected 0 to 100");
}

// Anything that passes the checks ends in finite vertices.
TEST(FitTest, NoiseGivesFiniteVertices) {
  std::mt19937_64 generator(7);
  const TriangleMesh mesh = sphere(0.12F, 2);
  const MaskFitter fitter(mesh.vertices.size(), mesh.triangles);
  for (int round = 0; round < 20; ++round) {
    std::vector<FitMask> masks;
    for (const Camera& camera : cameras_around(1 + round % 4)) {
      const int side = 8 + static_cast<int>(generator() % 60);
      FitMask mask{{side, side, {}}, camera};
      const auto pixels = static_cast<std::size_t>(side) * static_cast<std::size_t>(side);
      for (std::size_t i = 0; i < pixels; ++i) mask.coverage.push_back(static_cast<std::uint8_t>(generator()));
      if (round % 3 == 0) mask.camera.intrinsics.fx *= static_cast<double>(generator() % 1000 + 1);
      if (round % 5 == 0) mask.camera.origin *= 0.2 + static_cast<double>(generator() % 100);
      masks.push_back(std::move(mask));
    }
    Points start = mesh.vertices;
    if (round % 2 == 0) std::ranges::fill(start, start.front());  // no area at all
    const FitResult result = fitter.fit(start, masks, {.correct_masks = round % 4 < 2});
    EXPECT_TRUE(all_finite(result.vertices));
    EXPECT_GE(result.iou_after + (result.mask_correction != 0 ? 1 : 1e-3), result.iou_before);
  }
}

}  // namespace
}  // namespace p2mpp
