#include "engine/object_brightness.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "backends/self_check/random_sample.h"
#include "engine/white_rim.h"
#include "p2mpp/engine.h"
#include "support/temporary_folder.h"

namespace p2mpp {
namespace {

/// A square object in the middle of a transparent picture, of noise around a grey.
Sample grey_object(int grey, unsigned seed = 1) {
  Sample sample = random_sample(seed, 3);
  Draw draw(seed);
  for (View& view : sample.views) {
    Image& image = view.image;
    for (std::size_t i = 0; i < image.rgba.size(); i += 4) {
      const auto pixel = static_cast<int>(i / 4);
      const int row = pixel / image.width;
      const int column = pixel % image.width;
      const bool is_object = 3 * row > image.height && 3 * row < 2 * image.height && 3 * column > image.width &&
                             3 * column < 2 * image.width;
      const int value = is_object ? std::clamp(grey + static_cast<int>(5 * draw.uniform(-1, 1)), 0, 255) : 255;
      for (std::size_t channel = 0; channel < 3; ++channel) image.rgba[i + channel] = static_cast<std::uint8_t>(value);
      image.rgba[i + 3] = is_object ? 255 : 0;
    }
  }
  return sample;
}

void make_opaque(Image& image) {
  for (std::size_t i = 3; i < image.rgba.size(); i += 4) image.rgba[i] = 255;
}

TEST(ObjectBrightness, IsOfTheObjectsPixelsAlone) {
  EXPECT_NEAR(object_brightness(grey_object(200).views), 200 / 255., 6 / 255.);
  EXPECT_NEAR(object_brightness(grey_object(40).views), 40 / 255., 6 / 255.);
  EXPECT_EQ(object_brightness({}), 0);
  Sample opaque = grey_object(200);
  for (View& view : opaque.views) make_opaque(view.image);
  EXPECT_EQ(object_brightness(opaque.views), 0);
}

TEST(ObjectBrightness, ObjectsAreDarkenedToTheLimit) {
  for (int grey = 5; grey < 256; grey += 10) {
    const std::vector<Sample> samples = {grey_object(grey)};
    const double before = object_brightness(samples[0].views);
    const std::vector<Sample> shown = darkened(samples, 0.5);
    if (before <= 0.5) {
      EXPECT_TRUE(shown.empty()) << grey;
      continue;
    }
    ASSERT_EQ(shown.size(), 1U) << grey;
    EXPECT_NEAR(object_brightness(shown[0].views), 0.5, 1 / 255.) << grey;
    EXPECT_TRUE(darkened(shown, 0.51).empty());
    for (std::size_t i = 0; i < shown[0].views.size(); ++i) {
      const Image& image = shown[0].views[i].image;
      const Image& own = samples[0].views[i].image;
      for (std::size_t k = 0; k < image.rgba.size(); ++k) {
        if (k % 4 == 3) {
          ASSERT_EQ(image.rgba[k], own.rgba[k]);
        } else {
          ASSERT_LE(image.rgba[k], own.rgba[k]);
        }
      }
    }
  }
}

TEST(ObjectBrightness, OpaqueViewsAndDarkSamplesStayAsTheyAre) {
  std::vector<Sample> samples = {grey_object(250), grey_object(30)};
  make_opaque(samples[0].views[1].image);
  const std::vector<Sample> shown = darkened(samples, 0.5);
  ASSERT_EQ(shown.size(), 2U);
  EXPECT_NE(shown[0].views[0].image.rgba, samples[0].views[0].image.rgba);
  EXPECT_EQ(shown[0].views[1].image.rgba, samples[0].views[1].image.rgba);
  for (std::size_t i = 0; i < 3; ++i) EXPECT_EQ(shown[1].views[i].image.rgba, samples[1].views[i].image.rgba);
  EXPECT_TRUE(darkened(samples, 1).empty());
}

/// Makes the outermost pixels of the object white, as where a mask has grown.
Sample with_white_rim(Sample sample, int width) {
  for (View& view : sample.views) {
    Image& image = view.image;
    for (int step = 0; step < width; ++step) {
      const std::vector<std::uint8_t> before = image.rgba;
      const auto is_object = [&](int row, int column) {
        const std::size_t i = 4 * static_cast<std::size_t>(row * image.width + column);
        return before[i + 3] == 255 && !(before[i] == 255 && step > 0);
      };
      for (int row = 1; row + 1 < image.height; ++row) {
        for (int column = 1; column + 1 < image.width; ++column) {
          const bool is_inside = is_object(row - 1, column) && is_object(row + 1, column) &&
                                 is_object(row, column - 1) && is_object(row, column + 1);
          if (!is_object(row, column) || is_inside) continue;
          std::fill_n(&image.rgba[4 * static_cast<std::size_t>(row * image.width + column)], 3, std::uint8_t{255});
        }
      }
    }
  }
  return sample;
}

TEST(ObjectBrightness, ARimOfBackgroundStaysWhite) {
  const int width = grey_object(90).views[0].image.width;
  ASSERT_GT(width, 60) << "3% of it are a rim";
  const std::vector<Sample> dark = {with_white_rim(grey_object(90), 1)};
  EXPECT_GT(object_brightness(dark[0].views), 0.3);
  EXPECT_TRUE(darkened(dark, 0.5).empty()) << "the object itself is dark enough";

  const std::vector<Sample> bright = {with_white_rim(grey_object(200), 1)}, plain = {grey_object(200)};
  const std::vector<Sample> shown = darkened(bright, 0.5), shown_plain = darkened(plain, 0.5);
  ASSERT_EQ(shown.size(), 1U);
  for (std::size_t k = 0; k < 3; ++k) {
    const Image& before = bright[0].views[k].image;
    const Image& after = shown[0].views[k].image;
    for (std::size_t i = 0; i < after.rgba.size(); i += 4) {
      if (before.rgba[i + 3] < 128) continue;
      if (before.rgba[i] == 255) {
        ASSERT_EQ(after.rgba[i], 255);
      } else {
        ASSERT_NEAR(after.rgba[i], shown_plain[0].views[k].image.rgba[i], 1);
      }
    }
  }
}

TEST(ObjectBrightness, WhiteObjectsHaveNoRim) {
  EXPECT_TRUE(white_rims(grey_object(255).views).empty());
  EXPECT_TRUE(white_rims(grey_object(90).views).empty());
  EXPECT_FALSE(white_rims(with_white_rim(grey_object(90), 1).views).empty());
  EXPECT_TRUE(white_rims(with_white_rim(grey_object(90), 12).views).empty()) << "too wide";
  EXPECT_TRUE(white_rims({}).empty());
}

/// A copy of the tiny model whose model.json names a limit.
std::filesystem::path model_with_limit(const std::filesystem::path& folder, double limit) {
  std::filesystem::copy(std::filesystem::path(P2MPP_TEST_MODELS) / "tiny-clean", folder);
  std::ifstream file(folder / "model.json");
  nlohmann::ordered_json json = nlohmann::ordered_json::parse(file);
  json["brightest_object"] = limit;
  std::ofstream(folder / "model.json") << json.dump();
  return folder;
}

TEST(ObjectBrightness, AnEngineComputesWithDarkenedObjects) {
  const TemporaryFolder folder;
  EngineOptions options;
  options.device = "cpu";
  options.threads = 1;
  options.batch = 2;
  options.model = std::filesystem::path(P2MPP_TEST_MODELS) / "tiny-clean";
  Engine plain(options);
  options.model = model_with_limit(folder.path() / "model", 0.5);
  Engine limited(options);
  const std::vector<Sample> samples = {grey_object(250), grey_object(30, 2), grey_object(160, 3)};
  const std::vector<Sample> shown = darkened(samples, 0.5);
  const std::vector<ReconstructionResult> expected = plain.reconstruct(shown);
  const std::vector<ReconstructionResult> as_they_are = plain.reconstruct(samples);
  const std::vector<ReconstructionResult> found = limited.reconstruct(samples);
  for (std::size_t i = 0; i < samples.size(); ++i) {
    EXPECT_EQ(found[i].reconstruction.vertices(), expected[i].reconstruction.vertices()) << i;
  }
  EXPECT_NE(found[0].reconstruction.vertices(), as_they_are[0].reconstruction.vertices());
  EXPECT_EQ(found[1].reconstruction.vertices(), as_they_are[1].reconstruction.vertices());
}

}  // namespace
}  // namespace p2mpp
