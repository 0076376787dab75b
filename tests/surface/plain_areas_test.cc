#include "surface/plain_areas.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "finish/solids.h"
#include "fit/self_intersections.h"
#include "support/drawn_masks.h"

namespace p2mpp {
namespace {

constexpr double kHalf = 0.1;  ///< of the box's side
constexpr int kCells = 40;     ///< along it
constexpr double kDent = 0.006;

TriangleMesh cube_mesh() {
  const Eigen::Vector3f corner = Eigen::Vector3f::Constant(static_cast<float>(kHalf));
  return testing::box(-corner, corner, kCells);
}

/// With a dent in the middle of its upper face, which no silhouette shows.
TriangleMesh dented_cube() {
  TriangleMesh mesh = cube_mesh();
  for (Eigen::Vector3f& vertex : mesh.vertices) {
    if (static_cast<double>(vertex.y()) < kHalf - 1e-6) continue;
    const auto squared = static_cast<double>(vertex.x() * vertex.x() + vertex.z() * vertex.z());
    vertex.y() -= static_cast<float>(kDent * std::exp(-squared / (2 * 0.03 * 0.03)));
  }
  return mesh;
}

/// Of a cube whose faces have one brightness each, or a pattern.
std::vector<MaskView> views_of_cube(bool is_patterned) {
  const auto first_hit = [](const Eigen::Vector3d& from, const Eigen::Vector3d& way) {
    return testing::first_hit_of_box(Eigen::Vector3d::Constant(kHalf), from, way);
  };
  std::vector<MaskView> views;
  for (const Camera& camera : testing::cameras_around(16)) {
    FitMask mask = testing::patterned_mask(camera, 224, first_hit);
    const Pinhole<double> pinhole = pinhole_of(camera, 224);
    for (std::size_t i = 0; i < mask.brightness.size() && !is_patterned; ++i) {
      const auto column = static_cast<double>(i % 224) + 0.5, row = static_cast<double>(i / 224) + 0.5;
      const auto hit = first_hit(camera.origin, pinhole.ray(column, row).normalized());
      Eigen::Index face = 0;
      if (hit) hit->cwiseAbs().maxCoeff(&face);
      mask.brightness[i] = static_cast<std::uint8_t>(hit ? 80 + 40 * face + ((*hit)[face] > 0 ? 20 : 0) : 0);
    }
    views.emplace_back(mask);
  }
  return views;
}

double deepest(const Points& points) {
  double most = 0;
  for (const Eigen::Vector3f& point : points) {
    if (std::fabs(point.x()) < 0.05F && std::fabs(point.z()) < 0.05F && point.y() > 0) {
      most = std::max(most, kHalf - static_cast<double>(point.y()));
    }
  }
  return most;
}

TEST(PlainAreasTest, ADentThatNothingShowsGoesAndEdgesStay) {
  const TriangleMesh truth = cube_mesh(), dented = dented_cube();
  const std::vector<MaskView> views = views_of_cube(false);
  const Points smooth = smooth_plain_areas(dented, views, 1);
  EXPECT_LT(deepest(smooth), 0.25 * deepest(dented.vertices));
  double farthest = 0;
  for (std::size_t i = 0; i < smooth.size(); ++i) {
    const Eigen::Vector3f& place = truth.vertices[i];
    const int on_faces = static_cast<int>((place.array().abs() > static_cast<float>(kHalf) - 1e-6F).count());
    if (on_faces >= 2) farthest = std::max(farthest, static_cast<double>((smooth[i] - place).norm()));
  }
  constexpr double kPixel = 0.0016;
  EXPECT_LT(farthest, kPixel);
  EXPECT_EQ(count_intersecting(smooth, dented.triangles), 0U);
  EXPECT_EQ(smooth_plain_areas(dented, views, 3), smooth);
}

TEST(PlainAreasTest, APatternedSurfaceMayHaveADent) {
  const TriangleMesh dented = dented_cube();
  const Points smooth = smooth_plain_areas(dented, views_of_cube(true), 2);
  EXPECT_GT(deepest(smooth), 0.6 * deepest(dented.vertices));
}

TEST(PlainAreasTest, WithoutBrightnessNothingIsKnownToBePlain) {
  std::vector<MaskView> views = views_of_cube(false);
  for (MaskView& view : views) view.brightness.clear();
  const TriangleMesh dented = dented_cube();
  EXPECT_EQ(smooth_plain_areas(dented, views, 2), dented.vertices);
}

}  // namespace
}  // namespace p2mpp
