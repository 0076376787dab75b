#include "cameras/colmap/camera_models.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "p2mpp/error.h"
#include "support/temporary_folder.h"

namespace p2mpp {
namespace {

struct Case {
  int id;
  const char* name;
  std::vector<double> parameters;
  Lens lens;
};

// Written from COLMAP's manual (https://colmap.github.io/cameras.html), with the parameters in its order.
const std::vector<Case>& cases() {
  constexpr auto kRadial = LensModel::kRadialTangential;
  constexpr auto kFisheye = LensModel::kFisheye;
  static const std::vector<Case> cases{
      {0, "SIMPLE_PINHOLE", {500, 10, 20}, {kRadial, 500, 500, 10, 20, {}}},
      {1, "PINHOLE", {500, 600, 10, 20}, {kRadial, 500, 600, 10, 20, {}}},
      {2, "SIMPLE_RADIAL", {500, 10, 20, .1}, {kRadial, 500, 500, 10, 20, {.1}}},
      {3, "RADIAL", {500, 10, 20, .1, .2}, {kRadial, 500, 500, 10, 20, {.1, .2}}},
      {4, "OPENCV", {500, 600, 10, 20, .1, .2, .3, .4}, {kRadial, 500, 600, 10, 20, {.1, .2, .3, .4}}},
      {5, "OPENCV_FISHEYE", {500, 600, 10, 20, .1, .2, .3, .4}, {kFisheye, 500, 600, 10, 20, {.1, .2, .3, .4}}},
      {6,
       "FULL_OPENCV",
       {500, 600, 10, 20, .1, .2, .3, .4, .5, .6, .7, .8},
       {kRadial, 500, 600, 10, 20, {.1, .2, .3, .4, .5, .6, .7, .8}}},
      {8, "SIMPLE_RADIAL_FISHEYE", {500, 10, 20, .1}, {kFisheye, 500, 500, 10, 20, {.1}}},
      {9, "RADIAL_FISHEYE", {500, 10, 20, .1, .2}, {kFisheye, 500, 500, 10, 20, {.1, .2}}},
      {14, "SIMPLE_FISHEYE", {500, 10, 20}, {kFisheye, 500, 500, 10, 20, {}}},
      {15, "FISHEYE", {500, 600, 10, 20}, {kFisheye, 500, 600, 10, 20, {}}},
  };
  return cases;
}

TEST(CameraModels, PutEachParameterIntoItsPlace) {
  for (const Case& row : cases()) {
    const CameraModel& model = camera_model(row.name, "cameras.txt:1");
    EXPECT_EQ(&camera_model(row.id, "cameras.bin"), &model) << row.name;
    ASSERT_EQ(model.parameters.size(), row.parameters.size()) << row.name;
    EXPECT_EQ(make_lens(model, row.parameters, 20, 40, "cameras.txt:1"), row.lens) << row.name;
  }
}

TEST(CameraModels, RefusesAModelItCannotExpress) {
  EXPECT_REFUSED(camera_model("EQUIRECTANGULAR", "cameras.txt:4"),
                 "cameras.txt:4: camera model EQUIRECTANGULAR is not supported; expected SIMP");
  EXPECT_REFUSED(check_supported(camera_model(17, "cameras.bin"), "cameras.bin"),
                 "cameras.bin: camera model EQUIRECTANGULAR is not supported");
  EXPECT_REFUSED(camera_model("pinhole", "x"),
                 "x: camera model 'pinhole' is unknown; expected SIMPLE_PINHOLE, PINHOLE");
  EXPECT_REFUSED(camera_model(99, "x"), "x: camera model number 99 is unknown; expected one of SIMPLE_PINHOLE, ");
  EXPECT_REFUSED(camera_model(-1, "x"), "x: camera model number -1 is unknown");
}

/// The formulas of COLMAP's src/colmap/sensor/models.h: u and v are angles from the axis.
TEST(CameraModels, HaveFisheyesWithThinPrisms) {
  const std::vector<double> thin{500, 600, 320, 240, .1, .05, .002, -.003, .01, -.02, .004, -.005};
  const std::vector<double> rad_tan{500,  600,   320,  240,   .1,   .05,  -.02,  .01,
                                    .004, -.003, .002, -.003, .004, .005, -.006, .007};
  for (const auto& [x, y] : {std::pair(0.0, 0.0), {0.3, -0.2}, {-0.7, 0.5}}) {
    const double radius = std::hypot(x, y), share = radius > 0 ? std::atan(radius) / radius : 1, u = share * x,
                 v = share * y;
    const double s = u * u + v * v;
    {
      const auto& p = thin;
      const double radial = 1 + p[4] * s + p[5] * s * s + p[8] * std::pow(s, 3) + p[9] * std::pow(s, 4);
      const Eigen::Vector2d expected(500 * (u * radial + 2 * p[6] * u * v + p[7] * (s + 2 * u * u) + p[10] * s) + 320,
                                     600 * (v * radial + 2 * p[7] * u * v + p[6] * (s + 2 * v * v) + p[11] * s) + 240);
      const auto pixel = pixel_of(make_lens(camera_model("THIN_PRISM_FISHEYE", "x"), thin, 640, 480, "x"), {x, y, 1});
      ASSERT_TRUE(pixel);
      EXPECT_LT((*pixel - expected).norm(), 1e-9);
    }
    {
      const auto& p = rad_tan;
      double radial = 1;
      for (std::size_t i = 0; i < 6; ++i) radial += p[4 + i] * std::pow(s, i + 1);
      const double a = radial * u, b = radial * v, r2 = a * a + b * b, p0 = p[10], p1 = p[11];
      const Eigen::Vector2d expected(
          500 * (a + 2 * p1 * a * b + p0 * (r2 + 2 * a * a) + p[12] * r2 + p[13] * r2 * r2) + 320,
          600 * (b + 2 * p0 * a * b + p1 * (r2 + 2 * b * b) + p[14] * r2 + p[15] * r2 * r2) + 240);
      const auto pixel =
          pixel_of(make_lens(camera_model("RAD_TAN_THIN_PRISM_FISHEYE", "x"), rad_tan, 640, 480, "x"), {x, y, 1});
      ASSERT_TRUE(pixel);
      EXPECT_LT((*pixel - expected).norm(), 1e-9);
    }
  }
}

/// The pixel of (x, y, 1) by the formula of COLMAP's manual, and by the lens that was fitted to it.
TEST(CameraModels, FitsALensToOtherDistortions) {
  struct Fitted {
    const char* name;
    std::vector<double> parameters;
    double (*distorted)(double radius);
  };
  const std::vector<Fitted> models{
      {"SIMPLE_DIVISION", {400, 320, 240, -.12}, [](double r) { return 2 * r / (1 + std::sqrt(1 + 4 * .12 * r * r)); }},
      {"DIVISION", {400, 400, 320, 240, .1}, [](double r) { return 2 * r / (1 + std::sqrt(1 - 4 * .1 * r * r)); }},
      {"FOV", {400, 400, 320, 240, .8}, [](double r) { return std::atan(2 * r * std::tan(.4)) / .8; }},
      {"EUCM", {400, 400, 320, 240, .6, 1.1}, [](double r) { return r / (.6 * std::sqrt(1.1 * r * r + 1) + .4); }}};
  for (const Fitted& row : models) {
    const Lens lens = make_lens(camera_model(row.name, "x"), row.parameters, 640, 480, "x");
    for (const double r : {.05, .2, .4, .6}) {
      const auto pixel = pixel_of(lens, {.8 * r, -.6 * r, 1});
      ASSERT_TRUE(pixel) << row.name;
      const Eigen::Vector2d expected(320 + 400 * .8 * row.distorted(r), 240 - 400 * .6 * row.distorted(r));
      EXPECT_LT((*pixel - expected).norm(), 0.1) << row.name << " " << r;
    }
  }
  EXPECT_REFUSED(
      make_lens(camera_model("SIMPLE_DIVISION", "x"), std::vector<double>{400, 320, 240, -2.}, 640, 480, "x"),
      "x: the distortion of this SIMPLE_DIVISION camera is too strong; expected undistorted photographs (colmap "
      "image_und");
}

}  // namespace
}  // namespace p2mpp
