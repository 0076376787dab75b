#include "capture/sample_from_capture.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "base/temporary_folder.h"
#include "capture/drawn_capture.h"
#include "capture/sample_reading.h"
#include "io/image/png_file.h"
#include "p2mpp/error.h"

namespace p2mpp {
namespace {

namespace fs = std::filesystem;

class SampleFromCapture : public testing::Test {
 protected:
  SampleFromCapture() {
    DrawnOptions options;
    options.views = 8;
    options.width = 200;
    options.height = 150;
    options.samples = 1;
    drawn = draw_capture(drawn_chair(), options, 11);
    for (std::size_t i = 0; i < drawn.images.size(); ++i) {
      Photograph& photograph = drawn.capture.photographs[i];
      photograph.name = "IMG_" + std::to_string(i) + ".png";
      write(i, drawn.images[i]);
      photograph.image = folder.path() / photograph.name;
    }
  }

  void write(std::size_t i, const Image& image) const {
    folder.write("IMG_" + std::to_string(i) + ".png", encode_png(image));
  }
  Image filled(std::uint8_t alpha) const {
    Image image = drawn.images[0];
    for (std::size_t i = 3; i < image.rgba.size(); i += 4) image.rgba[i] = alpha;
    return image;
  }

  TemporaryFolder folder;
  DrawnCapture drawn;
};

TEST_F(SampleFromCapture, ReportsWhatItFound) {
  const PreparedCapture prepared = sample_from_capture(drawn.capture, "chair");
  EXPECT_EQ(prepared.sample.id, "chair");
  ASSERT_EQ(prepared.sample.views.size(), 3U);
  ASSERT_TRUE(prepared.sample.network_frame);
  EXPECT_EQ(prepared.chosen.size(), 3U);
  EXPECT_TRUE(prepared.duplicates.empty());
  EXPECT_EQ(prepared.photographs[2].mask, "alpha");
  EXPECT_EQ(prepared.silhouettes.size(), 8U);
  EXPECT_NEAR(prepared.frame.source_from_world.scale / drawn.source_from_world.scale, 1, 0.06);
  for (const View& view : prepared.sample.views) {
    EXPECT_EQ(describe_problem(view.camera), "");
    EXPECT_EQ(view.image.rgba.size(), std::size_t{4} * 224 * 224);
  }
}

/// The same bytes for any number of threads, and from the folder that an import writes.
TEST_F(SampleFromCapture, IsTheSameThroughCamerasJson) {
  PrepareOptions options;
  options.threads = 3;
  const PreparedCapture prepared = sample_from_capture(drawn.capture, "chair");
  const PreparedCapture threaded = sample_from_capture(drawn.capture, "chair", options);
  std::vector<std::string> images, masks(8);
  for (const Photograph& photograph : drawn.capture.photographs) images.push_back(photograph.name);
  folder.write("cameras.json", cameras_json_text(cameras_json_of(drawn.capture, prepared, images, masks)));
  const Sample sample = read_sample(find_sample(folder.path(), {}));
  ASSERT_EQ(sample.views.size(), prepared.sample.views.size());
  for (std::size_t i = 0; i < sample.views.size(); ++i) {
    const View &a = sample.views[i], &b = prepared.sample.views[i];
    EXPECT_EQ(b.image.rgba, threaded.sample.views[i].image.rgba);
    int most = 0;
    for (std::size_t k = 0; k < a.image.rgba.size(); ++k)
      most = std::max(most, std::abs(a.image.rgba[k] - b.image.rgba[k]));
    EXPECT_LE(most, 1);  // the cameras differ in the last bits
    EXPECT_LT((a.camera.origin - b.camera.origin).norm(), 1e-9);
    EXPECT_LT((a.camera.rotation - b.camera.rotation).norm(), 1e-9);
    EXPECT_NEAR(a.camera.intrinsics.fx, b.camera.intrinsics.fx, 1e-6);
  }
  EXPECT_NEAR(sample.source_from_world.scale, prepared.sample.source_from_world.scale, 1e-12);
  SamplePaths paths = find_sample(folder.path(), {});
  paths.camera_rows = {4, 1};
  EXPECT_EQ(read_sample(paths).views.size(), 2U);
  paths.camera_rows = {4, 99};
  EXPECT_REFUSED(read_sample(paths), "cameras.json: has 8 views; expected view 99");
  const SamplePaths named =
      explicit_sample("x", {folder.path() / "IMG_3.png", folder.path() / "IMG_1.png"}, folder.path() / "cameras.json");
  EXPECT_EQ(read_sample(named).views.size(), 2U);
}

TEST_F(SampleFromCapture, TakesTheViewsThatAreNamed) {
  PrepareOptions options;
  options.views = {5, 2};
  EXPECT_EQ(sample_from_capture(drawn.capture, "x", options).chosen, options.views);
  options.views = {5, 8};
  EXPECT_THROW(static_cast<void>(sample_from_capture(drawn.capture, "x", options)), UsageError);
  options.views = {5, 5};
  EXPECT_THROW(static_cast<void>(sample_from_capture(drawn.capture, "x", options)), UsageError);
}

TEST_F(SampleFromCapture, SurvivesHostileMasks) {
  write(0, filled(0));
  Image one = filled(0);
  one.rgba[4 * 1000 + 3] = 255;
  write(1, one);
  Image full = filled(255);
  full.rgba[3] = 254;  // alpha that says nothing
  write(2, full);
  const PreparedCapture prepared = sample_from_capture(drawn.capture, "x");
  EXPECT_EQ(prepared.photographs[0].problem, "the mask is empty");
  EXPECT_EQ(prepared.photographs[1].problem, "the mask has 1x1 pixels; expected at least 8 one way");
  EXPECT_EQ(prepared.photographs[2].problem, "the mask covers 100% of the image");
  for (const std::size_t i : prepared.chosen) EXPECT_GT(i, 2U);
  EXPECT_TRUE(prepared.sample.source_from_world.translation.allFinite());
  for (std::size_t i = 3; i < 8; ++i) write(i, filled(0));
  EXPECT_REFUSED(sample_from_capture(drawn.capture, "x"),
                 "drawn: 0 of 8 photographs have a usable mask; expected at least 2; IMG_0.png: the mask is empty");
}

TEST_F(SampleFromCapture, RefusesMasksOfNothingInCommon) {
  for (std::size_t i = 0; i < 8; ++i) {
    Image corner = filled(0);
    const int left = i % 2 == 0 ? 2 : 180, top = i % 4 < 2 ? 2 : 130;
    for (int row = top; row < top + 12; ++row) {
      for (int column = left; column < left + 12; ++column) {
        corner.rgba[static_cast<std::size_t>(4 * (row * corner.width + column) + 3)] = 255;
      }
    }
    write(i, corner);
  }
  EXPECT_REFUSED(sample_from_capture(drawn.capture, "x"), "drawn: the silhouettes have no point in common");
}

TEST_F(SampleFromCapture, FindsMasksAndDuplicates) {
  fs::create_directories(folder.path() / "masks");
  for (std::size_t i = 0; i < 8; ++i) {
    Image mask = drawn.images[i];
    for (std::size_t k = 0; k < mask.rgba.size(); k += 4) {
      std::fill_n(mask.rgba.begin() + static_cast<std::ptrdiff_t>(k), 3, mask.rgba[k + 3]);
      mask.rgba[k + 3] = 255;
    }
    folder.write("masks/IMG_" + std::to_string(i) + (i % 2 ? ".png.png" : ".png"), encode_png(mask));
  }
  write(3, drawn.images[2]);
  PrepareOptions options;
  options.masks = folder.path() / "masks";
  const PreparedCapture prepared = sample_from_capture(drawn.capture, "x", options);
  EXPECT_EQ(prepared.photographs[0].mask, "mask file");
  EXPECT_EQ(prepared.duplicates, (std::vector<std::pair<std::size_t, std::size_t>>{{2, 3}}));
  fs::remove(folder.path() / "masks" / "IMG_4.png");
  EXPECT_REFUSED(sample_from_capture(drawn.capture, "x", options),
                 "masks: has no mask for IMG_4.png; expected IMG_4.png");
}

TEST_F(SampleFromCapture, ScalesTheLensToTheFile) {
  for (Photograph& photograph : drawn.capture.photographs) {
    photograph.width *= 2;
    photograph.height *= 2;
    Lens& lens = photograph.lens;
    lens.fx *= 2, lens.fy *= 2, lens.cx *= 2, lens.cy *= 2;
  }
  const PreparedCapture prepared = sample_from_capture(drawn.capture, "x");
  EXPECT_NEAR(prepared.frame.source_from_world.scale / drawn.source_from_world.scale, 1, 0.06);
  drawn.capture.photographs[3].width = 399;
  drawn.capture.photographs[3].height = 400;
  EXPECT_REFUSED(sample_from_capture(drawn.capture, "x"),
                 "IMG_3.png: has 200x150 pixels; its camera expects 399x400, or the same shape");
}

}  // namespace
}  // namespace p2mpp
