#include "capture/open_sample.h"

#include <gtest/gtest.h>

#include "capture/image_folder.h"
#include "io/image/image_file.h"
#include "io/image/png_file.h"
#include "p2mpp/error.h"

namespace p2mpp {
namespace {

namespace fs = std::filesystem;

class OpenSample : public ImageFolder {};

TEST_F(OpenSample, PairsImagesWithTheirRows) {
  for (const char* name : {"00.png", "06.png", "07.png"}) write_image(fs::path("model") / name);
  folder.write("model/rendering_metadata.txt", rows(24));
  const Sample sample = open_sample(folder.path() / "model", {}).sample;
  EXPECT_EQ(sample.id, "model");
  ASSERT_EQ(sample.views.size(), 3u);
  EXPECT_EQ(sample.views[2].row->azimuth_deg, 70);
  EXPECT_EQ(sample.views[2].image.width, 13);
}

TEST_F(OpenSample, PadsWhatIsNotSquare) {
  folder.write("a1.png", encode_png({3, 2, std::vector<std::uint8_t>(24, 7)}));
  folder.write("a2.png", encode_png({2, 2, std::vector<std::uint8_t>(16, 7)}));
  write_cameras(rows(2));
  const Sample sample = open_sample(folder.path(), {}).sample;
  EXPECT_TRUE(sample.views[0].padded);
  EXPECT_EQ(sample.views[0].image.height, 3);
  EXPECT_FALSE(sample.views[1].padded);
}

TEST_F(OpenSample, ReducesWhatIsLarge) {
  folder.write("a1.png", encode_png({4096, 2, std::vector<std::uint8_t>(std::size_t{8} * 4096, 7)}));
  folder.write("a2.png", encode_png({2048, 2, std::vector<std::uint8_t>(std::size_t{8} * 2048, 7)}));
  write_cameras(rows(2));
  const Sample sample = open_sample(folder.path(), {}).sample;
  for (const View& view : sample.views) EXPECT_EQ(view.image.width, kMaxViewSide);
}

TEST_F(OpenSample, RefusesMorePixelsThanThereMayBe) {
  for (const char* name : {"a1.png", "a2.png", "a3.png"}) write_image(name);  // padded to 13x13
  write_cameras(rows(3));
  SamplePaths paths = locate_sample(folder.path(), {});
  paths.id = "chair";
  EXPECT_EQ(open_sample(paths, {.max_pixels = 3 * 169}).sample.views.size(), 3u);
  EXPECT_REFUSED(open_sample(paths, {.max_pixels = 3 * 169 - 1}),
                 "chair: 3 of its 3 images have 507 pixels together; expected at most 506 (the option max-pixels)");
  EXPECT_REFUSED(open_sample(paths, {.max_pixels = 1}),
                 "chair: 1 of its 3 images have 169 pixels together; expected at most 1");
}

TEST_F(OpenSample, RefusesRowsWithoutImagesAndImagesWithoutRows) {
  write_image("a1.png");
  write_image("a2.png");
  write_cameras(rows(1));
  EXPECT_REFUSED(open_sample(folder.path(), {}), "cameras.txt: has 1 rows for 2 images; expected one row for each");
  write_cameras(rows(3));
  EXPECT_REFUSED(open_sample(folder.path(), {}), "has 3 rows for 2 images");
  folder.write("model/rendering_metadata.txt", rows(7));
  EXPECT_REFUSED(open_sample(folder.path() / "model", {}), "has 7 rows; expected row 7 (counted from 0) for 07.png");
}

TEST_F(OpenSample, NamesTheFileThatIsMissingOrWrong) {
  write_image("a1.png");
  const fs::path second = write_image("a2.png");
  write_cameras(rows(2));
  const SamplePaths paths = locate_sample(folder.path(), {});
  fs::remove(second);
  EXPECT_REFUSED(open_sample(paths, {}), "a2.png: cannot be opened: no such file");
  folder.write("a2.png", "text");
  EXPECT_REFUSED(open_sample(paths, {}), "a2.png: is not an image");
  fs::remove(folder.path() / "cameras.txt");
  EXPECT_REFUSED(open_sample(paths, {}), "cameras.txt: cannot be opened");
}

}  // namespace
}  // namespace p2mpp
