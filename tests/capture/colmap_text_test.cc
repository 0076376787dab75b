#include <gtest/gtest.h>

#include "capture/colmap_files.h"
#include "capture/formats/colmap_model.h"
#include "p2mpp/error.h"
#include "support/comma_locale.h"
#include "support/mutations.h"

namespace p2mpp {
namespace {

TEST(ColmapText, ReadsCameras) {
  const ColmapCameras cameras = parse_cameras_txt(
      "\xef\xbb\xbf# comment\r\n\r\n  # another\n1 SIMPLE_PINHOLE 100 50 90 51 26\r\n"
      "3\tOPENCV_FISHEYE 4032 3024 1 2 3 4 5e-1 -6 .7 8",
      "c");
  ASSERT_EQ(cameras.size(), 2u);
  EXPECT_EQ(cameras.at(1).width, 100);
  EXPECT_EQ(cameras.at(1).height, 50);
  EXPECT_EQ(cameras.at(1).lens, (Lens{LensModel::kRadialTangential, 90, 90, 51, 26, {}}));
  EXPECT_EQ(cameras.at(3).lens, (Lens{LensModel::kFisheye, 1, 2, 3, 4, {.5, -6, .7, 8}}));
}

TEST(ColmapText, ReadsImages) {
  const std::vector<ColmapImage> images = parse_images_txt(
      "# two lines each\n"
      "1 0 1 0 0 1 2 3 9 left/IMG #1 b.jpg \n"
      "\n"
      "2 1 0 0 0 4 5 6 2 b.png\n"
      "1.5 2.5 -1 3 4 77\n"
      "\n"
      "3 1 0 0 0 4 5 6 2 c.png\n",
      "i");
  ASSERT_EQ(images.size(), 3u);
  EXPECT_EQ(images[0].name, "left/IMG #1 b.jpg");
  EXPECT_EQ(images[0].camera, 9);
  EXPECT_EQ(images[0].cam_from_source.translation, Eigen::Vector3d(1, 2, 3));
  const Eigen::Matrix3d half_turn = Eigen::Vector3d(1, -1, -1).asDiagonal();
  EXPECT_TRUE(images[0].cam_from_source.rotation.isApprox(half_turn, 1e-15));
  EXPECT_EQ(images[1].name, "b.png");
  EXPECT_EQ(images[2].name, "c.png");
}

TEST(ColmapText, TakesReliablePointsOnly) {
  const std::string text =
      points3d_txt({{{1, 2, 3}, 0.5, 3}, {{4, 5, 6}, 0.5, 2}, {{7, 8, 9}, 2.1, 30}, {{-1, -2, -3}, 2, 4}});
  EXPECT_EQ(parse_points3d_txt(text, "p"), (std::vector<Eigen::Vector3d>{{1, 2, 3}, {-1, -2, -3}}));
}

TEST(ColmapText, IgnoresTheLocale) {
  const CommaLocale locale;
  EXPECT_EQ(parse_cameras_txt("1 PINHOLE 10 10 1.5 2.5 3.5 4.5", "c").at(1).lens.fx, 1.5);
}

TEST(ColmapText, TakesEmptyFiles) {
  EXPECT_TRUE(parse_cameras_txt("", "c").empty());
  EXPECT_TRUE(parse_images_txt("# nothing\n", "i").empty());
  EXPECT_TRUE(parse_points3d_txt("\n\n", "p").empty());
}

TEST(ColmapText, RefusesMalformedCameras) {
  const auto read = [](const std::string& line) { return parse_cameras_txt("# c\n" + line + "\n", "c.txt"); };
  EXPECT_REFUSED(read("1"), "c.txt:2: has no camera model; expected one more column");
  EXPECT_REFUSED(read("x PINHOLE 1 1 1 1 1 1"), "c.txt:2: the camera's id is 'x'; expected a whole number");
  EXPECT_REFUSED(read("-1 PINHOLE 1 1 1 1 1 1"), "c.txt:2: the camera's id is '-1'; expected a whole number");
  EXPECT_REFUSED(read("1 PINHOLE 0 1 1 1 1 1"), "c.txt:2: the image has 0 pixels a side");
  EXPECT_REFUSED(read("1 PINHOLE -5 1 1 1 1 1"), "c.txt:2: the width is '-5'; expected a whole number");
  EXPECT_REFUSED(read("1 PINHOLE 5 1.5 1 1 1 1"), "c.txt:2: the height is '1.5'; expected a whole number");
  EXPECT_REFUSED(read("1 FOV 1 1 1 1 1 1 1"), "c.txt:2: camera model FOV is not supported; expected SIMPLE_PINHOLE");
  EXPECT_REFUSED(read("1 Pinhole 1 1 1 1 1 1"), "c.txt:2: camera model 'Pinhole' is unknown; expected SIMPLE_PINHOLE");
  EXPECT_REFUSED(read("1 PINHOLE 1 1 1 1 1"), "c.txt:2: PINHOLE has 3 parameters; expected 4");
  EXPECT_REFUSED(read("1 PINHOLE 1 1 1 1 1 1 1"), "c.txt:2: PINHOLE has 5 parameters; expected 4");
  EXPECT_REFUSED(read("1 PINHOLE 1 1 nan 1 1 1"), "c.txt:2: the parameter is 'nan'; expected a finite number");
  EXPECT_REFUSED(read("1 PINHOLE 1 1 -1 1 1 1"), "c.txt:2: fx is -1; expected a positive number");
  EXPECT_REFUSED(read("1 PINHOLE 1 1 1 1 1 1\n1 PINHOLE 1 1 1 1 1 1"), "c.txt:3: camera 1 appears twice");
}

TEST(ColmapText, RefusesMalformedImages) {
  const auto read = [](const std::string& lines) { return parse_images_txt("# i\n" + lines + "\n", "i.txt"); };
  EXPECT_REFUSED(read("1 0 0 0 0 1 2 3 1 a.jpg"), "i.txt:2: the quaternion is 0 0 0 0; expected four finite numbers");
  EXPECT_REFUSED(read("1 1 0 0 inf 1 2 3 1 a.jpg"), "i.txt:2: the quaternion is 'inf'; expected a finite number");
  EXPECT_REFUSED(read("1 1 0 0 0 1 2 3z 1 a.jpg"), "i.txt:2: the translation is '3z'; expected a finite number");
  EXPECT_REFUSED(read("1 1 0 0 0 1 2 3 a.jpg"), "i.txt:2: the camera's id is 'a.jpg'; expected a whole number");
  EXPECT_REFUSED(read("1 1 0 0 0 1 2 3 1"), "i.txt:2: has no name; expected the file's name in the last column");
  EXPECT_REFUSED(read("1 1 0 0 0 1"), "i.txt:2: has no translation; expected one more column");
  EXPECT_REFUSED(read("1 1 0 0 0 1 2 3 1 a.jpg\n\n2 1 0 0 0 1 2 3 1 a.jpg"), "i.txt:4: image 'a.jpg' appears twice");
  EXPECT_REFUSED(
      read("1 1 0 0 0 1 2 3 1 a.jpg\n2 1 0 0 0 1 2 3 1 b.jpg"),
      "i.txt:3: has 10 columns; expected X, Y, POINT3D_ID of an image's points, or an empty line after each");
}

TEST(ColmapText, RefusesMalformedPoints) {
  const auto read = [](const std::string& line) { return parse_points3d_txt(line, "p.txt"); };
  EXPECT_REFUSED(read("1 0 0 nan 1 2 3 0.5 1 1"), "p.txt:1: the point is 'nan'; expected a finite number");
  EXPECT_REFUSED(read("1 0 0 0 1 2 -3 0.5 1 1"), "p.txt:1: the blue is '-3'; expected a whole number");
  EXPECT_REFUSED(read("1 0 0 0 1 2 3"), "p.txt:1: has no reprojection error; expected one more column");
  EXPECT_REFUSED(read("1 0 0 0 1 2 3 0.5 1"), "p.txt:1: the track has 1 columns; expected pairs");
}

TEST(ColmapText, SurvivesMutations) {
  const std::string cameras = cameras_txt({{}, {.id = 2}});
  const std::string images = images_txt({{.points = 3}, {.name = "b.jpg", .points = 1}});
  const std::string points = points3d_txt({{}, {.track = 8}});
  EXPECT_GT(survive_mutations(cameras, 3000, 1, [](const std::string& b) { (void)parse_cameras_txt(b, "c"); }), 100);
  EXPECT_GT(survive_mutations(images, 3000, 2, [](const std::string& b) { (void)parse_images_txt(b, "i"); }), 100);
  EXPECT_GT(survive_mutations(points, 3000, 3, [](const std::string& b) { (void)parse_points3d_txt(b, "p"); }), 100);
}

}  // namespace
}  // namespace p2mpp
