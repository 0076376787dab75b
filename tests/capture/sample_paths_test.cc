#include "capture/sample_paths.h"

#include <gtest/gtest.h>

#include "capture/image_folder.h"
#include "p2mpp/error.h"

namespace p2mpp {
namespace {

namespace fs = std::filesystem;

class LocateSample : public ImageFolder {};

TEST_F(LocateSample, RecognisesShapeNetFolders) {
  folder.write("model/rendering/rendering_metadata.txt", rows(8));
  const SamplePaths paths = locate_sample(folder.path() / "model", {});
  EXPECT_EQ(paths.id, "model");
  EXPECT_EQ(paths.cameras, folder.path() / "model/rendering/rendering_metadata.txt");
  EXPECT_EQ(paths.camera_rows, (std::vector<std::size_t>{0, 6, 7}));
  ASSERT_EQ(paths.images.size(), 3u);
  EXPECT_EQ(paths.images[1], folder.path() / "model/rendering/06.png");
  EXPECT_EQ(paths.row_count, 0U);
  const fs::path bare = folder.write("bare/rendering_metadata.txt", rows(8)).parent_path();
  EXPECT_EQ(locate_sample(bare, {.trained_views = {10, 3}}).images,
            (std::vector<fs::path>{bare / "10.png", bare / "03.png"}));
}

TEST_F(LocateSample, RecognisesDemoFolders) {
  for (const char* name : {"plane10.png", "plane2.PNG", "plane1.jpeg", ".hidden.png", "notes.txt"}) write_image(name);
  write_cameras(rows(3));
  const SamplePaths paths = locate_sample(folder.path(), {});
  EXPECT_EQ(paths.images, (std::vector<fs::path>{folder.path() / "plane1.jpeg", folder.path() / "plane2.PNG",
                                                 folder.path() / "plane10.png"}));
  EXPECT_EQ(paths.camera_rows, (std::vector<std::size_t>{0, 1, 2}));
  EXPECT_EQ(paths.row_count, 3U);
}

TEST_F(LocateSample, TakesItsIdFromTheFolder) {
  folder.write("model/rendering/rendering_metadata.txt", rows(8));
  const fs::path model = folder.path() / "model";
  EXPECT_EQ(locate_sample(model / "", {}).id, "model");
  EXPECT_EQ(locate_sample(model / "rendering", {}).id, "model");
  EXPECT_EQ(locate_sample(model / "rendering" / "..", {}).id, "model");
  const fs::path before = fs::current_path();
  fs::current_path(model);
  EXPECT_EQ(locate_sample(".", {}).id, "model");
  fs::current_path(before);
}

TEST_F(LocateSample, RefusesOtherFolders) {
  EXPECT_REFUSED(locate_sample(folder.path() / "missing", {}), "missing: no such folder; expected");
  EXPECT_REFUSED(locate_sample(folder.write("file", "x"), {}), "file: is not a folder");
  EXPECT_REFUSED(locate_sample(folder.path(), {}),
                 "is not a sample's folder; expected rendering/rendering_metadata.txt");
}

TEST_F(LocateSample, ChosenViewsAreThoseOfAnyLayout) {
  write_cameras(rows(6));
  for (const char* name : {"1.png", "2.png", "3.png", "4.png", "5.png", "6.png"}) write_image(name);
  EXPECT_EQ(locate_sample(folder.path(), {}).images.size(), 6U);
  EXPECT_EQ(locate_sample(folder.path(), {}).view_count, 3U) << "of more than five";
  EXPECT_EQ(locate_sample(folder.path(), {.view_count = 5}).view_count, 5U);
  const SamplePaths chosen = locate_sample(folder.path(), {.views = {5, 1}});
  EXPECT_EQ(chosen.images, (std::vector<fs::path>{folder.path() / "6.png", folder.path() / "2.png"}));
  EXPECT_EQ(chosen.camera_rows, (std::vector<std::size_t>{5, 1}));
  EXPECT_EQ(chosen.row_count, 6U);
  EXPECT_EQ(chosen.view_count, 0U);
  EXPECT_REFUSED(locate_sample(folder.path(), {.views = {0, 6}}), "has 6 images; expected view 6 (counted from 0)");
  folder.write("model/rendering_metadata.txt", rows(8));
  EXPECT_EQ(locate_sample(folder.path() / "model", {.views = {1, 2}}).camera_rows, (std::vector<std::size_t>{1, 2}));
  folder.write("imported/cameras.json", "{}");
  EXPECT_EQ(locate_sample(folder.path() / "imported", {.views = {1, 2}}).camera_rows, (std::vector<std::size_t>{1, 2}));
}

TEST_F(LocateSample, TellsCapturesFromSampleFolders) {
  EXPECT_FALSE(is_capture_path(folder.path(), {}));
  folder.write("transforms.json", "{}");
  EXPECT_TRUE(is_capture_path(folder.path(), {}));
  EXPECT_TRUE(is_capture_path(folder.path() / "transforms.json", {}));
  EXPECT_EQ(locate_sample(folder.path(), {}).capture, folder.path());
  EXPECT_REFUSED(locate_sample(folder.path(), {.takes_captures = false}), ": is a capture; expected a sample's folder");
  folder.write("a/rendering/rendering_metadata.txt", rows(8));
  folder.write("b/rendering_metadata.txt", rows(8));
  folder.write("c/cameras.txt", rows(3));
  folder.write("d/cameras.json", "{}");
  SampleRequest turntable, masked, scaled;
  turntable.capture.source.is_turntable = true;
  masked.capture.masks = "masks";
  scaled.capture.frame.scale = 2;
  for (const char* name : {"a", "b", "c", "d"}) {
    const fs::path path = folder.path() / name;
    folder.write(path / "transforms.json", "{}");
    EXPECT_FALSE(is_capture_path(path, {})) << name;
    EXPECT_TRUE(is_capture_path(path, turntable)) << name;
    EXPECT_THROW(static_cast<void>(is_capture_path(path, masked)), UsageError) << name;
    EXPECT_THROW(static_cast<void>(locate_sample(path, scaled)), UsageError) << name;
  }
}

/// cameras.txt is COLMAP's and ours; cameras.json is Gaussian splatting's and ours.
TEST_F(LocateSample, TellsFilesOfOneNameApart) {
  const std::string colmap = "# Camera list\n1 PINHOLE 13 11 20 20 6 5\n";
  folder.write("text/cameras.txt", colmap);
  EXPECT_REFUSED(locate_sample(folder.path() / "text", {}),
                 "cameras.txt: is a COLMAP file without images.txt beside it");
  folder.write("text/images.txt", "1 1 0 0 0 0 0 1 1 a.png\n\n");
  EXPECT_TRUE(is_capture_path(folder.path() / "text", {}));
  EXPECT_EQ(locate_sample(folder.path() / "text", {}).capture, folder.path() / "text");
  folder.write("both/cameras.txt", colmap);
  folder.write("both/cameras.bin", "");
  folder.write("both/images.bin", "");
  EXPECT_TRUE(is_capture_path(folder.path() / "both", {}));
  folder.write("ours/cameras.txt", rows(3));
  folder.write("ours/images.txt", "notes");
  EXPECT_FALSE(is_capture_path(folder.path() / "ours", {}));
  folder.write("splats/cameras.json", R"([{"img_name": "a", "rotation": []}])");
  EXPECT_TRUE(is_capture_path(folder.path() / "splats", {}));
}

TEST_F(LocateSample, RefusesTooFewAndTooManyImages) {
  write_cameras(rows(3));
  write_image("1.png");
  EXPECT_REFUSED(locate_sample(folder.path(), {}), "number of images is 1; expected at least 2");
  folder.write("model/rendering_metadata.txt", rows(8));
  EXPECT_REFUSED(locate_sample(folder.path() / "model", {.trained_views = {0}}), "number of images is 1");
  EXPECT_REFUSED(locate_sample(folder.path() / "model", {.trained_views = std::vector<std::size_t>(65)}),
                 "number of images is 65");
}

TEST_F(LocateSample, ExplicitSamplesChecksTheirIdAndCount) {
  const SamplePaths paths = named_sample("mine", {"b.png", "a.png"}, "c.txt");
  EXPECT_EQ(paths.images, (std::vector<fs::path>{"b.png", "a.png"}));
  EXPECT_EQ(paths.camera_rows, (std::vector<std::size_t>{0, 1}));
  EXPECT_REFUSED(named_sample("mine", {"a.png"}, "c.txt"), "mine: number of images is 1");
  EXPECT_REFUSED(named_sample("mine", std::vector<fs::path>(65, "a.png"), "c.txt"), "number of images is 65");
  for (const std::string& id : {std::string(), std::string("../up"), std::string("a\0b", 3), std::string(10000, 'x')}) {
    EXPECT_REFUSED(named_sample(id, {"a.png", "b.png"}, "c.txt"), "cannot name a sample");
  }
}

class LocateListedSample : public ::testing::Test {
 protected:
  SamplePaths find(const std::string& id) const {
    return locate_listed_sample(folder.path() / "images", list_entry(id, 1), {.trained_views = {0, 6}});
  }

