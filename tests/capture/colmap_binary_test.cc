#include <gtest/gtest.h>
#include <sys/resource.h>

#include <limits>
#include <random>

#include "capture/colmap_files.h"
#include "capture/formats/colmap_model.h"
#include "p2mpp/error.h"
#include "support/mutations.h"

namespace p2mpp {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kInfinity = std::numeric_limits<double>::infinity();

TEST(ColmapBinary, ReadsCameras) {
  const ColmapCameras cameras = parse_cameras_bin(
      cameras_bin({{7, 0, "", 100, 50, {90, 51, 26}}, {4000000000, 4, "", 4032, 3024, {1, 2, 3, 4, 5, 6, 7, 8}}}), "c");
  ASSERT_EQ(cameras.size(), 2u);
  EXPECT_EQ(cameras.at(7).width, 100);
  EXPECT_EQ(cameras.at(7).height, 50);
  EXPECT_EQ(cameras.at(7).lens, (Lens{LensModel::kRadialTangential, 90, 90, 51, 26, {}}));
  EXPECT_EQ(cameras.at(4000000000).lens, (Lens{LensModel::kRadialTangential, 1, 2, 3, 4, {5, 6, 7, 8}}));
}

TEST(ColmapBinary, ReadsImages) {
  // A quarter turn around z, twice as long as a unit quaternion.
  const double half = std::sqrt(2.0);
  const std::vector<ColmapImage> images = parse_images_bin(
      images_bin({{"left/IMG 1.jpg", {half, 0, 0, half}, {1, 2, 3}, 9, 5}, {"b.png", {0, 1, 0, 0}, {4, 5, 6}, 2, 0}}),
      "i");
  ASSERT_EQ(images.size(), 2u);
  EXPECT_EQ(images[0].name, "left/IMG 1.jpg");
  EXPECT_EQ(images[0].camera, 9);
  EXPECT_EQ(images[0].cam_from_source.translation, Eigen::Vector3d(1, 2, 3));
  Eigen::Matrix3d quarter_turn;
  quarter_turn << 0, -1, 0, 1, 0, 0, 0, 0, 1;
  EXPECT_TRUE(images[0].cam_from_source.rotation.isApprox(quarter_turn, 1e-15)) << images[0].cam_from_source.rotation;
  EXPECT_EQ(images[1].name, "b.png");
  const Eigen::Matrix3d half_turn = Eigen::Vector3d(1, -1, -1).asDiagonal();
  EXPECT_TRUE(images[1].cam_from_source.rotation.isApprox(half_turn, 1e-15));
}

TEST(ColmapBinary, TakesReliablePointsOnly) {
  const std::vector<Eigen::Vector3d> points = parse_points3d_bin(
      points3d_bin({{{1, 2, 3}, 0.5, 3}, {{4, 5, 6}, 0.5, 2}, {{7, 8, 9}, 2.1, 30}, {{-1, -2, -3}, 2, 4}}), "p");
  EXPECT_EQ(points, (std::vector<Eigen::Vector3d>{{1, 2, 3}, {-1, -2, -3}}));
}

TEST(ColmapBinary, TakesEmptyFiles) {
  EXPECT_TRUE(parse_cameras_bin(cameras_bin({}), "c").empty());
  EXPECT_TRUE(parse_images_bin(images_bin({}), "i").empty());
  EXPECT_TRUE(parse_points3d_bin(points3d_bin({}), "p").empty());
}

TEST(ColmapBinary, RefusesMalformedCameras) {
  const auto read = [](const WrittenCamera& camera) { return parse_cameras_bin(cameras_bin({camera}), "c.bin"); };
  EXPECT_REFUSED(read({.width = 0}), "c.bin: byte 8: the image has 0 pixels a side; expected 1 to 1000000");
  EXPECT_REFUSED(read({.height = ~0ULL}), "c.bin: byte 8: the image has 18446744073709551615 pixels a side");
  EXPECT_REFUSED(read({.model = 7}), "c.bin: byte 8: camera model FOV is not supported; expected SIMPLE_PINHOLE");
  EXPECT_REFUSED(read({.model = -3}), "c.bin: byte 8: camera model number -3 is unknown");
  EXPECT_REFUSED(read({.parameters = {kNan, 1, 2, 3}}), "c.bin: byte 8: fx is nan; expected a positive number");
  EXPECT_REFUSED(read({.parameters = {1, 0, 2, 3}}), "c.bin: byte 8: fy is 0; expected a positive number");
  EXPECT_REFUSED(read({.parameters = {1, 2, 2}}), "c.bin: byte 56: the file ends here; expected 8 more bytes");
  EXPECT_REFUSED(read({.parameters = {1, 2, 2, 3, 4}}), "c.bin: byte 64: 8 bytes follow the last record");
  EXPECT_REFUSED(parse_cameras_bin(cameras_bin({{}, {}}), "c.bin"), "c.bin: byte 64: camera 1 appears twice");
  EXPECT_REFUSED(parse_cameras_bin("abc", "c.bin"), "c.bin: byte 0: the file ends here; expected 8 more bytes");
  EXPECT_REFUSED(parse_cameras_bin("", "c.bin"), "c.bin: byte 0: the file ends here");
}

TEST(ColmapBinary, RefusesMalformedImages) {
  const auto read = [](const WrittenImage& image) { return parse_images_bin(images_bin({image}), "i.bin"); };
  EXPECT_REFUSED(read({.q = {0, 0, 0, 0}}), "i.bin: byte 8: the quaternion is 0 0 0 0; expected four finite numbers");
  EXPECT_REFUSED(read({.q = {1, kNan, 0, 0}}), "i.bin: byte 8: the quaternion is 1 nan 0 0");
  EXPECT_REFUSED(read({.t = {0, kInfinity, 0}}), "i.bin: byte 52: the translation is inf; expected a finite number");
  EXPECT_REFUSED(parse_images_bin(images_bin({{}, {}}), "i.bin"), "i.bin: byte 86: image 'a.jpg' appears twice");
  const std::string good = images_bin({{.points = 2}});
  EXPECT_REFUSED(parse_images_bin(good.substr(0, good.size() - 1), "i.bin"),
                 "i.bin: byte 78: declares 2 points of an image, and 47 bytes are left; expected at least 24 for each");
  EXPECT_REFUSED(parse_images_bin(good + "x", "i.bin"), "byte 134: 1 bytes follow the last record; expected none");
  EXPECT_REFUSED(parse_images_bin(good.substr(0, 75), "i.bin"), "i.bin: byte 0: declares 1 images, and 67 bytes");
  ColmapBytes endless;
  endless.u64(1).u32(1).numbers({1, 0, 0, 0}).numbers({0, 0, 0}).u32(1).filler(100);
  EXPECT_REFUSED(parse_images_bin(endless.bytes(), "i.bin"),
                 "i.bin: byte 72: a name without an end; expected a NUL after it");
}

TEST(ColmapBinary, RefusesMalformedPoints) {
  const auto read = [](const WrittenPoint& point) { return parse_points3d_bin(points3d_bin({point}), "p.bin"); };
  EXPECT_REFUSED(read({.xyz = {0, 0, kNan}}), "p.bin: byte 32: the point is nan; expected a finite number");
  EXPECT_REFUSED(read({.error = kNan}), "p.bin: byte 43: the reprojection error is nan");
  const std::string good = points3d_bin({{}});
  EXPECT_REFUSED(parse_points3d_bin(good.substr(0, good.size() - 1), "p.bin"),
                 "p.bin: byte 51: declares 3 photographs of a point, and 23 bytes are left");
}

/// Counts of a file with 16 bytes that would need exabytes.
TEST(ColmapBinary, ComparesCountsWithTheFileBeforeItAllocates) {
  ColmapBytes bytes;
  bytes.u64(~0ULL / 64).u64(0);
  EXPECT_REFUSED(parse_cameras_bin(bytes.bytes(), "c"),
                 "c: byte 0: declares 288230376151711743 cameras, and 8 bytes are left");
  EXPECT_REFUSED(parse_images_bin(bytes.bytes(), "i"),
                 "i: byte 0: declares 288230376151711743 images, and 8 bytes are left");
  EXPECT_REFUSED(parse_points3d_bin(bytes.bytes(), "p"),
                 "p: byte 0: declares 288230376151711743 points, and 8 bytes are left");
}

TEST(ColmapBinary, SurvivesMutations) {
  const std::string cameras = cameras_bin({{}, {.id = 2, .model = 6, .parameters = std::vector<double>(12, 0.5)}});
  const std::string images = images_bin({{.points = 3}, {.name = "b.jpg", .points = 1}});
  const std::string points = points3d_bin({{}, {.track = 8}});
  EXPECT_GT(survive_mutations(cameras, 3000, 1, [](const std::string& b) { (void)parse_cameras_bin(b, "c"); }), 100);
  EXPECT_GT(survive_mutations(images, 3000, 2, [](const std::string& b) { (void)parse_images_bin(b, "i"); }), 100);
  EXPECT_GT(survive_mutations(points, 3000, 3, [](const std::string& b) { (void)parse_points3d_bin(b, "p"); }), 100);
}

}  // namespace
}  // namespace p2mpp
