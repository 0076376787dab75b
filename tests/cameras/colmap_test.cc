#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <tuple>

#include "cameras/colmap/colmap_model.h"
#include "cameras/colmap_files.h"
#include "p2mpp/error.h"
#include "support/comma_locale.h"
#include "support/mutations.h"

namespace p2mpp {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr auto kRadial = LensModel::kRadialTangential;

/// Throws the refusal of a record.
ColmapCameras all_used(ColmapCameras cameras) {
  for (const auto& [id, camera] : cameras) {
    if (!camera.refusal.empty()) throw InputError(camera.refusal);
  }
  return cameras;
}
std::vector<ColmapImage> all_used(std::vector<ColmapImage> images) {
  for (const ColmapImage& image : images) {
    if (!image.refusal.empty()) throw InputError(image.refusal);
  }
  return images;
}

/// What both formats hold. The parameter: binary.
class Colmap : public ::testing::TestWithParam<bool> {
 protected:
  static std::string name(const std::string& stem) { return stem + (GetParam() ? ".bin" : ".txt"); }
  static std::string write(const std::vector<WrittenCamera>& cameras) {
    return GetParam() ? cameras_bin(cameras) : cameras_txt(cameras);
  }
  static std::string write(const std::vector<WrittenImage>& images) {
    return GetParam() ? images_bin(images) : images_txt(images);
  }
  static std::string write(const std::vector<WrittenPoint>& points) {
    return GetParam() ? points3d_bin(points) : points3d_txt(points);
  }
  static ColmapCameras cameras(const std::string& bytes) {
    return all_used(GetParam() ? parse_cameras_bin(bytes, "c.bin") : parse_cameras_txt(bytes, "c.txt"));
  }
  static std::vector<ColmapImage> images(const std::string& bytes) {
    return all_used(GetParam() ? parse_images_bin(bytes, "i.bin") : parse_images_txt(bytes, "i.txt"));
  }
  static std::vector<Eigen::Vector3d> points(const std::string& bytes) {
    return GetParam() ? parse_points3d_bin(bytes, "p.bin") : parse_points3d_txt(bytes, "p.txt");
  }
  /// Where a message says that the first record is.
  static std::string first(const std::string& stem, const char* line) {
    return name(stem) + (GetParam() ? ": byte 8: " : line);
  }
};

INSTANTIATE_TEST_SUITE_P(Formats, Colmap, ::testing::Bool(),
                         [](const auto& format) { return format.param ? "Binary" : "Text"; });

TEST_P(Colmap, ReadsCameras) {
  EXPECT_TRUE(cameras(write(std::vector<WrittenCamera>())).empty());
  const ColmapCameras found =
      cameras(write(std::vector<WrittenCamera>{{7, 0, "SIMPLE_PINHOLE", 100, 50, {90, 51, 26}},
                                               {4000000000, 4, "OPENCV", 4032, 3024, {1, 2, 3, 4, 5, 6, 7, 8}},
                                               {3, 5, "OPENCV_FISHEYE", 4032, 3024, {1, 2, 3, 4, .5, -6, .7, 8}}}));
  ASSERT_EQ(found.size(), 3u);
  EXPECT_EQ(found.at(7).width, 100);
  EXPECT_EQ(found.at(7).height, 50);
  EXPECT_EQ(found.at(7).lens, (Lens{kRadial, 90, 90, 51, 26, {}}));
  EXPECT_EQ(found.at(4000000000).lens, (Lens{kRadial, 1, 2, 3, 4, {5, 6, 7, 8}}));
  EXPECT_EQ(found.at(3).lens, (Lens{LensModel::kFisheye, 1, 2, 3, 4, {.5, -6, .7, 8}}));
}

TEST_P(Colmap, ReadsImages) {
  EXPECT_TRUE(images(write(std::vector<WrittenImage>())).empty());
  // A quarter turn around z, twice as long as a unit quaternion.
  const double half = std::sqrt(2.0);
  const std::vector<ColmapImage> found = images(write(std::vector<WrittenImage>{
      {"left/IMG 1.jpg", {half, 0, 0, half}, {1, 2, 3}, 9, 5}, {"b.png", {0, 1, 0, 0}, {4, 5, 6}, 2, 0}}));
  ASSERT_EQ(found.size(), 2u);
  EXPECT_EQ(found[0].name, "left/IMG 1.jpg");
  EXPECT_EQ(found[0].camera, 9);
  EXPECT_EQ(found[0].cam_from_source.translation, Eigen::Vector3d(1, 2, 3));
  Eigen::Matrix3d quarter_turn;
  quarter_turn << 0, -1, 0, 1, 0, 0, 0, 0, 1;
  EXPECT_TRUE(found[0].cam_from_source.rotation.isApprox(quarter_turn, 1e-15)) << found[0].cam_from_source.rotation;
  EXPECT_EQ(found[1].name, "b.png");
  const Eigen::Matrix3d half_turn = Eigen::Vector3d(1, -1, -1).asDiagonal();
  EXPECT_TRUE(found[1].cam_from_source.rotation.isApprox(half_turn, 1e-15));
}

TEST_P(Colmap, TakesReliablePointsOnly) {
  EXPECT_TRUE(points(write(std::vector<WrittenPoint>())).empty());
  const std::vector<WrittenPoint> written{
      {{1, 2, 3}, 0.5, 3}, {{4, 5, 6}, 0.5, 2}, {{7, 8, 9}, 2.1, 30}, {{-1, -2, -3}, 2, 4}};
  EXPECT_EQ(points(write(written)), (std::vector<Eigen::Vector3d>{{1, 2, 3}, {-1, -2, -3}}));
}

TEST_P(Colmap, RefusesRecordsThatAreWrong) {
  const auto camera = [](const WrittenCamera& one) { return cameras(write(std::vector{one})); };
  const std::string c = first("c", ":3: ");
  EXPECT_REFUSED(camera({.width = 0}), c + "the image has 0 pixels a side; expected 1 to 1000000");
  EXPECT_REFUSED(camera({.height = ~0ULL}), c + "the image has 18446744073709551615 pixels a side");

  EXPECT_REFUSED(camera({.model = -3, .model_name = "x"}), c + "camera model ");
  EXPECT_REFUSED(camera({.parameters = {1, 0, 2, 3}}), c + "fy is 0; expected a positive number");
  EXPECT_EQ(cameras(write(std::vector<WrittenCamera>(2))).size(), 1U) << "equal ones";
  EXPECT_REFUSED(cameras(write(std::vector<WrittenCamera>{{}, {.width = 641}})),
                 ": camera 1 appears twice with different values; expected it once");
}

/// A record that cannot be used does not hide the ones after it.
TEST_P(Colmap, ReadsOnAfterAWrongRecord) {
  const std::string panorama = write(std::vector<WrittenCamera>{
      {.model = 17, .model_name = "EQUIRECTANGULAR", .parameters = std::vector<double>(2, 1)}, {.id = 2}});
  const ColmapCameras found_cameras =
      GetParam() ? parse_cameras_bin(panorama, "c.bin") : parse_cameras_txt(panorama, "c.txt");
  ASSERT_EQ(found_cameras.size(), 2U);
  EXPECT_HOLDS(found_cameras.at(1).refusal, "camera model EQUIRECTANGULAR is not supported; expected SIMPLE_P");
  EXPECT_EQ(found_cameras.at(2).refusal, "");
  EXPECT_EQ(found_cameras.at(2).lens.fx, 500);
  const std::string written = write(std::vector<WrittenImage>{
      {.q = {0, 0, 0, 0}, .points = 2}, {.name = "b.jpg", .t = {kNan, 0, 0}, .points = 1}, {.name = "c.jpg"}});
  const std::vector<ColmapImage> found =
      GetParam() ? parse_images_bin(written, "i.bin") : parse_images_txt(written, "i.txt");
  ASSERT_EQ(found.size(), 3U);
  EXPECT_HOLDS(found[0].refusal, first("i", ":2: ") + "the quaternion is 0 0 0 0; expected four finite numbers");
  EXPECT_HOLDS(found[1].refusal, "the translation is");
  EXPECT_EQ(found[2].refusal, "");
  EXPECT_EQ(found[2].name, "c.jpg");
}

TEST_P(Colmap, SurvivesMutations) {
  const auto survivals = [](const std::string& bytes, unsigned seed, const auto& parse) {
    return survive_mutations(bytes, 3000, seed, [&](const std::string& mutated) { static_cast<void>(parse(mutated)); });
  };
  EXPECT_GT(survivals(write(std::vector<WrittenCamera>{
                          {}, {.id = 2, .model = 6, .model_name = "FULL_OPENCV", .parameters = std::vector(12, 0.5)}}),
                      1, cameras),
            100);
  EXPECT_GT(survivals(write(std::vector<WrittenImage>{{.points = 3}, {.name = "b.jpg", .points = 1}}), 2, images), 100);
  EXPECT_GT(survivals(write(std::vector<WrittenPoint>{{}, {.track = 8}}), 3, points), 100);
}

TEST(ColmapText, ReadsWhatPeopleWrite) {
  const ColmapCameras cameras =
      parse_cameras_txt("\xef\xbb\xbf# comment\r\n\r\n  # another\n1 SIMPLE_PINHOLE 100 50 90 51 26\r\n", "c");
  EXPECT_EQ(cameras.at(1).lens, (Lens{kRadial, 90, 90, 51, 26, {}}));
  const std::vector<ColmapImage> images = parse_images_txt(
      "# two lines each\n1 0 1 0 0 1 2 3 9 left/IMG #1 b.jpg \n\n2 1 0 0 0 4 5 6 2 b.png\n1.5 2.5 -1 3 4 77\n\n"
      "3 1 0 0 0 4 5 6 2 c.png\n",
      "i");
  ASSERT_EQ(images.size(), 3u);
  EXPECT_EQ(images[0].name, "left/IMG #1 b.jpg");
  EXPECT_EQ(images[1].name, "b.png");
  EXPECT_EQ(images[2].name, "c.png");
  const CommaLocale locale;
  EXPECT_EQ(parse_cameras_txt("1 PINHOLE 10 10 1.5 2.5 3.5 4.5", "c").at(1).lens.fx, 1.5);
}

TEST(ColmapText, RefusesMalformedLines) {
  for (const auto& [line, message] : std::initializer_list<std::pair<const char*, const char*>>{
           {"1", "has no camera model; expected one more column"},
           {"x PINHOLE 1 1 1 1 1 1", "the camera's id is 'x'; expected a whole number"},
           {"-1 PINHOLE 1 1 1 1 1 1", "the camera's id is '-1'; expected a whole number"},
           {"1 PINHOLE -5 1 1 1 1 1", "the width is '-5'; expected a whole number"},
           {"1 PINHOLE 5 1.5 1 1 1 1", "the height is '1.5'; expected a whole number"},
           {"1 Pinhole 1 1 1 1 1 1", "camera model 'Pinhole' is unknown; expected SIMPLE_PINHOLE"},
           {"1 PINHOLE 1 1 1 1 1", "PINHOLE has 3 parameters; expected 4"},
           {"1 PINHOLE 1 1 1 1 1 1 1", "PINHOLE has 5 parameters; expected 4"},
           {"1 PINHOLE 1 1 nan 1 1 1", "the parameter is 'nan'; expected a finite number"}}) {
    EXPECT_REFUSED(all_used(parse_cameras_txt(std::string("# c\n") + line + "\n", "c.txt")),
                   std::string("c.txt:2: ") + message);
  }
  for (const auto& [lines, message] : std::initializer_list<std::pair<const char*, const char*>>{
           {"1 1 0 0 inf 1 2 3 1 a.jpg", "1: the quaternion is 'inf'; expected a finite number"},
           {"1 1 0 0 0 1 2 3z 1 a.jpg", "1: the translation is '3z'; expected a finite number"},
           {"1 1 0 0 0 1 2 3 a.jpg", "1: the camera's id is 'a.jpg'; expected a whole number"},
           {"1 1 0 0 0 1 2 3 1", "1: has no name; expected the file's name in the last column"},
           {"1 1 0 0 0 1", "1: has no translation; expected one more column"},
           {"1 1 0 0 0 1 2 3 1 a.jpg\n2 1 0 0 0 1 2 3 1 b.jpg",
            "2: has 10 columns; expected X, Y, POINT3D_ID of an image's points, or an empty line after each"}}) {
    EXPECT_REFUSED(all_used(parse_images_txt(lines, "i.txt")), std::string("i.txt:") + message);
  }
  for (const auto& [line, message] : std::initializer_list<std::pair<const char*, const char*>>{
           {".1 0 0 0 1 2 3", "the point's id is '.1'; expected a whole number"},
           {"1 0 0 0 1 2 3", "has no reprojection error; expected one more column"},
           {"1 0 0 0 1 2 3 0.5 1", "the track has 1 columns; expected pairs"}}) {
    EXPECT_REFUSED(parse_points3d_txt(line, "p.txt"), std::string("p.txt:1: ") + message);
  }
}

/// Programs write mean colours, and -1 for all ids.
TEST(ColmapText, ReadsPointsOfOtherPrograms) {
  EXPECT_EQ(parse_points3d_txt("-1 1 2 3 127.5 100.2 90.0 0.5 1 0 2 0 3 0\n", "p.txt"),
            (std::vector<Eigen::Vector3d>{{1, 2, 3}}));
}

TEST(ColmapBinary, RefusesFilesThatEndElsewhere) {
  const auto cameras = [](const std::string& bytes) { return all_used(parse_cameras_bin(bytes, "c")); };
  const auto images = [](const std::string& bytes) { return all_used(parse_images_bin(bytes, "i")); };
  EXPECT_REFUSED(cameras(""), "c: byte 0: the file ends here");
  EXPECT_REFUSED(cameras("abc"), "c: byte 0: the file ends here; expected 8 more bytes");
  EXPECT_REFUSED(cameras(cameras_bin({{.parameters = {1, 2, 2}}})),
                 "c: byte 56: the file ends here; expected 8 more bytes");
  EXPECT_REFUSED(cameras(cameras_bin({{.parameters = {1, 2, 2, 3, 4}}})), "c: byte 64: 8 bytes follow the last record");
  const std::string good = images_bin({{.points = 2}});
  EXPECT_REFUSED(images(good.substr(0, good.size() - 1)),
                 "i: byte 78: declares 2 points of an image, and 47 bytes are left; expected at least 24 for each");
  EXPECT_REFUSED(images(good + "x"), "i: byte 134: 1 bytes follow the last record; expected none");
  EXPECT_REFUSED(images(good.substr(0, 75)), "i: byte 0: declares 1 images, and 67 bytes");
  ColmapBytes endless;
  endless.u64(1).u32(1).numbers({1, 0, 0, 0}).numbers({0, 0, 0}).u32(1).filler(100);
  EXPECT_REFUSED(images(endless.bytes()), "i: byte 72: the name has no end; expected a NUL after it");
  const std::string point = points3d_bin({{}});
  EXPECT_REFUSED(parse_points3d_bin(point.substr(0, point.size() - 1), "p"),
                 "p: byte 51: declares 3 photographs of a point, and 23 bytes are left");
  EXPECT_REFUSED(cameras(cameras_bin({{.parameters = {kNan, 1, 2, 3}}})), "c: byte 8: fx is nan; exp");
  EXPECT_REFUSED(images(images_bin({{.q = {1, kNan, 0, 0}}})), "i: byte 8: the quaternion is 1 nan 0 0");
  EXPECT_REFUSED(images(images_bin({{.t = {0, kInfinity, 0}}})),
                 "i: byte 8: the translation is not finite; expected three finite numbers");
}

/// Counts of a file with 16 bytes that would need exabytes.
TEST(ColmapBinary, ComparesCountsWithTheFileBeforeItAllocates) {
  const std::string bytes = ColmapBytes().u64(~0ULL / 64).u64(0);
  const std::string declares = ": byte 0: declares 288230376151711743 ";
  EXPECT_REFUSED(parse_cameras_bin(bytes, "c"), "c" + declares + "cameras, and 8 bytes are left");
  EXPECT_REFUSED(parse_images_bin(bytes, "i"), "i" + declares + "images, and 8 bytes are left");
  EXPECT_REFUSED(parse_points3d_bin(bytes, "p"), "p" + declares + "points, and 8 bytes are left");
}

}  // namespace
}  // namespace p2mpp
