#include "io/sample_folder.h"

#include <gtest/gtest.h>

#include <array>

#include "io/image/png_file.h"
#include "io/sample_paths.h"
#include "p2mpp/error.h"
#include "support/comma_locale.h"
#include "support/temporary_folder.h"

namespace p2mpp {
namespace {

namespace fs = std::filesystem;

constexpr std::array<std::size_t, 3> kViews{0, 6, 7};
const fs::path kPng = fs::path(P2MPP_TEST_DATA) / "io" / "images" / "rgba8.png";
const std::string kRow = "250.48 29.46 0 0.652 25\n";

std::string rows(int count) {
  std::string text;
  for (int row = 0; row < count; ++row) text += std::to_string(10 * row) + " 30 0 0.8 25\n";
  return text;
}

class SampleFolder : public ::testing::Test {
 protected:
  fs::path write_image(const fs::path& name) const { return folder.write(name, slurp(kPng)); }
  fs::path write_cameras(const std::string& text) const { return folder.write("cameras.txt", text); }
  std::vector<CameraRow> parse(const std::string& text) const { return read_cameras(write_cameras(text)); }

  TemporaryFolder folder;
};

using ReadCameras = SampleFolder;

TEST_F(ReadCameras, ReadsRows) {
  const std::vector<CameraRow> cameras =
      parse("\xef\xbb\xbf# azimuth ...\r\n" + kRow + "\r\n \t\n1e2\t-3 +4 .5 6 # last");
  ASSERT_EQ(cameras.size(), 2u);
  EXPECT_FLOAT_EQ(cameras[0].azimuth_deg, 250.48F);
  EXPECT_FLOAT_EQ(cameras[0].elevation_deg, 29.46F);
  EXPECT_FLOAT_EQ(cameras[0].distance, 0.652F);
  EXPECT_FLOAT_EQ(cameras[1].azimuth_deg, 100);
  EXPECT_FLOAT_EQ(cameras[1].elevation_deg, -3);
  EXPECT_FLOAT_EQ(cameras[1].in_plane_rotation_deg, 4);
  EXPECT_FLOAT_EQ(cameras[1].distance, 0.5F);
  EXPECT_FLOAT_EQ(cameras[1].field_of_view_deg, 6);
}

TEST_F(ReadCameras, IgnoresTheLocale) {
  const CommaLocale locale;
  EXPECT_FLOAT_EQ(parse(kRow).at(0).distance, 0.652F);
}

TEST_F(ReadCameras, RefusesTheWrongNumberOfColumns) {
  EXPECT_REFUSED(parse(kRow + "1 2 0 0.8\n"), "cameras.txt:2: has 4 columns; expected 5");
  EXPECT_REFUSED(parse("\n1 2 0 0.8 25 7\n"), "cameras.txt:2: has 6 columns");
}

TEST_F(ReadCameras, RefusesWhatIsNotANumber) {
  for (const char* value : {"nan", "NaN", "inf", "-inf", "1e400", "0x10", "1,5", "abc", "0.8m"}) {
    EXPECT_REFUSED(parse("1 2 0 " + std::string(value) + " 25"),
                   "cameras.txt:1: '" + std::string(value) + "' is not a finite number");
  }
  EXPECT_REFUSED(parse(std::string("1 2 0 0.8\0 25", 13)), "'0.8\\x00' is not a finite number");
}

TEST_F(ReadCameras, RefusesADistanceThatIsNotPositive) {
  for (const char* value : {"0", "-0.0", "-1", "1e-60"}) {
    EXPECT_REFUSED(parse(kRow + "1 2 0 " + std::string(value) + " 25"), "cameras.txt:2: ");
  }
  EXPECT_REFUSED(parse("1e300 2 0 0.8 25"), "cameras.txt:1: ");
}

TEST_F(ReadCameras, RefusesAFileWithoutRows) {
  EXPECT_REFUSED(parse(""), "cameras.txt: has no row; expected one a view");
  EXPECT_REFUSED(parse("\n# only words\n"), "has no row");
  EXPECT_REFUSED(read_cameras(folder.path() / "missing.txt"), "missing.txt: cannot be opened: no such file");
}

using FindSample = SampleFolder;

TEST_F(FindSample, RecognisesShapeNetFolders) {
  folder.write("model/rendering/rendering_metadata.txt", rows(8));
  const SamplePaths paths = find_sample(folder.path() / "model", kViews);
  EXPECT_EQ(paths.id, "model");
  EXPECT_EQ(paths.cameras, folder.path() / "model/rendering/rendering_metadata.txt");
  EXPECT_EQ(paths.camera_rows, (std::vector<std::size_t>{0, 6, 7}));
  ASSERT_EQ(paths.images.size(), 3u);
  EXPECT_EQ(paths.images[1], folder.path() / "model/rendering/06.png");
  EXPECT_EQ(paths.row_count, 0U);
}

TEST_F(FindSample, RecognisesShapeNetFoldersWithoutRendering) {
  folder.write("model/rendering_metadata.txt", rows(8));
  const SamplePaths paths = find_sample(folder.path() / "model", std::array<std::size_t, 2>{10, 3});
  EXPECT_EQ(paths.images, (std::vector<fs::path>{folder.path() / "model/10.png", folder.path() / "model/03.png"}));
}

TEST_F(FindSample, RecognisesDemoFolders) {
  for (const char* name : {"plane10.png", "plane2.PNG", "plane1.jpeg", ".hidden.png", "notes.txt"}) write_image(name);
  write_cameras(rows(3));
  const SamplePaths paths = find_sample(folder.path(), kViews);
  EXPECT_EQ(paths.images, (std::vector<fs::path>{folder.path() / "plane1.jpeg", folder.path() / "plane2.PNG",
                                                 folder.path() / "plane10.png"}));
  EXPECT_EQ(paths.camera_rows, (std::vector<std::size_t>{0, 1, 2}));
  EXPECT_EQ(paths.row_count, 3U);
}

TEST_F(FindSample, TakesItsIdFromTheFolder) {
  folder.write("model/rendering/rendering_metadata.txt", rows(8));
  const fs::path model = folder.path() / "model";
  EXPECT_EQ(find_sample(model / "", kViews).id, "model");
  EXPECT_EQ(find_sample(model / "rendering", kViews).id, "model");
  EXPECT_EQ(find_sample(model / "rendering" / "..", kViews).id, "model");
  const fs::path before = fs::current_path();
  fs::current_path(model);
  EXPECT_EQ(find_sample(".", kViews).id, "model");
  fs::current_path(before);
}

TEST_F(FindSample, RefusesOtherFolders) {
  EXPECT_REFUSED(find_sample(folder.path() / "missing", kViews), "missing: no such folder; expected");
  EXPECT_REFUSED(find_sample(folder.write("file", "x"), kViews), "file: is not a folder");
  EXPECT_REFUSED(find_sample(folder.path(), kViews),
                 "is not a sample's folder; expected rendering/rendering_metadata.txt");
}

TEST_F(FindSample, ChosenViewsAreThoseOfAnyLayout) {
  write_cameras(rows(6));
  for (const char* name : {"1.png", "2.png", "3.png", "4.png", "5.png", "6.png"}) write_image(name);
  EXPECT_EQ(find_sample(folder.path(), kViews).images.size(), 6U);
  EXPECT_EQ(find_sample(folder.path(), kViews).view_count, 3U) << "of more than five";
  EXPECT_EQ(find_sample(folder.path(), kViews, {}, 5).view_count, 5U);
  const SamplePaths chosen = find_sample(folder.path(), kViews, std::array<std::size_t, 2>{5, 1});
  EXPECT_EQ(chosen.images, (std::vector<fs::path>{folder.path() / "6.png", folder.path() / "2.png"}));
  EXPECT_EQ(chosen.camera_rows, (std::vector<std::size_t>{5, 1}));
  EXPECT_EQ(chosen.row_count, 6U);
  EXPECT_EQ(chosen.view_count, 0U);
  EXPECT_REFUSED(find_sample(folder.path(), kViews, std::array<std::size_t, 2>{0, 6}),
                 "has 6 images; expected view 6 (counted from 0)");
  folder.write("model/rendering_metadata.txt", rows(8));
  EXPECT_EQ(find_sample(folder.path() / "model", kViews, std::array<std::size_t, 2>{1, 2}).camera_rows,
            (std::vector<std::size_t>{1, 2}));
  folder.write("imported/cameras.json", "{}");
  EXPECT_EQ(find_sample(folder.path() / "imported", kViews, std::array<std::size_t, 2>{1, 2}).camera_rows,
            (std::vector<std::size_t>{1, 2}));
}

TEST_F(FindSample, KnowsItsFolders) {
  EXPECT_FALSE(is_sample_folder(folder.path()));
  folder.write("a/rendering/rendering_metadata.txt", rows(8));
  folder.write("b/rendering_metadata.txt", rows(8));
  folder.write("c/cameras.txt", rows(3));
  folder.write("d/cameras.json", "{}");
  for (const char* name : {"a", "b", "c", "d"}) EXPECT_TRUE(is_sample_folder(folder.path() / name)) << name;
}

TEST_F(FindSample, RefusesTooFewAndTooManyImages) {
  write_cameras(rows(3));
  write_image("1.png");
  EXPECT_REFUSED(find_sample(folder.path(), kViews), "number of images is 1; expected at least 2");
  folder.write("model/rendering_metadata.txt", rows(8));
  EXPECT_REFUSED(find_sample(folder.path() / "model", std::array<std::size_t, 1>{0}), "number of images is 1");
  EXPECT_REFUSED(find_sample(folder.path() / "model", std::array<std::size_t, 65>{}), "number of images is 65");
}

TEST_F(SampleFolder, ExplicitSamplesChecksTheirIdAndCount) {
  const SamplePaths paths = explicit_sample("mine", {"b.png", "a.png"}, "c.txt");
  EXPECT_EQ(paths.images, (std::vector<fs::path>{"b.png", "a.png"}));
  EXPECT_EQ(paths.camera_rows, (std::vector<std::size_t>{0, 1}));
  EXPECT_REFUSED(explicit_sample("mine", {"a.png"}, "c.txt"), "mine: number of images is 1");
  EXPECT_REFUSED(explicit_sample("mine", std::vector<fs::path>(65, "a.png"), "c.txt"), "number of images is 65");
  for (const std::string& id : {std::string(), std::string("../up"), std::string("a\0b", 3), std::string(10000, 'x')}) {
    EXPECT_REFUSED(explicit_sample(id, {"a.png", "b.png"}, "c.txt"), "cannot name a sample");
  }
}

}  // namespace
}  // namespace p2mpp
