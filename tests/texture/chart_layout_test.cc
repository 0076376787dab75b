#include "texture/chart_layout.h"

#include <gtest/gtest.h>

#include <cmath>
#include <map>

#include "finish/solids.h"
#include "p2mpp/error.h"
#include "support/growth.h"
#include "support/temporary_folder.h"
#include "support/test_meshes.h"
#include "texture/chart_packing.h"

namespace p2mpp {
namespace {

/// The number of texels whose centre is in two triangles, not counting those on a common edge.
std::size_t overlaps(const ChartLayout& layout, int size) {
  std::vector<int> counts(static_cast<std::size_t>(size * size));
  for (Texels at : layout.texels) {
    const Eigen::Vector2f middle = (at[0] + at[1] + at[2]) / 3;
    for (Eigen::Vector2f& corner : at) corner = middle + 0.999F * (corner - middle);
    for_each_texel(at, [&](int x, int y, const Eigen::Vector3f&) { ++counts[static_cast<std::size_t>(y * size + x)]; });
  }
  return static_cast<std::size_t>(std::ranges::count_if(counts, [](int count) { return count > 1; }));
}

double fill(const ChartLayout& layout, int size) {
  double area = 0;
  for (const Texels& at : layout.texels) {
    const Eigen::Vector2f b = at[1] - at[0], c = at[2] - at[0];
    area += std::abs(b.x() * c.y() - b.y() * c.x()) / 2;
  }
  return area / size / size;
}

TEST(ChartLayout, HasTheWholeSurfaceOnce) {
  const PaintedSurface ball = find_painted_surface(testing::icosphere(4)).surface;
  const ChartLayout layout = lay_out(ball, 512);
  EXPECT_EQ(overlaps(layout, 512), 0U);
  EXPECT_GT(fill(layout, 512), 0.4);
  EXPECT_GE(layout.charts, 6U);
  EXPECT_LE(layout.charts, 20U);
  for (const Texels& at : layout.texels) {
    for (const Eigen::Vector2f& corner : at) {
      EXPECT_GE(corner.minCoeff(), 4);
      EXPECT_LE(corner.maxCoeff(), 508);
    }
  }
}

TEST(ChartLayout, GivesASideOfABoxAChart) {
  PaintedSurface box = find_painted_surface(testing::box({0, 0, 0}, {1, 1, 1})).surface;
  EXPECT_EQ(lay_out(box, 256).charts, 6U);
  box = subdivided(subdivided(box));
  EXPECT_EQ(lay_out(box, 256).charts, 6U);
}

/// A spiral ramp: each turn lies over the one below, and all face upwards.
TEST(ChartLayout, LaysNoPartOverAnother) {
  TriangleMesh ramp;
  constexpr int kSteps = 144;
  for (int i = 0; i <= kSteps; ++i) {
    const float angle = 0.1F * static_cast<float>(i), height = 0.05F * static_cast<float>(i);
    ramp.vertices.emplace_back(std::cos(angle), height, std::sin(angle));
    ramp.vertices.emplace_back(2 * std::cos(angle), height, 2 * std::sin(angle));
    if (i == 0) continue;
    const std::int32_t k = 2 * i;
    ramp.triangles.push_back({k - 2, k, k - 1});
    ramp.triangles.push_back({k - 1, k, k + 1});
  }
  const ChartLayout layout = lay_out(find_painted_surface(ramp).surface, 256);
  EXPECT_EQ(overlaps(layout, 256), 0U);
  EXPECT_GE(layout.charts, 3U);
}

/// Texels of two charts are never in one texel of mip level 4.
TEST(ChartLayout, KeepsChartsApart) {
  constexpr int kSize = 1024, kMip = 16;
  const PaintedSurface ball = find_painted_surface(testing::icosphere(3)).surface;
  const ChartLayout layout = lay_out(ball, kSize);
  // Triangles of a chart are connected by neighbours whose common corners have the same texels.
  std::vector<std::size_t> chart(layout.texels.size());
  std::size_t count = 0;
  for (std::size_t seed = 0; seed < chart.size(); ++seed) {
    if (chart[seed] != 0) continue;
    std::vector<std::size_t> open = {seed};
    chart[seed] = ++count;
    while (!open.empty()) {
      const std::size_t face = open.back();
      open.pop_back();
      for (std::size_t i = 0; i < 3; ++i) {
        const auto other = static_cast<std::size_t>(ball.neighbours[face][i]);
        if (chart[other] != 0) continue;
        const bool touches = std::ranges::count(layout.texels[other], layout.texels[face][i]) > 0;
        if (!touches) continue;
        chart[other] = count;
        open.push_back(other);
      }
    }
  }
  EXPECT_EQ(count, layout.charts);
  std::map<std::pair<int, int>, std::size_t> owners;
  for (std::size_t face = 0; face < chart.size(); ++face) {
    for_each_texel(layout.texels[face], [&](int x, int y, const Eigen::Vector3f&) {
      const std::size_t owner = owners.try_emplace({x / kMip, y / kMip}, chart[face]).first->second;
      EXPECT_EQ(owner, chart[face]) << x << " " << y;
    });
  }
}

TEST(ChartLayout, SaysThatThereAreTooManyPieces) {
  TriangleMesh soup;
  for (int i = 0; i < 3000; ++i) {
    const auto x = static_cast<float>(2 * i);
    const auto first = static_cast<std::int32_t>(soup.vertices.size());
    soup.vertices.insert(soup.vertices.end(), {{x, 0, 0}, {x + 1, 0, 0}, {x, 1, 0}});
    soup.triangles.push_back({first, first + 1, first + 2});
  }
  EXPECT_REFUSED(lay_out(find_painted_surface(soup).surface, 64), "the surface falls into 3000 pieces");
  EXPECT_EQ(lay_out(find_painted_surface(soup).surface, 1024).charts, 3000U);
}

/// A strip of triangles along a line: rounding alone gives them an area.
TriangleMesh needles(int faces, float length) {
  const Eigen::Vector3f way = Eigen::Vector3f(0.3F, 0.7F, 0.61F).normalized();
  TriangleMesh mesh;
  for (std::int32_t i = 0; i < faces + 2; ++i) {
    mesh.vertices.emplace_back(length * static_cast<float>(i * 7 % (faces + 2)) / static_cast<float>(faces) * way);
    if (i >= 2) mesh.triangles.push_back({i - 2, i - 1, i});
  }
  return mesh;
}

// The texels of a needle's box, with next to no area to share the texture, were without number.
TEST(ChartLayout, EndsSoonWithNeedles) {
  constexpr int kSize = 1024;
  for (const float length : {1e-12F, 1.0F, 1e12F}) {
    const double begin = processor_seconds();
    ChartLayout layout;
    try {
      layout = lay_out(find_painted_surface(needles(1600, length)).surface, kSize);
    } catch (const InputError& error) {
      EXPECT_EQ(std::string(error.what()).find("the surface falls into"), 0U);
    }
    EXPECT_LT(processor_seconds() - begin, 2) << length;
    for (const Texels& at : layout.texels) {
      for (const Eigen::Vector2f& corner : at) {
        EXPECT_GE(corner.minCoeff(), 0) << length;
        EXPECT_LE(corner.maxCoeff(), kSize) << length;
      }
    }
  }
}

// The slots of a large chart's texels were emptied for each small one.
TEST(ChartLayout, SmallChartsBesideALargeOneTakeLittleTime) {
  TriangleMesh mesh = testing::box({0, 0, 0}, {1, 1, 1});
  for (int i = 0; i < 3000; ++i) {
    const Eigen::Vector3f at(3, 0.01F * static_cast<float>(i % 60), 0.01F * static_cast<float>(i / 60));
    const auto first = static_cast<std::int32_t>(mesh.vertices.size());
    for (const Eigen::Vector3f& corner : {at, Eigen::Vector3f(at + 1e-3F * Eigen::Vector3f::UnitY()),
                                          Eigen::Vector3f(at + 1e-3F * Eigen::Vector3f::UnitZ())}) {
      mesh.vertices.push_back(corner);
    }
    mesh.triangles.push_back({first, first + 1, first + 2});
  }
  const double begin = processor_seconds();
  EXPECT_EQ(lay_out(find_painted_surface(mesh).surface, 4096).charts, 3006U);
  EXPECT_LT(processor_seconds() - begin, 10);
}

// All texels of each triangle's box were visited, and the same ones as now.
TEST(ForEachTexel, VisitsThoseInTheTriangle) {
  std::mt19937 random(8);
  std::uniform_real_distribution<float> place(-20, 30), narrow(-1, 1);
  for (int i = 0; i < 2000; ++i) {
    Texels at;
    for (Eigen::Vector2f& corner : at) corner = {place(random), place(random)};
    if (i % 3 == 0) at[2] = at[0] + 0.7F * (at[1] - at[0]) + Eigen::Vector2f(narrow(random), narrow(random)) / 100;
    if (i % 5 == 0) at[1].y() = at[0].y();
    if (i % 7 == 0) {
      for (Eigen::Vector2f& corner : at) corner = corner.array().round() + 0.5F;
    }
    std::vector<std::pair<int, int>> visited, expected;
    for_each_texel(at, [&](int x, int y, const Eigen::Vector3f&) { visited.emplace_back(x, y); });
    const Eigen::Vector2d a = at[0].cast<double>(), b = at[1].cast<double>() - a, c = at[2].cast<double>() - a;
    const double twice = b.x() * c.y() - b.y() * c.x();
    for (int y = -21; y < 32 && twice != 0; ++y) {
      for (int x = -21; x < 32; ++x) {
        const Eigen::Vector2d p = Eigen::Vector2d(x + 0.5, y + 0.5) - a;
        const double u = (p.x() * c.y() - p.y() * c.x()) / twice, v = (b.x() * p.y() - b.y() * p.x()) / twice;
        if (u >= -1e-6 && v >= -1e-6 && u + v <= 1 + 1e-6) expected.emplace_back(x, y);
      }
    }
    EXPECT_EQ(visited, expected) << i;
    std::erase_if(expected, [](const auto& texel) { return texel.second < 3 || texel.second >= 9; });
    visited.clear();
    for_each_texel(at, [&](int x, int y, const Eigen::Vector3f&) { visited.emplace_back(x, y); }, {3, 9});
    EXPECT_EQ(visited, expected) << i;
  }
}

}  // namespace
}  // namespace p2mpp
