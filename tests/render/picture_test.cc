#include "render/picture.h"

#include <array>
#include <cmath>
#include <numbers>
#include <set>

#include "finish/solids.h"
#include "p2mpp/error.h"
#include "p2mpp/mesh_texture.h"
#include "render/drawing.h"
#include "support/temporary_folder.h"

namespace p2mpp {
namespace {

constexpr float kNaN = std::numeric_limits<float>::quiet_NaN();

PictureOptions small(Background background = Background::kTransparent, bool ground = false) {
  return {.width = 96, .height = 96, .background = background, .ground = ground};
}

Image draw(const TriangleMesh& mesh, const PictureOptions& options, const Framing& framing = {}) {
  const double aspect = static_cast<double>(options.width) / options.height;
  return MeshPainter(mesh, options).paint(framing_camera(mesh.vertices, framing, aspect));
}

double cover(const Image& image) {
  double sum = 0;
  for (std::size_t i = 3; i < image.rgba.size(); i += 4) sum += image.rgba[i] / 255.0;
  return sum / (image.width * image.height);
}

/// Where a picture of small() shows a point.
Rgba pixel_at(const Image& image, const PictureCamera& camera, const Eigen::Vector3f& point) {
  const PictureCamera::Place place = camera.place(point);
  return pixel(image, static_cast<int>(place.x * 96), static_cast<int>(place.y * 96));
}

using Picture = RayTracerTest;

TEST_F(Picture, ASphereIsARoundDiscOfTheRightSize) {
  const Image image =
      draw(ball(1, {3, 2, 1}, 4),
           {.width = 128, .height = 128, .samples = 16, .background = Background::kTransparent, .ground = false});
  const double diameter = 0.86;  // of the picture, as framing_camera() fills it
  EXPECT_NEAR(cover(image), std::numbers::pi / 4 * diameter * diameter, 0.01);
  for (int row = 0; row < 128; ++row) {
    for (int column = 0; column < 128; ++column) {
      const double radius = std::hypot(column + 0.5 - 64, row + 0.5 - 64) / 64;
      if (radius < diameter - 0.03) {
        ASSERT_EQ(pixel(image, column, row).alpha, 255) << column << ' ' << row;
      } else if (radius > diameter + 0.03) {
        ASSERT_EQ(pixel(image, column, row).alpha, 0) << column << ' ' << row;
      }
    }
  }
}

TEST_F(Picture, IsLitFromTheUpperLeftAndNowhereBlack) {
  for (const double azimuth : {0.0, 100.0, 200.0, 300.0}) {
    const Image image = draw(ball(1), small(), {.azimuth_deg = azimuth});
    EXPECT_GT(pixel(image, 35, 30).green, pixel(image, 66, 70).green + 40);
    EXPECT_GT(pixel(image, 35, 30).green, 150);
    EXPECT_GT(pixel(image, 66, 70).green, 40);
    EXPECT_LT(pixel(image, 35, 30).green, 250);  // not burnt out
  }
}

TEST_F(Picture, SizeAndPlaceDoNotMatter) {
  const double expected = cover(draw(ball(1), small()));
  for (const float radius : {1e-4F, 1e4F, 0.99F * kLargestCoordinate}) {
    const Image image = draw(ball(radius), small());
    EXPECT_NEAR(cover(image), expected, 0.005) << radius;
    EXPECT_GT(pixel(image, 35, 30).green, pixel(image, 66, 70).green + 40) << radius;
  }
  EXPECT_NEAR(cover(draw(ball(100, {5e5F, 20, 4e6F}), small())), expected, 0.02);  // as maps have them
}

TEST_F(Picture, WindingDoesNotMatter) {
  TriangleMesh mixed = ball(1);
  std::mt19937_64 random(1);
  testing::flip_some(mixed.triangles, random);
  const Image sound = draw(ball(1), small()), image = draw(mixed, small());
  for (std::size_t i = 0; i < sound.rgba.size(); ++i) ASSERT_NEAR(sound.rgba[i], image.rgba[i], 2);
}

TEST_F(Picture, WhereAMeshGoesThroughItselfItIsLit) {
  TriangleMesh pierced = ball(1);
  for (Eigen::Vector3f& vertex : pierced.vertices) {
    if (vertex.z() > 0.8F) vertex.z() -= 2.2F;  // the cap comes out on the other side, its inside first
  }
  const Framing from_there{.azimuth_deg = -90, .elevation_deg = 0};
  const Rgba inside = pixel(draw(pierced, small(), from_there), 48, 48);
  EXPECT_NEAR(inside.green, pixel(draw(ball(1), small(), from_there), 48, 48).green, 25);
}

TEST_F(Picture, TheBackgroundIsWhiteOrNothing) {
  const Rgba white = pixel(draw(ball(1), small(Background::kWhite)), 0, 0);
  EXPECT_EQ(white.red + white.green + white.blue + white.alpha, 4 * 255);
  EXPECT_EQ(pixel(draw(ball(1), small(Background::kTransparent)), 0, 0).alpha, 0);
}

TEST_F(Picture, TransparentOnWhiteLooksTheSameAsWhite) {
  const Image white = draw(ball(1), small(Background::kWhite, true));
  const Image transparent = draw(ball(1), small(Background::kTransparent, true));
  for (int row = 0; row < 96; ++row) {
    for (int column = 0; column < 96; ++column) {
      const Rgba a = pixel(white, column, row), b = pixel(transparent, column, row);
      ASSERT_NEAR(a.green, (b.green * b.alpha + 255 * (255 - b.alpha)) / 255.0, 2);
    }
  }
}

TEST_F(Picture, TheShadowLiesBelowTheObject) {
  const Framing from_above{.elevation_deg = 20};
  const Image with = draw(ball(1), small(Background::kWhite, true), from_above);
  const Image without = draw(ball(1), small(Background::kWhite, false), from_above);
  EXPECT_LT(pixel(with, 48, 92).green, 215);  // in front of where it stands
  EXPECT_EQ(pixel(without, 48, 92).green, 255);
  EXPECT_GE(pixel(with, 48, 1).green, 254);  // above it
  EXPECT_GE(pixel(with, 1, 1).green, 254);
  for (int place = 0; place < 96; ++place) EXPECT_GE(pixel(with, place, 95).green, 225);  // it is not cut off
  // From below the ground there is none.
  const Framing from_below{.elevation_deg = -20};
  EXPECT_EQ(draw(ball(1), small(Background::kWhite, true), from_below).rgba,
            draw(ball(1), small(Background::kWhite, false), from_below).rgba);
}

TEST_F(Picture, ARecessIsDarkerThanAnOpenFace) {
  // A floor with a wall on three sides of its middle.
  TriangleMesh mesh;
  const auto quad = [&](std::array<Eigen::Vector3f, 4> corners) {
    constexpr int kSteps = 12;  // sky_visibility is known at vertices
    const auto base = static_cast<std::int32_t>(mesh.vertices.size());
    for (int i = 0; i <= kSteps; ++i) {
      for (int j = 0; j <= kSteps; ++j) {
        const float u = static_cast<float>(i) / kSteps, v = static_cast<float>(j) / kSteps;
        mesh.vertices.emplace_back((1 - u) * ((1 - v) * corners[0] + v * corners[3]) +
                                   u * ((1 - v) * corners[1] + v * corners[2]));
      }
    }
    for (int i = 0; i < kSteps; ++i) {
      for (int j = 0; j < kSteps; ++j) {
        const std::int32_t at = base + i * (kSteps + 1) + j;
        mesh.triangles.push_back({at, at + kSteps + 1, at + kSteps + 2});
        mesh.triangles.push_back({at, at + kSteps + 2, at + 1});
      }
    }
  };
  quad({Eigen::Vector3f(-2, 0, -2), {-2, 0, 2}, {2, 0, 2}, {2, 0, -2}});
  quad({Eigen::Vector3f(-2, 0, -2), {-2, 2, -2}, {-2, 2, 0}, {-2, 0, 0}});
  quad({Eigen::Vector3f(-2, 0, -2), {0, 0, -2}, {0, 2, -2}, {-2, 2, -2}});
  const PictureCamera above = framing_camera(mesh.vertices, {.azimuth_deg = 90, .elevation_deg = 90}, 1);
  const Image image = MeshPainter(mesh, small()).paint(above);
  const int recess = pixel_at(image, above, {-1.8F, 0, -1.8F}).green;
  EXPECT_LT(recess, pixel_at(image, above, {1.5F, 0, 1.5F}).green - 20);
}

/// A square in the plane z = 0, each of whose quarters has a colour; its second triangle is turned over.
TriangleMesh coloured_square() {
  TriangleMesh square{{{-1, -1, 0}, {1, -1, 0}, {1, 1, 0}, {-1, 1, 0}}, {{0, 1, 2}, {0, 3, 2}}};
  auto texture = std::make_shared<MeshTexture>();
  texture->corners = {{Eigen::Vector2f(0, 1), {1, 1}, {1, 0}}, {Eigen::Vector2f(0, 1), {0, 0}, {1, 0}}};
  texture->image = {16, 16, {}};
  for (int row = 0; row < 16; ++row) {
    for (int column = 0; column < 16; ++column) {
      const bool is_right = column >= 8, is_low = row >= 8;
      texture->image.rgba.insert(texture->image.rgba.end(), {static_cast<std::uint8_t>(is_right ? 200 : 20),
                                                             static_cast<std::uint8_t>(is_low ? 150 : 40), 90, 255});
    }
  }
  square.texture = texture;
  return square;
}

TEST_F(Picture, TexturesAreDrawnAsTheyAre) {
  PictureOptions options = small();
  options.ground = false;
  const TriangleMesh square = coloured_square();
  const PictureCamera front = framing_camera(square.vertices, {.azimuth_deg = 90, .elevation_deg = 0}, 1);
  const Image image = MeshPainter(square, options).paint(front);
  for (const float x : {-0.5F, 0.5F}) {
    for (const float y : {-0.5F, 0.5F}) {
      const Rgba seen = pixel_at(image, front, {x, y, 0});
      EXPECT_EQ(seen.red, x > 0 ? 200 : 20);
      EXPECT_EQ(seen.green, y > 0 ? 40 : 150);
    }
  }
  options.shading = Shading::kSmooth;
  EXPECT_NE(MeshPainter(square, options).paint(front).rgba, image.rgba);
}

TEST_F(Picture, ColoursOfVerticesAreInterpolated) {
  PictureOptions options = small();
  TriangleMesh square = coloured_square();
  EXPECT_REFUSED(MeshPainter({square.vertices, square.triangles}, {.shading = Shading::kTextured}),
                 "neither a texture nor colours");
  square.texture = nullptr;
  square.colours.assign(4, {10, 200, 30});
  const PictureCamera front = framing_camera(square.vertices, {.azimuth_deg = 90, .elevation_deg = 0}, 1);
  const auto seen = pixel(MeshPainter(square, options).paint(front), 48, 40);
  EXPECT_EQ(seen.red, 10);
  EXPECT_EQ(seen.green, 200);
  square.triangles.clear();
  const Image cloud = MeshPainter(square, options).paint(front);
  EXPECT_GT(std::ranges::count(cloud.rgba, 200), 4);
}

TEST_F(Picture, FlatShadingShowsTriangles) {
  PictureOptions flat = small();
  flat.shading = Shading::kFlat;
  // Neighbouring pixels in the middle: shades are few where each triangle has one.
  const auto shades = [](const Image& image) {
    std::set<int> found;
    for (int column = 30; column < 66; ++column) found.insert(pixel(image, column, 40).green);
    return found.size();
  };
  EXPECT_LT(shades(draw(ball(1, {0, 0, 0}, 1), flat)), shades(draw(ball(1, {0, 0, 0}, 3), small())));
}

TEST_F(Picture, SharpEdgesStaySharp) {
  const TriangleMesh cube = testing::box({0, 0, 0}, {1, 1, 1});
  const Framing framing{.azimuth_deg = 45, .elevation_deg = 30};
  const PictureCamera camera = framing_camera(cube.vertices, framing, 1);
  const Image image = MeshPainter(cube, small()).paint(camera);
  const auto green_at = [&](const Eigen::Vector3f& point) { return pixel_at(image, camera, point).green; };
  EXPECT_NEAR(green_at({0.2F, 1, 0.5F}), green_at({0.8F, 1, 0.5F}), 12);  // one face, one shade
  EXPECT_GT(std::abs(green_at({1, 0.9F, 0.5F}) - green_at({0.9F, 1, 0.5F})), 15);
}

TEST_F(Picture, TakesColoursOfVertices) {
  const TriangleMesh mesh = ball(1);
  Points colours;
  for (const Eigen::Vector3f& vertex : mesh.vertices) {
    colours.push_back(vertex.y() > 0 ? Eigen::Vector3f(0.8F, 0.05F, 0.05F) : Eigen::Vector3f(0.05F, 0.05F, 0.8F));
  }
  const Image image = MeshPainter(mesh, small(), colours).paint(framing_camera(mesh.vertices, {.elevation_deg = 0}, 1));
  const Rgba above = pixel(image, 48, 25), below = pixel(image, 48, 70);
  EXPECT_GT(above.red, above.blue + 60);
  EXPECT_GT(below.blue, below.red + 40);
}

TEST_F(Picture, DrawsCloudsAndOpenMeshesAndSinglePoints) {
  const TriangleMesh cloud{ball(1).vertices, {}};
  EXPECT_GT(cover(draw(cloud, small())), 0.05);
  EXPECT_LT(cover(draw(cloud, small())), 0.5);
  EXPECT_GT(cover(draw({{{1, 2, 3}}, {}}, small())), 0);
  TriangleMesh half = ball(1);
  std::erase_if(half.triangles,
                [&](const Triangle& triangle) { return half.vertices[static_cast<std::size_t>(triangle[0])].y() > 0; });
  const Image bowl = draw(half, small(), {.elevation_deg = 60});
  EXPECT_GT(pixel(bowl, 48, 48).alpha, 250);  // its inside
  EXPECT_GT(pixel(bowl, 48, 48).green, 40);
  // A triangle without area has no picture, and does no harm.
  EXPECT_EQ(cover(draw({{{0, 0, 0}, {1, 0, 0}, {2, 0, 0}}, {{0, 1, 2}}}, small())), 0);
}

TEST_F(Picture, TheSameBytesForEveryNumberOfThreads) {
  PictureOptions options = small(Background::kWhite, true);
  const Image one = draw(ball(1), options);
  for (const int threads : {2, 5}) {
    options.threads = threads;
    EXPECT_EQ(draw(ball(1), options).rgba, one.rgba);
  }
}

TEST_F(Picture, RefusesWhatCannotBeDrawn) {
  const auto draw_mesh = [](const TriangleMesh& mesh) { return MeshPainter(mesh, small()); };
  EXPECT_REFUSED(draw_mesh({}), "the mesh has no vertex; expected at least 1");
  EXPECT_REFUSED(draw_mesh({{{0, 0, 0}, {1, kNaN, 0}, {0, 1, 0}}, {{0, 1, 2}}}),
                 "vertex 2, counted from 1, is not finite");
  EXPECT_REFUSED(draw_mesh({{{0, 0, 0}, {0, 0, -2e9F}, {0, 1, 0}}, {{0, 1, 2}}}),
                 "vertex 2, counted from 1, has the coordinate 2e+09; expected at most 1e+09");
  EXPECT_REFUSED(draw_mesh({{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}}, {{0, 1, 3}}}), "names vertex 4; expected 1 to 3");
  EXPECT_REFUSED(draw_mesh({{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}}, {{0, 1, -1}}}), "names vertex 0; expected 1 to 3");
  EXPECT_THROW(MeshPainter(ball(1), {.width = 8}), UsageError);
  EXPECT_THROW(MeshPainter(ball(1), {.samples = 65}), UsageError);
}

// An earlier picture of this program, as means of 24x24 pixels: a change that anybody would see fails.
TEST_F(Picture, LooksAsItDid) {
  const Image image = draw(ball(1), {.width = 96, .height = 96, .background = Background::kWhite, .ground = true});
  constexpr std::array<std::array<int, 4>, 4> kGreen = {
      {{250, 220, 213, 247}, {213, 184, 173, 190}, {189, 154, 140, 168}, {196, 129, 130, 195}}};
  for (std::size_t row = 0; row < 4; ++row) {
    for (std::size_t column = 0; column < 4; ++column) {
      double sum = 0;
      for (int y = 0; y < 24; ++y) {
        for (int x = 0; x < 24; ++x) {
          sum += pixel(image, static_cast<int>(24 * column) + x, static_cast<int>(24 * row) + y).green;
        }
      }
      EXPECT_NEAR(sum / 576, kGreen[row][column], 6) << row << ' ' << column;
    }
  }
}

}  // namespace
}  // namespace p2mpp
