#include "capture/formats/camera_models.h"

#include <gtest/gtest.h>

#include <limits>
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
  };
  return cases;
}

TEST(CameraModels, PutEachParameterIntoItsPlace) {
  for (const Case& row : cases()) {
    const CameraModel& model = camera_model(row.name, "cameras.txt:1");
    EXPECT_EQ(&camera_model(row.id, "cameras.bin"), &model) << row.name;
    ASSERT_EQ(model.parameters.size(), row.parameters.size()) << row.name;
    EXPECT_EQ(make_lens(model, row.parameters, "cameras.txt:1"), row.lens) << row.name;
  }
}

TEST(CameraModels, RefusesAModelItCannotExpress) {
  EXPECT_REFUSED(camera_model("FOV", "cameras.txt:4"),
                 "cameras.txt:4: camera model FOV is not supported; expected SIMP");
  EXPECT_REFUSED(camera_model(10, "cameras.bin"), "cameras.bin: camera model THIN_PRISM_FISHEYE is not supported");
  EXPECT_REFUSED(camera_model("pinhole", "x"),
                 "x: camera model 'pinhole' is unknown; expected SIMPLE_PINHOLE, PINHOLE");
  EXPECT_REFUSED(camera_model(99, "x"), "x: camera model number 99 is unknown; expected one of SIMPLE_PINHOLE, ");
  EXPECT_REFUSED(camera_model(-1, "x"), "x: camera model number -1 is unknown");
}

TEST(CameraModels, RefusesALensThatCannotProject) {
  const CameraModel& model = camera_model("RADIAL", "x");
  const auto lens = [&](double f, double cx, double k) {
    return make_lens(model, std::vector<double>{f, cx, 1, k, 0}, "cameras.txt:7");
  };
  constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_REFUSED(lens(0, 1, 0), "cameras.txt:7: fx is 0; expected a positive number");
  EXPECT_REFUSED(lens(-500, 1, 0), "cameras.txt:7: fx is -500; expected a positive number");
  EXPECT_REFUSED(lens(kNan, 1, 0), "cameras.txt:7: fx is nan; expected a positive number");
  EXPECT_REFUSED(lens(500, kNan, 0), "cameras.txt:7: cx is nan; expected a finite number");
  EXPECT_REFUSED(lens(500, 1, -1 / 0.0), "cameras.txt:7: a distortion coefficient is not finite");
}

}  // namespace
}  // namespace p2mpp
