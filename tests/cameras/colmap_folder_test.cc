#include "cameras/colmap/colmap_folder.h"

#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <random>

#include "cameras/capture_folder.h"
#include "cameras/colmap_files.h"
#include "cameras/read_capture.h"
#include "p2mpp/error.h"

namespace p2mpp {
namespace {

namespace fs = std::filesystem;

/// A rotation by the formula of Rodrigues, and its quaternion by the half angle.
struct Turn {
  Eigen::Vector3d axis;
  double angle;
  [[nodiscard]] std::vector<double> quaternion() const {
    const Eigen::Vector3d v = std::sin(angle / 2) * axis;
    return {std::cos(angle / 2), v.x(), v.y(), v.z()};
  }
  [[nodiscard]] Eigen::Vector3d turned(const Eigen::Vector3d& p) const {
    return std::cos(angle) * p + std::sin(angle) * axis.cross(p) + (1 - std::cos(angle)) * axis.dot(p) * axis;
  }
};

const std::vector<WrittenImage> kImages{{"IMG_10.png"}, {"IMG_9.png"}, {"b/IMG_1.png"}};

class ColmapFolder : public ::testing::TestWithParam<bool> {
 protected:
  void write_model(const fs::path& model, const std::vector<WrittenImage>& images = kImages) const {
    write_colmap(folder, model, GetParam(), {{}}, images, {{}, {{1, 2, 3}, 9, 9}});
  }
  void write_images(const fs::path& below) const {
    for (const WrittenImage& image : kImages) folder.write(below / image.name, small_png());
  }
  [[nodiscard]] Capture read(const fs::path& path = "", const CaptureOptions& options = {}) const {
    return read_capture(path.empty() ? folder.path() : folder.path() / path, options);
  }
  TemporaryFolder folder;
};

INSTANTIATE_TEST_SUITE_P(Formats, ColmapFolder, ::testing::Bool(),
                         [](const auto& format) { return format.param ? "Binary" : "Text"; });

TEST_P(ColmapFolder, GivesPosesThatProjectAsColmapDoes) {
  std::mt19937 random(1);
  std::uniform_real_distribution<double> unit(-1, 1);
  std::vector<WrittenImage> images;
  std::vector<Turn> turns;
  std::vector<Eigen::Vector3d> translations;
  for (int i = 0; i < 20; ++i) {
    turns.push_back({Eigen::Vector3d(unit(random), unit(random), unit(random)).normalized(), 3 * unit(random)});
    translations.emplace_back(unit(random), unit(random), 5 + unit(random));
    images.push_back({"IMG_" + std::to_string(i + 10) + ".png",
                      turns.back().quaternion(),
                      {translations.back().x(), translations.back().y(), translations.back().z()},
                      7,
                      static_cast<std::uint64_t>(i)});
    folder.write("images/" + images.back().name, small_png());
  }
  write_colmap(folder, "sparse/0", GetParam(),
               {{.id = 7,
                 .model = 3,
                 .model_name = "RADIAL",
                 .width = 4032,
                 .height = 3024,
                 .parameters = {3000, 2010, 1500, .01, -.002}}},
               images, {{{.5, -.25, 3}}});
  const Capture capture = read();
  EXPECT_EQ(capture.kind, GetParam() ? "COLMAP model, binary" : "COLMAP model, text");
  EXPECT_EQ(capture.where, (folder.path() / "sparse/0").string());
  EXPECT_FALSE(capture.up);
  EXPECT_TRUE(capture.notes.empty());
  EXPECT_EQ(capture.points, (std::vector<Eigen::Vector3d>{{.5, -.25, 3}}));
  ASSERT_EQ(capture.photographs.size(), 20u);
  for (std::size_t i = 0; i < 20; ++i) {
    const Photograph& photograph = capture.photographs[i];
    EXPECT_EQ(photograph.name, images[i].name);
    EXPECT_EQ(photograph.image, folder.path() / "images" / images[i].name);
    EXPECT_EQ(photograph.width, 4032);
    EXPECT_EQ(photograph.height, 3024);
    EXPECT_TRUE(photograph.mask.empty());
    const Eigen::Vector3d point(unit(random), unit(random), unit(random));
    const Eigen::Vector3d cam = turns[i].turned(point) + translations[i];
    const double u = cam.x() / cam.z(), v = cam.y() / cam.z(), s = u * u + v * v;
    const double radial = 1 + .01 * s - .002 * s * s;
    EXPECT_LT((seen_at(photograph, point) - Eigen::Vector2d(3000 * u * radial + 2010, 3000 * v * radial + 1500)).norm(),
              1e-8);
    EXPECT_LT((turns[i].turned(photograph.centre()) + translations[i]).norm(), 1e-12);
  }
}

TEST_P(ColmapFolder, IsFoundInItsUsualPlaces) {
  struct Place {
    const char *model, *images, *given;
  };
  for (const Place& place : std::initializer_list<Place>{{"a", "a", "a"},
                                                         {"b", "b/images", "b"},
                                                         {"c/sparse", "c/images", "c"},
                                                         {"d/sparse/0", "d/images", "d"},
                                                         {"e/sparse/0", "e", "e"},
                                                         {"f/sparse/0", "f/images", "f/sparse"},
                                                         {"g/sparse/0", "g/images", "g/sparse/0"},
                                                         {"h/sparse", "h/images", "h/sparse/"},
                                                         {"i/model", "i/images", "i/model"}}) {
    write_model(place.model);
    write_images(place.images);
    EXPECT_TRUE(is_capture(folder.path() / place.given)) << place.given;
    const Capture capture = read(place.given);
    EXPECT_EQ(names_of(capture), (std::vector<std::string>{"IMG_9.png", "IMG_10.png", "b/IMG_1.png"})) << place.given;
    EXPECT_TRUE(fs::equivalent(capture.photographs[2].image, folder.path() / place.images / "b/IMG_1.png"));
  }
}

TEST_P(ColmapFolder, TakesTheLargestOfSeveralModels) {
  write_model("sparse/0", {kImages[0], kImages[1]});
  write_model("sparse/1");
  write_images("images");
  const Capture capture = read();
  EXPECT_EQ(capture.photographs.size(), 3u);
  ASSERT_EQ(capture.notes.size(), 1u);
  EXPECT_HOLDS(capture.notes[0], "sparse/1: this is the largest of 2 models");
  EXPECT_EQ(read("sparse/0").photographs.size(), 2u);
}

TEST_P(ColmapFolder, NotesPhotographsWithoutAFile) {
  write_model("");
  write_images("images");
  fs::remove(folder.path() / "images/IMG_9.png");
  const Capture capture = read();
  EXPECT_EQ(capture.photographs.size(), 2u);
  ASSERT_EQ(capture.notes.size(), 1u);
  EXPECT_HOLDS(capture.notes[0],
               "1 of 3 photographs have no file and are left out: " + (folder.path() / "images/IMG_9.png").string());
  fs::remove(folder.path() / "images/IMG_10.png");
  EXPECT_REFUSED(read(), "number of photographs is 1 (2 of 3 have no file: ");
  EXPECT_REFUSED(read(), "/images/IMG_9.png); expected at least 2");
  fs::remove_all(folder.path() / "images");
  EXPECT_REFUSED(read(), "none of its 3 photographs (IMG_10.png) is in");
}

TEST_P(ColmapFolder, TakesPhotographsFromAGivenFolder) {
  write_model("sparse/0");
  write_images("images");
  write_images("elsewhere/small");
  const Capture capture = read("", {.images = folder.path() / "elsewhere/small", .turntable = {}});
  EXPECT_EQ(capture.photographs[0].image, folder.path() / "elsewhere/small/IMG_9.png");
}

TEST_P(ColmapFolder, IgnoresWhatNewerVersionsAdd) {
  write_model("sparse/0");
  write_images("images");
  for (const char* name : {"rigs.bin", "frames.bin", "project.ini"})
    folder.write(fs::path("sparse/0") / name, "anything");
  EXPECT_EQ(read().photographs.size(), 3u);
  fs::remove(folder.path() / (GetParam() ? "sparse/0/points3D.bin" : "sparse/0/points3D.txt"));
  EXPECT_TRUE(read().points.empty());
}

TEST_P(ColmapFolder, RefusesModelsThatAreWrong) {
  const auto place = [](const char* stem, const char* byte, const char* line) {
    return std::string(stem) + (GetParam() ? std::string(".bin: byte ") + byte : std::string(".txt:") + line) + ": ";
  };
  write_images("images");
  write_model("", {{"/etc/passwd"}, {"IMG_9.png"}});
  EXPECT_REFUSED(
      read(), place("images", "8", "2") + "the file's name '/etc/passwd' is an absolute path; expected a path inside");
  write_model("", {{"x/../../b.png"}, {"IMG_9.png"}});
  EXPECT_REFUSED(read(), place("images", "8", "2") + "the file's name 'x/../../b.png' leaves the folder");
  write_model("", {{"a.png"}, {"IMG_9.png"}, {.name = "IMG_10.png", .camera = 8}});
  EXPECT_REFUSED(read(), place("images", GetParam() ? "168" : "", "6") +
                             "image 'IMG_10.png' has camera 8, which cameras" + (GetParam() ? ".bin" : ".txt") +
                             " lacks");
  const std::string cameras = GetParam() ? "cameras.bin" : "cameras.txt";
  folder.write(cameras, GetParam() ? std::string(8, '\0') : "# no camera\n");
  EXPECT_REFUSED(read(), cameras + ": has no camera; expected at least one");
}

TEST_P(ColmapFolder, LeavesOutWhatCannotBeUsed) {
  write_images("images");
  write_colmap(folder, "", GetParam(),
               {{}, {.id = 2, .model = 10, .model_name = "THIN_PRISM_FISHEYE", .parameters = std::vector(12, 0.5)}},
               {{"IMG_9.png"}, {"IMG_10.png"}, {.name = "b/IMG_1.png", .q = {0, 0, 0, 0}}}, {});
  Capture capture = read();
  EXPECT_EQ(names_of(capture), (std::vector<std::string>{"IMG_9.png", "IMG_10.png"}));
  ASSERT_EQ(capture.notes.size(), 1U) << "a camera that no image uses does not matter";
  EXPECT_HOLDS(capture.notes[0], "1 of 3 photographs are left out: ");
  EXPECT_HOLDS(capture.notes[0], "the quaternion is 0 0 0 0");
  write_model("", {{"IMG_9.png"}, {"./IMG_9.png"}, {"IMG_10.png"}});
  capture = read();
  EXPECT_EQ(capture.photographs.size(), 2U);
  EXPECT_HOLDS(capture.notes.at(0), "1 photographs are listed several times, and are taken once");
  write_model("", {{"IMG_9.png"}, {.name = "./IMG_9.png", .t = {1, 0, 0}}, {"IMG_10.png"}, {"b/IMG_1.png"}});
  capture = read();
  EXPECT_EQ(names_of(capture), (std::vector<std::string>{"IMG_10.png", "b/IMG_1.png"}));
  EXPECT_HOLDS(capture.notes.at(0), "are listed with several cameras each, and are left out: IMG_9.png");
}

/// The points are not needed.
TEST_P(ColmapFolder, ReadsModelsWhosePointsAreWrong) {
  write_images("images");
  write_model("");
  folder.write(GetParam() ? "points3D.bin" : "points3D.txt", "1 2 3");
  const Capture capture = read();
  EXPECT_EQ(capture.photographs.size(), 3U);
  ASSERT_EQ(capture.notes.size(), 1U);
  EXPECT_HOLDS(capture.notes[0], "; the points are left out");
}

TEST_P(ColmapFolder, IsFoundBelowIfItIsTheOnlyOne) {
  for (const char* model : {"a/colmap/sparse/0", "b/dense/0/sparse", "c/scene"}) {
    write_model(model);
    const std::string root = fs::path(model).begin()->string();
    write_images(fs::path(root) / (root == "b" ? "dense/0/images" : "images"));
    EXPECT_TRUE(is_capture(folder.path() / root)) << model;
    EXPECT_EQ(read(root).photographs.size(), 3U) << model;
  }
  EXPECT_REFUSED(read("a/images"), "has 2 photographs and no cameras, which are in the folder above: give ");
  write_model("c/other");
  EXPECT_FALSE(is_capture(folder.path() / "c"));
}

TEST(ReadCapture, RefusesWhatItDoesNotRecognise) {
  const TemporaryFolder folder;
  folder.write("sparse/0/cameras.bin", "");  // without images
  folder.write("notes.txt", "");
  EXPECT_FALSE(is_capture(folder.path()));
  EXPECT_REFUSED(read_capture(folder.path()),
                 "is not a capture; expected the cameras of a COLMAP model (cameras and images as .bin");
  EXPECT_REFUSED(read_capture(folder.path() / "notes.txt"), "notes.txt: is not a capture");
  EXPECT_REFUSED(read_capture(folder.path() / "none"),
                 "none: no such file or folder; expected the cameras of a COLMAP model");
}

}  // namespace
}  // namespace p2mpp
