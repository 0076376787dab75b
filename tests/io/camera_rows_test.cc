#include "io/camera_rows.h"

#include <gtest/gtest.h>

#include "p2mpp/error.h"
#include "support/comma_locale.h"
#include "support/temporary_folder.h"

namespace p2mpp {
namespace {

const std::string kRow = "250.48 29.46 0 0.652 25\n";

class ReadCameras : public ::testing::Test {
 protected:
  std::vector<CameraRow> parse(const std::string& text) const {
    return read_cameras(folder.write("cameras.txt", text));
  }

  TemporaryFolder folder;
};

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
  const CommaLocale locale;
  EXPECT_FLOAT_EQ(parse(kRow).at(0).distance, 0.652F);
}

TEST_F(ReadCameras, RefusesOtherNumbersOfColumnsAndNoRows) {
  EXPECT_REFUSED(parse(kRow + "1 2 0 0.8\n"), "cameras.txt:2: has 4 columns; expected 5");
  EXPECT_REFUSED(parse("\n1 2 0 0.8 25 7\n"), "cameras.txt:2: has 6 columns");
  EXPECT_REFUSED(parse(""), "cameras.txt: has no row; expected a row for each view");
  EXPECT_REFUSED(parse("\n# only words\n"), "has no row");
  EXPECT_REFUSED(read_cameras(folder.path() / "missing.txt"), "missing.txt: cannot be opened: no such file");
}

TEST_F(ReadCameras, RefusesNumbersThatNoCameraHas) {
  for (const char* value : {"nan", "NaN", "inf", "-inf", "1e400", "0x10", "1,5", "abc", "0.8m"}) {
    EXPECT_REFUSED(parse("1 2 0 " + std::string(value) + " 25"),
                   "cameras.txt:1: '" + std::string(value) + "' is not a finite number");
  }
  EXPECT_REFUSED(parse(std::string("1 2 0 0.8\0 25", 13)), "'0.8\\x00' is not a finite number");
  for (const char* value : {"0", "-0.0", "-1", "1e-60"}) {
    EXPECT_REFUSED(parse(kRow + "1 2 0 " + std::string(value) + " 25"), "cameras.txt:2: ");
  }
  EXPECT_REFUSED(parse("1e300 2 0 0.8 25"), "cameras.txt:1: ");
}

}  // namespace
}  // namespace p2mpp
