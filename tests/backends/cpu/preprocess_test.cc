#include "backends/common/preprocess.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <span>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "p2mpp/error.h"
#include "support/pixels.h"
#include "support/temporary_folder.h"

namespace p2mpp {
namespace {

constexpr std::size_t kSide = 224;
constexpr std::size_t kFloats = 3 * kSide * kSide;
constexpr std::array<std::size_t, 11> kStoredRows{0, 1, 2, 57, 58, 111, 112, 150, 199, 222, 223};

std::uint32_t mix(std::uint32_t h) {
  h = (h ^ (h >> 15)) * 0x2c1b3c6dU;
  h = (h ^ (h >> 12)) * 0x297a2d39U;
  return h ^ (h >> 15);
}

/// Noise, a third of it transparent, a third opaque: pixels() of make_fixtures.py.
Image noise(int width, int height) {
  Image image{width, height,
              std::vector<std::uint8_t>(static_cast<std::size_t>(width) * static_cast<std::size_t>(height) * 4)};
  for (std::size_t i = 0; i < image.rgba.size(); ++i) {
    const std::uint32_t value = mix(static_cast<std::uint32_t>(i)) & 255;
    const bool is_alpha = i % 4 == 3;
    image.rgba[i] = static_cast<std::uint8_t>(!is_alpha ? value : value < 85 ? 0 : value < 170 ? 255 : value);
  }
  return image;
}

std::vector<float> preprocessed(const Image& image, AlphaRule rule) {
  std::vector<float> planes(kFloats, -1);
  preprocess(image, {.alpha = rule}, planes);
  return planes;
}

/// What OpenCV made of the stored rows of a picture (tests/data/ops).
std::string stored(const std::string& name) { return slurp(std::string(P2MPP_TEST_DATA "/ops/") + name + ".bin"); }

constexpr AlphaRule kWhite = AlphaRule::kTransparentToWhite;
constexpr AlphaRule kBlend = AlphaRule::kBlendOnWhite;

class AgainstOpenCv : public ::testing::TestWithParam<std::tuple<std::pair<int, int>, AlphaRule>> {
 protected:
  static std::string name(const ParamType& drawn) {
    const auto& [size, rule] = drawn;
    return std::to_string(size.first) + "x" + std::to_string(size.second) +
           (rule == kWhite ? "_transparent_to_white" : "_blend_on_white");
  }
};

TEST_P(AgainstOpenCv, EveryPixelIsEqual) {
  const auto& [size, rule] = GetParam();
  const std::string expected = stored(name(GetParam()));
  ASSERT_EQ(expected.size(), kStoredRows.size() * kSide * 3);
  const std::vector<float> planes = preprocessed(noise(size.first, size.second), rule);
  std::size_t different = 0;
  for (std::size_t i = 0; i < expected.size(); ++i) {
    const std::size_t row = kStoredRows[i / 3 / kSide];
    const float found = planes[(i % 3) * kSide * kSide + row * kSide + i / 3 % kSide];
    different += found != static_cast<float>(static_cast<unsigned char>(expected[i])) / 255.0F;
  }
  EXPECT_EQ(different, 0u) << name(GetParam());
}

INSTANTIATE_TEST_SUITE_P(Preprocess, AgainstOpenCv,
                         ::testing::Combine(::testing::Values(std::pair(137, 137), std::pair(1000, 600),
                                                              std::pair(3, 5), std::pair(224, 224), std::pair(448, 448),
                                                              std::pair(2, 300)),
                                            ::testing::Values(kWhite, kBlend)));

constexpr ImageRules kMasked{AlphaRule::kBlendOnWhite, 4};

std::vector<float> find_mask(const Image& image) {
  std::vector<float> planes(kFloats + kSide * kSide, -1);
  preprocess(image, kMasked, planes);
  const std::vector<float> colours(planes.begin(), planes.begin() + kFloats);
  EXPECT_EQ(colours, preprocessed(image, kBlend)) << "the mask does not change the colours";
  return {planes.begin() + kFloats, planes.end()};
}

/// Opaque: colours of 224 to 255, white where the noise is transparent: nearly_white() of make_fixtures.py.
Image nearly_white(Image image) {
  for (std::size_t i = 0; i < image.rgba.size(); i += 4) {
    const bool white = image.rgba[i + 3] == 0;
    for (std::size_t channel = 0; channel < 3; ++channel) {
      image.rgba[i + channel] = static_cast<std::uint8_t>(white ? 255 : image.rgba[i + channel] / 8 + 224);
    }
    image.rgba[i + 3] = 255;
  }
  return image;
}

// tests/python/training/test_training_images.py compares the trainer's masks with the same files.
TEST(Preprocess, MasksAreResizedAsOpenCvDoes) {
  for (const auto& [width, height] : {std::pair(137, 137), std::pair(1000, 600), std::pair(3, 5)}) {
    for (const char* source : {"alpha", "colours"}) {
      const std::string name = std::to_string(width) + "x" + std::to_string(height) + "_mask_of_" + source;
      const std::string expected = stored(name);
      ASSERT_EQ(expected.size(), kStoredRows.size() * kSide) << name;
      const Image image = noise(width, height);
      const std::vector<float> mask = find_mask(*source == 'a' ? image : nearly_white(image));
      std::size_t different = 0;
      for (std::size_t i = 0; i < expected.size(); ++i) {
        const float found = mask[kStoredRows[i / kSide] * kSide + i % kSide];
        different += found != static_cast<float>(static_cast<unsigned char>(expected[i])) / 255.0F;
      }
      EXPECT_EQ(different, 0U) << name;
    }
  }
}

TEST(Preprocess, TheMaskIsAlphaUnlessEveryPixelIsOpaque) {
  Image image = uniform(kSide, kSide, {255, 255, 255, 255});
  std::uint8_t* const pixel = image.rgba.data() + 4 * 1000;
  const auto share = [&](std::array<std::uint8_t, 4> rgba) {
    std::ranges::copy(rgba, pixel);
    return find_mask(image)[1000];
  };
  EXPECT_EQ(share({255, 255, 255, 255}), 0);
  EXPECT_EQ(share({250, 250, 250, 255}), 0);
  EXPECT_EQ(share({250, 249, 250, 255}), 1);
  EXPECT_EQ(share({0, 0, 0, 255}), 1);
  EXPECT_EQ(share({0, 0, 0, 254}), 254 / 255.0F);
  EXPECT_EQ(share({255, 255, 255, 0}), 0);
  EXPECT_EQ(find_mask(image).front(), 1) << "one pixel of some transparency: the white ones are the object's";
}

TEST(Preprocess, CompositesAsEachRuleSays) {
  const Image half = uniform(9, 7, {200, 100, 0, 128});
  const std::vector<float> kept = preprocessed(half, kWhite);
  EXPECT_EQ(kept.front(), 0);
  EXPECT_EQ(kept[kSide * kSide], 100 / 255.0F);
  EXPECT_EQ(kept.back(), 200 / 255.0F);
  const std::vector<float> blended = preprocessed(half, kBlend);
  EXPECT_EQ(blended.front(), 127 / 255.0F);
  EXPECT_EQ(blended[kSide * kSide], 177 / 255.0F);
  EXPECT_EQ(blended.back(), 227 / 255.0F);
  for (const AlphaRule rule : {kWhite, kBlend}) {
    EXPECT_EQ(preprocessed(uniform(9, 7, {200, 100, 0, 0}), rule), std::vector<float>(kFloats, 1));
    EXPECT_EQ(preprocessed(uniform(9, 7, {200, 100, 0, 255}), rule).back(), 200 / 255.0F);
  }
}

TEST(Preprocess, BlendingRoundsToTheNearest) {
  for (const std::size_t first : {std::size_t{0}, std::size_t{65536} - kSide * kSide}) {
    Image image = uniform(kSide, kSide, {});
    for (std::size_t i = 0; i < kSide * kSide; ++i) {
      image.rgba[4 * i] = static_cast<std::uint8_t>((first + i) & 255);
      image.rgba[4 * i + 3] = static_cast<std::uint8_t>((first + i) >> 8);
    }
    const std::vector<float> planes = preprocessed(image, kBlend);
    for (std::size_t i = 0; i < kSide * kSide; ++i) {
      const int colour = image.rgba[4 * i];
      const int alpha = image.rgba[4 * i + 3];
      const double exact = (colour * alpha + 255.0 * (255 - alpha)) / 255;
      ASSERT_EQ(planes[2 * kSide * kSide + i], static_cast<float>(std::lround(exact)) / 255.0F)
          << colour << ' ' << alpha;
    }
  }
}

TEST(Preprocess, KeepsUniformImagesOfAnySize) {
  for (const auto& [width, height] : {std::pair{1, 1}, {2, 3}, {500, 1}, {223, 225}, {1, 5000}}) {
    for (const int grey : {1, 127, 254, 255}) {
      const auto value = static_cast<std::uint8_t>(grey);
      const std::vector<float> planes = preprocessed(uniform(width, height, {value, value, value, 255}), kWhite);
      const auto [low, high] = std::minmax_element(planes.begin(), planes.end());
      EXPECT_GE(*low, static_cast<float>(value - 1) / 255.0F);
      EXPECT_LE(*high, static_cast<float>(value) / 255.0F);
    }
  }
}

TEST(Preprocess, RefusesWrongSizes) {
  std::vector<float> planes(kFloats);
  EXPECT_THROW(preprocess({0, 0, {}}, {.alpha = kWhite}, planes), InputError);
  EXPECT_THROW(preprocess({-2, -2, std::vector<std::uint8_t>(16)}, {.alpha = kWhite}, planes), InputError);
  EXPECT_THROW(preprocess({2, 2, std::vector<std::uint8_t>(15)}, {.alpha = kWhite}, planes), InputError);
  EXPECT_THROW(preprocess(noise(2, 2), {.alpha = kWhite}, std::span<float>(planes).first(kFloats - 1)), Error);
  EXPECT_THROW(preprocess(noise(2, 2), kMasked, planes), Error);
}

}  // namespace
}  // namespace p2mpp
