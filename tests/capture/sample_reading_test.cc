#include "capture/sample_reading.h"

#include <gtest/gtest.h>

#include <array>

#include "io/image/image_file.h"
#include "io/image/png_file.h"
#include "io/sample_paths.h"
#include "p2mpp/error.h"
#include "support/temporary_folder.h"

namespace p2mpp {
namespace {

namespace fs = std::filesystem;

constexpr std::array<std::size_t, 3> kViews{0, 6, 7};
const fs::path kPng = fs::path(P2MPP_TEST_DATA) / "io" / "images" / "rgba8.png";

std::string rows(int count) {
  std::string text;
  for (int row = 0; row < count; ++row) text += std::to_string(10 * row) + " 30 0 0.8 25\n";
  return text;
}

class ReadSample : public ::testing::Test {
 protected:
  fs::path write_image(const fs::path& name) const { return folder.write(name, slurp(kPng)); }
  fs::path write_cameras(const std::string& text) const { return folder.write("cameras.txt", text); }

  TemporaryFolder folder;
};

TEST_F(ReadSample, PairsImagesWithTheirRows) {
  for (const char* name : {"00.png", "06.png", "07.png"}) write_image(fs::path("model") / name);
  folder.write("model/rendering_metadata.txt", rows(24));
  const Sample sample = read_sample(find_sample(folder.path() / "model", kViews));
  EXPECT_EQ(sample.id, "model");
  ASSERT_EQ(sample.views.size(), 3u);
  EXPECT_EQ(sample.views[2].row->azimuth_deg, 70);
  EXPECT_EQ(sample.views[2].image.width, 13);
}

TEST_F(ReadSample, PadsWhatIsNotSquare) {
  folder.write("a1.png", encode_png({3, 2, std::vector<std::uint8_t>(24, 7)}));
  folder.write("a2.png", encode_png({2, 2, std::vector<std::uint8_t>(16, 7)}));
  write_cameras(rows(2));
  const Sample sample = read_sample(find_sample(folder.path(), kViews));
  EXPECT_TRUE(sample.views[0].padded);
  EXPECT_EQ(sample.views[0].image.height, 3);
  EXPECT_FALSE(sample.views[1].padded);
}

TEST_F(ReadSample, ReducesWhatIsLarge) {
  folder.write("a1.png", encode_png({4096, 2, std::vector<std::uint8_t>(std::size_t{8} * 4096, 7)}));
  folder.write("a2.png", encode_png({2048, 2, std::vector<std::uint8_t>(std::size_t{8} * 2048, 7)}));
  write_cameras(rows(2));
  const Sample sample = read_sample(find_sample(folder.path(), kViews));
  for (const View& view : sample.views) EXPECT_EQ(view.image.width, kMaxViewSide);
}

TEST_F(ReadSample, RefusesMorePixelsThanThereMayBe) {
  for (const char* name : {"a1.png", "a2.png", "a3.png"}) write_image(name);  // padded to 13x13
  write_cameras(rows(3));
  SamplePaths paths = find_sample(folder.path(), kViews);
  paths.id = "chair";
  EXPECT_EQ(read_sample(paths, {}, 3 * 169).views.size(), 3u);
  EXPECT_REFUSED(read_sample(paths, {}, 3 * 169 - 1),
                 "chair: 3 of its 3 images have 507 pixels together; expected at most 506 (the option max-pixels)");
  EXPECT_REFUSED(read_sample(paths, {}, 1), "chair: 1 of its 3 images have 169 pixels together; expected at most 1");
}

TEST_F(ReadSample, RefusesRowsWithoutImagesAndImagesWithoutRows) {
  write_image("a1.png");
  write_image("a2.png");
  write_cameras(rows(1));
  EXPECT_REFUSED(read_sample(find_sample(folder.path(), kViews)),
                 "cameras.txt: has 1 rows for 2 images; expected one row for each");
  write_cameras(rows(3));
  EXPECT_REFUSED(read_sample(find_sample(folder.path(), kViews)), "has 3 rows for 2 images");
  folder.write("model/rendering_metadata.txt", rows(7));
  EXPECT_REFUSED(read_sample(find_sample(folder.path() / "model", kViews)),
                 "has 7 rows; expected row 7 (counted from 0) for 07.png");
}

TEST_F(ReadSample, NamesTheFileThatIsMissingOrWrong) {
  write_image("a1.png");
  const fs::path second = write_image("a2.png");
  write_cameras(rows(2));
  const SamplePaths paths = find_sample(folder.path(), kViews);
  fs::remove(second);
  EXPECT_REFUSED(read_sample(paths), "a2.png: cannot be opened: no such file");
  folder.write("a2.png", "text");
  EXPECT_REFUSED(read_sample(paths), "a2.png: is not an image");
  fs::remove(folder.path() / "cameras.txt");
  EXPECT_REFUSED(read_sample(paths), "cameras.txt: cannot be opened");
}

TEST(ReadRequestedSample, TakesRowsAsTheyAre) {
  const std::filesystem::path images = std::filesystem::path(P2MPP_TEST_DATA) / "io" / "images";
  WorkerRequest request;
  request.id = "a";
  request.images = {images / "gray8.png", images / "rgb8.png"};
  request.camera_rows = {{10, 20, 0, 0.75F, 25}, {30, 20, 0, 0.75F, 25}};
  const Sample sample = read_requested_sample(request);
  ASSERT_EQ(sample.views.size(), 2U);
  EXPECT_EQ(sample.views[1].row->azimuth_deg, 30);
  EXPECT_EQ(sample.views[1].image.width, 13);
  request.images[1] = images / "missing.png";
  EXPECT_THROW(static_cast<void>(read_requested_sample(request)), InputError);
}

}  // namespace
}  // namespace p2mpp
