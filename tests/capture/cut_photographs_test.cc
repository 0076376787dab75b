#include <gtest/gtest.h>

#include "base/numbers/random.h"
#include "capture/drawn_capture.h"
#include "hull/hull_projection.h"
#include "capture/poses/pose_refinement.h"

// A photograph's border is no outline: what lies beyond it is unknown.
namespace p2mpp {
namespace {

/// Keeps a part of a photograph.
void crop(const PixelBox& part, Image& image, Photograph& photograph) {
  Image kept{part.right - part.left, part.bottom - part.top, {}};
  for (int row = part.top; row < part.bottom; ++row) {
    const auto begin = image.rgba.begin() + 4 * (std::ptrdiff_t{row} * image.width + part.left);
    kept.rgba.insert(kept.rgba.end(), begin, begin + 4 * std::ptrdiff_t{kept.width});
  }
  image = std::move(kept);
  photograph.width = image.width;
  photograph.height = image.height;
  photograph.lens.cx -= part.left;
  photograph.lens.cy -= part.top;
}

/// Cuts through the object, from one or two sides.
void cut(DrawnCapture& drawn, std::size_t which, std::mt19937_64& random) {
  Image& image = drawn.images[which];
  const MaskFacts facts = mask_facts(object_mask(image, "drawn").mask);
  PixelBox part{0, 0, image.width, image.height};
  const auto within = [&](int low, int high) {
    return low + static_cast<int>((0.25 + 0.5 * draw_unit(random)) * (high - low));
  };
  const int side = static_cast<int>(4 * draw_unit(random));
  if (side == 0) part.left = within(facts.left, facts.right);
  if (side == 1) part.right = within(facts.left, facts.right);
  if (side >= 2) part.bottom = within(facts.top, facts.bottom);
  if (side == 3) part.left = within(facts.left, (facts.left + facts.right) / 2);
  crop(part, image, drawn.capture.photographs[which]);
}

struct CutCase {
  const char* name;
  DrawnShape (*shape)();
  int every;  ///< which photographs are cut
};

class CutPhotographs : public ::testing::TestWithParam<CutCase> {
 protected:
  CutPhotographs() : whole_(draw_capture(GetParam().shape(), {.views = 18, .samples = 1}, 5)), cut_(whole_) {
    std::mt19937_64 random(7);
    for (std::size_t i = 0; i < cut_.images.size(); i += static_cast<std::size_t>(GetParam().every))
      cut(cut_, i, random);
  }
  DrawnCapture whole_, cut_;
};

INSTANTIATE_TEST_SUITE_P(Shapes, CutPhotographs,
                         ::testing::Values(CutCase{"Chair", drawn_chair, 3}, CutCase{"Torus", drawn_torus, 2},
                                           CutCase{"Plane", drawn_plane, 3}),
                         [](const auto& each) { return std::string(each.param.name); });

TEST_P(CutPhotographs, TakeNothingFromTheHull) {
  const std::vector<MaskView> whole = silhouettes_of(whole_), cut = silhouettes_of(cut_);
  const RobustHull expected = robust_hull(whole), found = robust_hull(cut);
  EXPECT_TRUE(found.excluded.empty());
  EXPECT_EQ(found.allowance, 0);
  EXPECT_GT(found.hull.volume, 0.99 * expected.hull.volume);  // the hull of fewer views is larger
  EXPECT_LT(found.hull.volume, 1.2 * expected.hull.volume);
  const double size = (expected.hull.upper - expected.hull.lower).norm();
  EXPECT_LT((found.hull.lower - expected.hull.lower).norm(), 0.03 * size);
  EXPECT_LT((found.hull.upper - expected.hull.upper).norm(), 0.03 * size);
  for (const SilhouetteFit& fit : found.fits) {
    EXPECT_LT(fit.unexplained, 0.02);
    EXPECT_LT(fit.beyond, 0.15);
  }
  EXPECT_FALSE(refine_poses(cut).applied);  // nothing is wrong with the poses
}

TEST_P(CutPhotographs, KnowWhatTheyShow) {
  const std::vector<MaskView> whole = silhouettes_of(whole_), cut = silhouettes_of(cut_);
  for (std::size_t i = 0; i < cut.size(); ++i) {
    if (i % static_cast<std::size_t>(GetParam().every) != 0) {
      EXPECT_TRUE(cut[i].unknown.empty());
      EXPECT_EQ(cut[i].coverage, whole[i].coverage);
      continue;
    }
    ASSERT_FALSE(cut[i].unknown.empty());
    EXPECT_GT(std::ranges::count(cut[i].unknown, 1), 0);
    EXPECT_GT(std::ranges::count(cut[i].unknown, 0), 0);
    for (std::size_t k = 0; k < cut[i].unknown.size(); ++k) {
      if (cut[i].unknown[k] == 0) continue;
      EXPECT_EQ(cut[i].coverage[k], 0);
      EXPECT_GT(cut[i].distance(static_cast<int>(k) / cut[i].width, static_cast<int>(k) % cut[i].width), 0);
    }
  }
}

}  // namespace
}  // namespace p2mpp
