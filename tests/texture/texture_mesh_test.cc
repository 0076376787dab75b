#include <gtest/gtest.h>

#include <limits>

#include "p2mpp/error.h"
#include "p2mpp/texture.h"
#include "support/ray_tracer.h"
#include "support/temporary_folder.h"
#include "texture/painted_ball.h"

namespace p2mpp {
namespace {

TexturedMesh textured(const std::shared_ptr<const PhotographSource>& photographs,
                      TextureOptions options = {.size = 256}, int subdivisions = 4) {
  return texture_mesh(ball_mesh(subdivisions), *photographs, options);
}

void expect_no_green(const Image& texture) {
  for (std::size_t i = 0; i < texture.rgba.size(); i += 4) {
    const bool is_green = texture.rgba[i + 1] > 230 && texture.rgba[i] < 60 && texture.rgba[i + 2] < 60;
    ASSERT_FALSE(is_green) << i;
    ASSERT_EQ(texture.rgba[i + 3], 255);
  }
}

/// What the ring of cameras shows well.
bool is_in_sight(const Eigen::Vector3f& point) { return std::abs(point.y()) < 0.7F * kBallRadius; }

using TextureMesh = RayTracerTest;

TEST_F(TextureMesh, FindsThePaint) {
  const TexturedMesh result = textured(std::make_shared<BallPhotographs>(around(12), 160));
  EXPECT_EQ(result.size, 256);
  EXPECT_EQ(result.photographs, 12U);
  EXPECT_LT(result.unseen, 0.1);
  EXPECT_LT(result.charts, 30U);
  EXPECT_EQ(result.mesh.vertices, ball_mesh(4).vertices);
  EXPECT_EQ(result.mesh.triangles, ball_mesh(4).triangles);
  EXPECT_GT(texture_psnr(result.mesh, is_in_sight), 36);
  EXPECT_GT(texture_psnr(result.mesh), 24) << "what nothing sees has colours from around it";
}

TEST_F(TextureMesh, HasTheSameBytesForEveryNumberOfThreads) {
  const auto photographs = std::make_shared<BallPhotographs>(around(5), 96);
  const TexturedMesh one = textured(photographs, {.size = 128}, 3);
  const TexturedMesh three = textured(photographs, {.size = 128, .threads = 3}, 3);
  EXPECT_EQ(one.mesh.texture->image.rgba, three.mesh.texture->image.rgba);
  EXPECT_EQ(textured(photographs, {.of_vertices = true}, 3).mesh.colours,
            textured(photographs, {.of_vertices = true, .threads = 3}, 3).mesh.colours);
}

/// Exposures of -0.5 to +0.5 EV: the mean stays, and no photograph is told from its neighbours.
TEST_F(TextureMesh, BringsExposuresTogether) {
  std::vector<float> gains;
  for (int i = 0; i < 12; ++i) gains.push_back(std::pow(2.0F, static_cast<float>(i * 5 % 12) / 11 - 1));
  float mean = 0;
  for (const float gain : gains) mean += 1 / gain / 12;
  const TexturedMesh result = textured(std::make_shared<BallPhotographs>(around(12), 160, gains));
  double best = 0;
  for (float gain = 0.5F; gain < 1; gain += 0.01F) best = std::max(best, texture_psnr(result.mesh, is_in_sight, gain));
  EXPECT_GT(best, 32);
}

/// A red spot in one photograph only, as a highlight or a finger.
TEST_F(TextureMesh, LeavesOutWhatOnePhotographAloneShows) {
  auto photographs = std::make_shared<BallPhotographs>(around(12), 160);
  const Eigen::Vector3f middle(kBallRadius, 0.2F * kBallRadius, 0);
  photographs->instead = [&](std::size_t photograph, const Eigen::Vector3f& point) -> std::optional<Eigen::Vector3f> {
    if (photograph != 0 || (point - middle).norm() > 0.3F * kBallRadius) return std::nullopt;
    return Eigen::Vector3f(1, 0, 0);
  };
  const TexturedMesh result = textured(photographs);
  const auto psnr_within = [&](float radius) {
    return texture_psnr(result.mesh,
                        [&](const Eigen::Vector3f& point) { return (point - middle).norm() < radius * kBallRadius; });
  };
  EXPECT_GT(psnr_within(0.15F), 40);
  EXPECT_GT(psnr_within(0.25F), 27) << "towards the spot's edge, which ends within triangles";
}

TEST_F(TextureMesh, ShowsNoBackground) {
  // The mesh is larger than the ball, so that its outline reaches beyond the masks.
  const TriangleMesh mesh = testing::scaled(ball_mesh(4), 1.03F);
  const TexturedMesh result = texture_mesh(mesh, BallPhotographs(around(8), 160), {.size = 256});
  expect_no_green(result.mesh.texture->image);
}

/// The masks have two pixels of background at the outline.
TEST_F(TextureMesh, ShowsNoBackgroundOfInexactMasks) {
  const TriangleMesh mesh = testing::scaled(ball_mesh(4), 1.02F);
  BallPhotographs photographs({{1, 0, 0}, {0, 0, 1}}, 160);
  photographs.mask_radius = 1.03 * kBallRadius;
  expect_no_green(texture_mesh(mesh, photographs, {.size = 256}).mesh.texture->image);
}

TEST_F(TextureMesh, DrawsIntoALayoutThatIsKept) {
  const auto photographs = std::make_shared<BallPhotographs>(around(8), 160);
  TriangleMesh mesh = textured(photographs).mesh;
  auto half = std::make_shared<MeshTexture>();
  half->corners = mesh.texture->corners;
  for (auto& corners : half->corners) {
    for (Eigen::Vector2f& uv : corners) uv /= 2;
  }
  mesh.texture = half;
  const TexturedMesh result = texture_mesh(mesh, *photographs, {.size = 512, .keep_uv = true});
  EXPECT_EQ(result.mesh.texture->corners, half->corners);
  EXPECT_GT(texture_psnr(result.mesh, is_in_sight), 34);
  EXPECT_REFUSED(texture_mesh(ball_mesh(1), *photographs, {.size = 64, .keep_uv = true}),
                 "the mesh has no texture coordinates to keep");
  half->corners[0][0].x() = 1.5F;
  EXPECT_REFUSED(texture_mesh(mesh, *photographs, {.size = 64, .keep_uv = true}), "expected 0 to 1");
}

TEST_F(TextureMesh, ColoursVertices) {
  const TexturedMesh result = textured(std::make_shared<BallPhotographs>(around(12), 160), {.of_vertices = true});
  EXPECT_EQ(result.size, 0);
  EXPECT_EQ(result.mesh.texture, nullptr);
  ASSERT_EQ(result.mesh.colours.size(), result.mesh.vertices.size());
  for (std::size_t v = 0; v < result.mesh.colours.size(); ++v) {
    if (!is_in_sight(result.mesh.vertices[v])) continue;
    const Eigen::Vector3f truth = srgb_of(painted_colour(result.mesh.vertices[v]));
    for (std::size_t c = 0; c < 3; ++c) EXPECT_NEAR(result.mesh.colours[v][c], truth[static_cast<int>(c)], 22);
  }
}

/// Large triangles see several photographs: none shows them wholly, but parts of them.
TEST_F(TextureMesh, DividesLargeTriangles) {
  const auto photographs = std::make_shared<BallPhotographs>(around(12), 160);
  const TexturedMesh coarse = textured(photographs, {.size = 256}, 1);  // 80 triangles
  EXPECT_EQ(coarse.mesh.triangles.size(), 80U);
  EXPECT_LT(coarse.unseen, 0.25);
}

TEST_F(TextureMesh, TakesOnePhotograph) {
  const Eigen::Vector3d direction(1, 0, 0);
  const auto photograph = std::make_shared<BallPhotographs>(std::vector{direction}, 160);
  const TexturedMesh result = textured(photograph, {.size = 256, .fill_unseen = true});
  EXPECT_EQ(result.photographs, 1U);
  EXPECT_GT(result.unseen, 0.5);
  EXPECT_GT(texture_psnr(result.mesh, [](const Eigen::Vector3f& point) { return point.x() > 0.6F * kBallRadius; }), 34);
}

TEST_F(TextureMesh, WhatNoPhotographShowsFadesToGrey) {
  const auto photograph = std::make_shared<BallPhotographs>(std::vector{Eigen::Vector3d(1, 0, 0)}, 160);
  const TriangleMesh marked = textured(photograph, {.of_vertices = true}).mesh;
  const TriangleMesh filled = textured(photograph, {.of_vertices = true, .fill_unseen = true}).mesh;
  std::size_t behind = 0;
  for (std::size_t i = 0; i < marked.vertices.size(); ++i) {
    const float x = marked.vertices[i].x() / static_cast<float>(kBallRadius);
    if (x > 0.8F) {
      EXPECT_EQ(marked.colours[i], filled.colours[i]) << x;
    } else if (x < -0.2F) {
      EXPECT_EQ(marked.colours[i], (Colour{124, 124, 124})) << x;
      ++behind;
    }
  }
  EXPECT_GT(behind, 100U);
}

TEST_F(TextureMesh, TakesPhotographsOfDifferentSizes) {
  const std::vector<Eigen::Vector3d> all = around(12), first(all.begin(), all.begin() + 6),
                                     last(all.begin() + 6, all.end());
  const auto photographs = std::make_shared<BallPhotographs>(first, 200);
  photographs->append(BallPhotographs(last, 120));
  const TexturedMesh result = textured(photographs);
  EXPECT_EQ(result.photographs, 12U);
  EXPECT_GT(texture_psnr(result.mesh, is_in_sight), 34);
}

TEST_F(TextureMesh, WeldsVerticesAtOnePlace) {
  const auto photographs = std::make_shared<BallPhotographs>(around(6), 96);
  const TriangleMesh whole = ball_mesh(3);
  const TexturedMesh result = texture_mesh(testing::torn(whole), *photographs, {.size = 128});
  EXPECT_EQ(result.charts, texture_mesh(whole, *photographs, {.size = 128}).charts);
}

TEST_F(TextureMesh, SurvivesDegenerateAndUnconnectedTriangles) {
  TriangleMesh mesh = ball_mesh(2);
  mesh.triangles.push_back({0, 0, 1});
  mesh.triangles.push_back({3, 4, 3});
  const auto first = static_cast<std::int32_t>(mesh.vertices.size());
  mesh.vertices.insert(mesh.vertices.end(), {{0.4F, 0.3F, 0}, {0.41F, 0.3F, 0}, {0.42F, 0.3F, 0}, {0, 0, 0.01F}});
  mesh.triangles.push_back({first, first + 1, first + 2});  // a line
  mesh.triangles.push_back({first, first + 1, first + 3});  // a part of its own
  mesh.triangles.push_back(mesh.triangles[0]);              // twice
  const TexturedMesh result = texture_mesh(mesh, BallPhotographs(around(4), 96), {.size = 128});
  for (const auto& corners : result.mesh.texture->corners) {
    for (const Eigen::Vector2f& uv : corners) {
      EXPECT_GE(uv.minCoeff(), 0);
      EXPECT_LE(uv.maxCoeff(), 1);
    }
  }
}

TEST_F(TextureMesh, SaysWhatItCannotColour) {
  const auto photographs = std::make_shared<BallPhotographs>(around(3), 64);
  TriangleMesh far = ball_mesh(1);
  for (Eigen::Vector3f& vertex : far.vertices) vertex.x() += 50;
  EXPECT_REFUSED(texture_mesh(far, *photographs, {.size = 64}), "no photograph shows the mesh");
  EXPECT_REFUSED(texture_mesh({far.vertices, {}}, *photographs), "the mesh has no triangle");
  far.vertices[0].x() = std::numeric_limits<float>::quiet_NaN();
  EXPECT_REFUSED(texture_mesh(far, *photographs), "not finite");
  EXPECT_REFUSED(texture_mesh({ball_mesh(0).vertices, {{0, 1, 12}}}, *photographs), "names vertex 13");
  EXPECT_THROW(static_cast<void>(texture_mesh(ball_mesh(1), *photographs, {.size = 100})), UsageError);
}

TEST_F(TextureMesh, ChoosesASizeByThePhotographs) {
  EXPECT_EQ(automatic_texture_size(ball_mesh(2), BallPhotographs(around(3), 64)), 1024);
  EXPECT_EQ(automatic_texture_size(ball_mesh(2), BallPhotographs(around(3), 1500)), 2048);
  EXPECT_EQ(automatic_texture_size(ball_mesh(2), BallPhotographs(around(3), 9000)), 4096);
}

}  // namespace
}  // namespace p2mpp
