#include "capture/pieces/missing_pieces.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

#include "image/mask_facts.h"
#include "image/resize.h"
#include "support/drawn_masks.h"

namespace p2mpp {
namespace {

constexpr int kSize = 112;

/// An egg in front of a darker background, from all around. The pictures have noise.
std::vector<FitMask> egg_masks(int count, int background = 60) {
  std::mt19937_64 random(1);
  std::vector<FitMask> masks = testing::ellipsoid_masks(Eigen::Vector3d(0.2, 0.12, 0.15).asDiagonal(), count, kSize);
  for (FitMask& mask : masks) {
    for (const std::uint8_t cover : mask.coverage) {
      const auto noise = static_cast<int>(random() % 9);
      mask.brightness.push_back(static_cast<std::uint8_t>((cover >= 128 ? 160 : background) + noise));
    }
  }
  return masks;
}

/// Takes a disc out of a mask, around the place where its outline is at a row. Returns the pixels that it takes.
std::vector<std::size_t> bite(FitMask& mask, int row, int radius = 8) {
  std::vector<std::size_t> taken;
  int edge = 0;
  while (mask.at(row, edge) < 128) ++edge;
  for (std::size_t i = 0; i < mask.coverage.size(); ++i) {
    const int down = static_cast<int>(i) / kSize - row, right = static_cast<int>(i) % kSize - edge;
    if (down * down + right * right > radius * radius) continue;
    if (mask.coverage[i] >= 128) taken.push_back(i);
    mask.coverage[i] = 0;
  }
  return taken;
}

int count_different(const FitMask& a, const FitMask& b) {
  int count = 0;
  for (std::size_t i = 0; i < a.coverage.size(); ++i) count += (a.coverage[i] >= 128) != (b.coverage[i] >= 128);
  return count;
}

TEST(MissingPieces, AreFilledWhereThePhotographShowsNoOutline) {
  const std::vector<FitMask> exact = egg_masks(12);
  std::vector<FitMask> masks = exact;
  std::mt19937_64 random(2);
  for (std::size_t i = 0; i < masks.size(); i += 2) {
    EXPECT_GT(bite(masks[i], 50 + static_cast<int>(random() % 12)).size(), 70U);
  }
  std::vector<FitMask> threaded = masks;
  EXPECT_EQ(fill_missing_pieces(masks, 1), 6U);
  EXPECT_EQ(fill_missing_pieces(threaded, 3), 6U);
  for (std::size_t i = 0; i < masks.size(); ++i) {
    EXPECT_LT(count_different(masks[i], exact[i]), 15) << i;
    EXPECT_EQ(masks[i].coverage, threaded[i].coverage);
  }
}

TEST(MissingPieces, AreNotMadeUp) {
  const std::vector<FitMask> exact = egg_masks(12);
  std::vector<FitMask> masks = exact;
  EXPECT_EQ(fill_missing_pieces(masks, 2), 0U) << "nothing is missing";
  for (std::size_t i = 0; i < masks.size(); ++i) EXPECT_EQ(masks[i].coverage, exact[i].coverage);
  for (const std::size_t pixel : bite(masks[3], 56)) masks[3].brightness[pixel] = 62;
  EXPECT_EQ(fill_missing_pieces(masks, 2), 0U) << "a notch with an outline in the photograph";
  masks = egg_masks(12, 160);
  for (FitMask& mask : masks) bite(mask, 56);
  EXPECT_EQ(fill_missing_pieces(masks, 2), 0U) << "no photograph shows an outline";
  masks = exact;
  for (FitMask& mask : masks) mask.brightness.clear();
  bite(masks[0], 56);
  EXPECT_EQ(fill_missing_pieces(masks, 2), 0U) << "there is no photograph";
  EXPECT_EQ(fill_missing_pieces(std::span<FitMask>(), 1), 0U);
  masks = egg_masks(7);
  bite(masks[0], 56);
  EXPECT_EQ(fill_missing_pieces(masks, 2), 0U) << "seven masks leave much room around the object";
  masks = egg_masks(9);
  std::ranges::fill(masks[1].coverage, std::uint8_t{0});
  EXPECT_EQ(fill_missing_pieces(masks, 1), 0U) << "a mask is empty";
}

/// A third of every mask is missing, and no photograph has an outline there.
TEST(MissingPieces, DoNotLetTheObjectGrow) {
  std::vector<FitMask> masks = egg_masks(12);
  for (FitMask& mask : masks) {
    for (std::size_t i = 0; i < mask.coverage.size(); ++i) {
      if (i % kSize >= kSize / 2 + 4) mask.coverage[i] = 0;
    }
  }
  const std::vector<FitMask> before = masks;
  EXPECT_EQ(fill_missing_pieces(masks, 2), 0U);
  for (std::size_t i = 0; i < masks.size(); ++i) EXPECT_EQ(masks[i].coverage, before[i].coverage);
}

/// A photograph's view. The object is blue. `pixels` have the background's colour if `is_background`.
MaskView coloured(const FitMask& mask, const FitMask& exact, const std::vector<std::size_t>& pixels,
                  bool is_background) {
  MaskView view(mask);
  for (const std::uint8_t cover : exact.coverage) view.blue.push_back(cover >= 128 ? 180 : 110);
  view.red.assign(view.blue.size(), 128);
  for (const std::size_t pixel : pixels) view.blue[pixel] = is_background ? 110 : 180;
  return view;
}

TEST(MissingPieces, AreOfTheObjectsColour) {
  const std::vector<FitMask> exact = egg_masks(12);
  for (const bool is_background : {false, true}) {
    std::vector<MaskView> views;
    for (std::size_t i = 0; i < exact.size(); ++i) {
      FitMask mask = exact[i];
      std::vector<std::size_t> bitten;
      if (i % 2 == 0) bitten = bite(mask, 54);
      views.push_back(coloured(mask, exact[i], bitten, is_background));
    }
    EXPECT_EQ(fill_missing_pieces(views, 2).size(), is_background ? 0U : 6U);
  }
}

/// Paints smooth blotches of all brightnesses behind a mask's object.
void paint_blotches(FitMask& mask, std::mt19937_64& random) {
  constexpr int kBlotches = 8;
  Mask blotches{kBlotches, kBlotches, std::vector<std::uint8_t>(std::size_t{kBlotches} * kBlotches)};
  for (std::uint8_t& each : blotches.coverage) each = static_cast<std::uint8_t>(random() % 256);
  const Mask painted = resize_bilinear(blotches, kSize, kSize);
  for (std::size_t i = 0; i < mask.coverage.size(); ++i) {
    if (mask.coverage[i] < 128) mask.brightness[i] = painted.coverage[i];
  }
}

TEST(MissingPieces, AreNotMadeOfABackgroundThatLooksLikeTheObject) {
  std::mt19937_64 random(3);
  for (int draw = 0; draw < 24; ++draw) {
    std::vector<FitMask> masks = egg_masks(9);
    for (FitMask& mask : masks) paint_blotches(mask, random);
    const std::vector<FitMask> exact = masks;
    EXPECT_EQ(fill_missing_pieces(masks, 2), 0U);
    for (std::size_t i = 0; i < masks.size(); ++i) EXPECT_EQ(masks[i].coverage, exact[i].coverage);
  }
}

/// The piece of a silhouette is the same in the photograph, whose lens has distortion.
TEST(MissingPieces, AreFilledInThePhotographsMask) {
  Photograph photograph;
  photograph.width = 300;
  photograph.height = 200;
  photograph.lens = {.fx = 260, .fy = 250, .cx = 160, .cy = 95, .coefficients = {0.05, 0.02}};
  const auto distance = [](int pixel) { return std::hypot(pixel / 300 - 110, pixel % 300 - 140); };
  Mask mask{300, 200, {}};
  for (int i = 0; i < 60000; ++i) mask.coverage.push_back(distance(i) < 60 ? 255 : 0);
  const MaskView silhouette = resampled_mask(photograph, mask, mask_facts(mask), 120);
  FilledPiece filled;  // the object in a band
  for (std::size_t i = std::size_t{60} * 120; i < std::size_t{80} * 120; ++i) {
    if (silhouette.coverage[i] >= 128) filled.pixels.push_back(i);
  }
  Mask empty{300, 200, std::vector<std::uint8_t>(60000)};
  make_piece(silhouette, filled).add_to(empty, photograph.lens);
  const auto count = static_cast<double>(std::ranges::count(empty.coverage, 255));
  const double scale = silhouette.grain * silhouette.grain;
  EXPECT_NEAR(scale * count / static_cast<double>(filled.pixels.size()), 1, 0.1);
  for (int i = 0; i < 60000; ++i) {
    if (empty.coverage[static_cast<std::size_t>(i)] > 0) {
      EXPECT_LT(distance(i), 62);
    }
  }
}

}  // namespace
}  // namespace p2mpp
