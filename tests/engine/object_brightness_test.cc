#include "engine/object_brightness.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "backends/self_check/random_sample.h"
#include "base/temporary_folder.h"
#include "p2mpp/engine.h"

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
