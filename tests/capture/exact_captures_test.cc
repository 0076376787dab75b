// Masks and cameras of a bank of captures are exact. The steps that correct masks and cameras leave them as they are,
// whatever is behind the object.
#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <string>
#include <vector>

#include "capture/drawn_capture.h"
#include "capture/pieces/missing_pieces.h"
#include "capture/poses/pose_refinement.h"
#include "image/mask_facts.h"
#include "image/resize.h"

namespace p2mpp {
namespace {

/// A square picture of random tiles, enlarged: soft blotches, or sharp tiles. tint: how far colours are from grey.
Image tiles(int tiles_a_side, bool is_soft, double tint, int least, int most, std::mt19937_64& random) {
  Image small{tiles_a_side, tiles_a_side, {}};
  for (int i = 0; i < tiles_a_side * tiles_a_side; ++i) {
    const double grey = least + (most - least) * draw_unit(random);
    for (int channel = 0; channel < 3; ++channel) {
      const double value = grey + tint * (most - least) * (draw_unit(random) - 0.5);
      small.rgba.push_back(static_cast<std::uint8_t>(std::clamp(value, 0.0, 255.0)));
    }
    small.rgba.push_back(255);
  }
  constexpr int kSide = 256;
  if (is_soft) return resize_triangle(small, kSide, kSide);
  Image large{kSide, kSide, {}};
  for (int i = 0; i < kSide * kSide; ++i) {
    const auto at =
        small.rgba.begin() + 4 * (i / kSide * tiles_a_side / kSide * tiles_a_side + i % kSide * tiles_a_side / kSide);
    large.rgba.insert(large.rgba.end(), at, at + 4);
  }
  return large;
}

struct Background {
  std::string name;
  int tiles;
  bool is_soft;
  double tint;
  int least, most;
};

/// The object in front of it.
Image in_front_of(const Image& drawn, const Image& background) {
  Image image = drawn;
  for (int row = 0; row < image.height; ++row) {
    for (int column = 0; column < image.width; ++column) {
      const auto i = static_cast<std::size_t>(4 * (row * image.width + column));
      const auto k =
          static_cast<std::size_t>(4 * (row % background.height * background.width + column % background.width));
      const double cover = drawn.rgba[i + 3] / 255.0;
      for (std::size_t channel = 0; channel < 3; ++channel) {
        image.rgba[i + channel] = static_cast<std::uint8_t>(
            std::lround(std::lerp(background.rgba[k + channel], drawn.rgba[i + channel], cover)));
      }
      image.rgba[i + 3] = 255;
    }
  }
  return image;
}

struct Bank {
  std::string name;
  DrawnCapture drawn;
};

/// From 8 to 60 photographs, through five lenses.
std::vector<Bank> bank() {
  std::vector<Bank> captures;
  const auto add = [&](const std::string& name, DrawnShape shape, DrawnOptions options) {
    options.width = 200;
    options.height = 150;
    captures.push_back({name, draw_capture(std::move(shape), options, captures.size() + 1)});
  };
  add("box, 8, pinhole", drawn_box({0.4, 1, 0.35}), {.views = 8, .distorted = false, .samples = 1});
  add("chair, 10, distorted", drawn_chair(), {.views = 10, .samples = 1});
  add("torus, 12, fisheye", drawn_torus(), {.views = 12, .fisheye = true, .samples = 1});
  add("plane, 24, rolled", drawn_plane(), {.views = 24, .rolled = true, .samples = 1});
  add("box, 60, small", drawn_box({0.4, 1, 0.35}), {.views = 60, .fill = 0.45, .samples = 1});
  return captures;
}

TEST(ExactCaptures, StayAsTheyAre) {
  const std::vector<Background> backgrounds = {{"blurred", 8, true, 0, 0, 255},
                                               {"coloured", 6, true, 1.5, 60, 160},
                                               {"tiles", 12, false, 1, 40, 200},
                                               {"texture", 64, true, 0.5, 30, 220},
                                               {"dark", 10, true, 0.5, 0, 40}};
  constexpr int kPixels = 160;
  std::mt19937_64 random(5);
  for (const Bank& one : bank()) {
    const DrawnCapture& drawn = one.drawn;
    for (const Background& background : backgrounds) {
      SCOPED_TRACE(one.name + ", " + background.name);
      std::vector<MaskView> silhouettes;
      std::vector<std::optional<MaskExcess>> excesses;
      for (std::size_t i = 0; i < drawn.images.size(); ++i) {
        const Image behind =
            tiles(background.tiles, background.is_soft, background.tint, background.least, background.most, random);
        const Image image = in_front_of(drawn.images[i], behind);
        const Mask mask = object_mask(drawn.images[i], "drawn").mask;
        silhouettes.push_back(resampled_mask(drawn.capture.photographs[i], mask, mask_facts(mask), kPixels, &image));
        excesses.push_back(mask_excess(silhouettes.back(), silhouettes.back().brightness));
      }
      EXPECT_EQ(common_excess(excesses), 0);
      for (const FilledPiece& piece : fill_missing_pieces(silhouettes, 2)) {
        const Mask& mask = silhouettes[piece.silhouette];
        const auto object = std::ranges::count_if(mask.coverage, [](std::uint8_t cover) { return cover >= 128; });
        EXPECT_LT(static_cast<double>(piece.pixels.size()), 0.01 * static_cast<double>(object));
      }
      const PoseRefinement poses = refine_poses(silhouettes);
      EXPECT_LT(poses.applied ? poses.largest_deg : 0, 0.3);
    }
  }
}

}  // namespace
}  // namespace p2mpp
