#include <gtest/gtest.h>

#include <cmath>

#include "support/test_meshes.h"
#include "texture/view_blending.h"

namespace p2mpp {
namespace {

FaceView view_of(std::uint16_t number, float colour, float quality = 1) {
  const auto value = static_cast<std::uint16_t>(std::lround(65535 * colour));
  return {.view = number, .colour = {value, value, value}, .quality = quality};
}

/// Triangles of many colours, each seen by all views with the gains and offsets of the views.
FaceViews seen_with(const PaintedSurface& surface, const std::vector<float>& gains, const std::vector<float>& offsets) {
  FaceViews views(surface.triangles.size());
  for (std::size_t face = 0; face < views.size(); ++face) {
    const float colour = 0.1F + 0.3F * static_cast<float>(face % 17) / 17;
    for (std::size_t i = 0; i < gains.size(); ++i) {
      views.add(face, view_of(static_cast<std::uint16_t>(i), gains[i] * colour + offsets[i]));
    }
  }
  return views;
}

TEST(ColourBalance, FindsGains) {
  const PaintedSurface surface = find_painted_surface(testing::icosphere(2)).surface;
  const std::vector<float> gains = {0.7F, 1.3F, 1};
  const FaceViews views = seen_with(surface, gains, {0, 0, 0});
  const std::vector<ColourBalance> balances = balance_colours(surface, views, 3);
  const float first = balances[0].applied(views.find(5, 0)->mean()).x();
  for (std::size_t i = 1; i < 3; ++i) {
    EXPECT_NEAR(balances[i].applied(views.find(5, i)->mean()).x() / first, 1, 0.02) << i;
  }
  EXPECT_NEAR((balances[0].gain * balances[1].gain * balances[2].gain).mean(), 1, 1e-3);
}

TEST(ColourBalance, KeepsWhatAgrees) {
  const PaintedSurface surface = find_painted_surface(testing::icosphere(2)).surface;
  const std::vector<ColourBalance> balances = balance_colours(surface, seen_with(surface, {1, 1}, {0, 0}), 2);
  for (const ColourBalance& balance : balances) {
    EXPECT_NEAR(balance.gain[0], 1, 1e-4);
    EXPECT_NEAR(balance.offset[0], 0, 1e-5);
  }
  EXPECT_EQ(balance_colours(surface, FaceViews(surface.triangles.size()), 4)[3].gain[1], 1) << "nothing is seen";
}

TEST(ColourBalance, DropsOneThatDiffers) {
  const PaintedSurface surface = find_painted_surface(testing::tetrahedron()).surface;
  FaceViews views(4);
  for (std::uint16_t i = 0; i < 4; ++i) views.add(0, view_of(i, i == 2 ? 0.9F : 0.2F + 0.005F * i));
  views.add(1, view_of(0, 0.1F));
  views.add(1, view_of(1, 0.9F));
  for (std::uint16_t i = 0; i < 4; ++i) views.add(2, view_of(i, 0.3F));
  drop_outliers(surface, std::vector<ColourBalance>(4), views);
  EXPECT_EQ(views.find(0, 2), nullptr);
  for (const std::size_t kept : {0U, 1U, 3U}) EXPECT_NE(views.find(0, kept), nullptr) << kept;
  EXPECT_NE(views.find(1, 0), nullptr) << "of two, nobody knows which is wrong";
  EXPECT_NE(views.find(1, 1), nullptr);
  EXPECT_EQ(views.find(2, 2), nullptr) << "beside the first";
  EXPECT_NE(views.find(2, 1), nullptr);
}

TEST(FaceViews, KeepsTheBest) {
  FaceViews views(1);
  for (std::uint16_t i = 0; i < 30; ++i) views.add(0, view_of(i, 0.5F, static_cast<float>(i * 7 % 30)));
  ASSERT_EQ(views.of(0).size(), FaceViews::kMostFaceViews);
  for (std::size_t i = 0; i < views.of(0).size(); ++i) EXPECT_EQ(views.of(0)[i].quality, static_cast<float>(29 - i));
}

}  // namespace
}  // namespace p2mpp
