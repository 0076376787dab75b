#include "texture/view_blending.h"

#include <gtest/gtest.h>

#include <cmath>

#include "support/test_meshes.h"

namespace p2mpp {
namespace {

constexpr std::size_t kViews = 3;

/// The weights of three photographs at a vertex. The first is the best of all triangles; the others are `brighter`.
std::vector<float> weights_with(float brighter) {
  const PaintedSurface surface = find_painted_surface(testing::tetrahedron()).surface;
  FaceViews views(surface.triangles.size());
  for (std::size_t face = 0; face < views.size(); ++face) {
    for (std::uint16_t i = 0; i < kViews; ++i) {
      const auto value = static_cast<std::uint16_t>(std::lround(65535 * (0.2F + (i == 0 ? 0 : brighter))));
      views.add(face, {.view = i, .colour = {value, value, value}, .quality = i == 0 ? 1 : 0.6F});
    }
  }
  const VertexViews blend = blend_views(surface, views, std::vector<ColourBalance>(kViews), 1);
  std::vector<float> weights;
  for (std::size_t i = 0; i < kViews; ++i) {
    const VertexView* view = blend.find(0, i);
    weights.push_back(view == nullptr ? 0 : view->weight);
  }
  return weights;
}

TEST(ViewBlending, TakesTheBestWherePhotographsAgree) {
  const std::vector<float> weights = weights_with(0);
  EXPECT_GT(weights[0], 0.8F);
  EXPECT_NEAR(weights[0] + weights[1] + weights[2], 1, 1e-5);
}

TEST(ViewBlending, TakesTheMeanWherePhotographsDisagree) {
  const std::vector<float> weights = weights_with(0.4F);
  EXPECT_LT(weights[0], 0.55F);
  EXPECT_GT(weights[1], 0.2F);
  EXPECT_EQ(weights[1], weights[2]);
}

}  // namespace
}  // namespace p2mpp