  TemporaryFolder folder;
};

TEST_F(LocateListedSample, FindsImagesWithAndWithoutRendering) {
  folder.write("images/c/m/rendering/rendering_metadata.txt", "");
  folder.write("images/c/n/rendering_metadata.txt", "");
  const SamplePaths with = find("c_m_00.dat");
  EXPECT_EQ(with.id, "c_m_00");
  EXPECT_EQ(with.images.at(1), folder.path() / "images/c/m/rendering/06.png");
  EXPECT_EQ(with.camera_rows, (std::vector<std::size_t>{0, 6}));
  EXPECT_EQ(find("c_n_00.dat").images.at(0), folder.path() / "images/c/n/00.png");
}

TEST_F(LocateListedSample, NamesThePlacesWhereImagesShouldBe) {
  fs::create_directory(folder.path() / "images");
  EXPECT_REFUSED(find("c_m_00.dat"),
                 "c/m/rendering/rendering_metadata.txt: does not exist, with or without rendering/");
  EXPECT_REFUSED(find("c_.._00.dat"), "c_.._00 (line 1): starts with '.' or holds '..'");
  fs::remove(folder.path() / "images");
  EXPECT_REFUSED(find("c_m_00.dat"), "images: no such folder");
  // Not every error is a link that leads out.
  folder.write("images/c/other/x", "");
  fs::create_symlink("m", folder.path() / "images/c/m");
  EXPECT_REFUSED(find("c_m_00.dat"), "c/m: Too many levels of symbolic links");
}

TEST_F(LocateListedSample, RefusesLinksOutOfTheRoot) {
  folder.write("outside/m/rendering_metadata.txt", "");
  folder.write("images/c/file/00.png", "");
  fs::create_directory_symlink(folder.path() / "outside" / "m", folder.path() / "images/c/linked");
  fs::create_symlink(folder.path() / "outside/m/rendering_metadata.txt",
                     folder.path() / "images/c/file/rendering_metadata.txt");
  fs::create_directory_symlink(folder.path() / "outside", folder.path() / "images/d");
  EXPECT_REFUSED(find("c_linked_00.dat"), "linked: leads out of");
  EXPECT_REFUSED(find("c_file_00.dat"), "rendering_metadata.txt: leads out of");
  EXPECT_REFUSED(find("d_m_00.dat"), "d/m: leads out of");
  folder.write("images/c/m/rendering_metadata.txt", "");
  fs::create_symlink("/etc/passwd", folder.path() / "images/c/m/06.png");
  EXPECT_REFUSED(find("c_m_00.dat"), "06.png: leads out of");
}

TEST_F(LocateListedSample, FollowsLinksThatStayInside) {
  folder.write("real/c/m/rendering_metadata.txt", "");
  fs::create_directory_symlink(folder.path() / "real/c/m", folder.path() / "real/c/alias");
  fs::create_directory_symlink("real", folder.path() / "images");
  EXPECT_EQ(find("c_alias_00.dat").cameras, folder.path() / "images/c/alias/rendering_metadata.txt");
}

}  // namespace
}  // namespace p2mpp
