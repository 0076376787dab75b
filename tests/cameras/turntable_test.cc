#include "cameras/turntable.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <Eigen/LU>
#include <cmath>
#include <numbers>

#include "cameras/capture_folder.h"
#include "cameras/read_capture.h"
#include "p2mpp/error.h"

namespace p2mpp {
namespace {

using namespace std::string_literals;

constexpr double kPi = std::numbers::pi;

class ReadTurntable : public ::testing::Test {
 protected:
  ReadTurntable() {
    for (const char* name : {"p10.png", "p2.png", "p1.PNG", "p3.png", ".p.png"}) folder.write(name, small_png());
    folder.write("notes.txt", "");
  }
  [[nodiscard]] Capture read(const Turntable& turntable) const {
    return read_capture(folder.path(), {.is_turntable = true, .turntable = turntable});
  }
  TemporaryFolder folder;
};

TEST_F(ReadTurntable, OrdersThePhotographs) {
  const Capture capture = read({.elevation_deg = 20});
  EXPECT_EQ(names_of(capture), (std::vector<std::string>{"p1.PNG", "p2.png", "p3.png", "p10.png"}));
  EXPECT_EQ(capture.kind, "turntable");
  EXPECT_EQ(*capture.up, Eigen::Vector3d(0, 1, 0));
  ASSERT_EQ(capture.notes.size(), 1u);
  EXPECT_HOLDS(capture.notes[0], "the field of view is assumed to be 69.4 degrees");
  EXPECT_TRUE(read({.elevation_deg = 20, .field_of_view_deg = 40}).notes.empty());
  EXPECT_EQ(capture.photographs[0].width, 13);
  EXPECT_EQ(capture.photographs[0].height, 11);
}

/// OpenScan3's angles: theta from the pole, fi counter-clockwise around it. A focus stack has one picture.
TEST(ReadOpenScan, TakesTheAnglesOfEachPhotograph) {
  const TemporaryFolder folder;
  const auto write = [&](const std::string& metadata, const std::string& picture, double theta, double fi) {
    folder.write("scan01/metadata/" + metadata + ".json",
                 fmt::format(R"({{"step": 1, "polar_coordinates": {{"theta": {}, "fi": {}, "r": 1}}}})", theta, fi));
    if (!picture.empty()) folder.write("scan01/" + picture, small_png());
  };
  write("scan01_000", "scan01_000.png", 90, 0);
  write("scan01_001", "scan01_001.png", 60, 90);
  write("scan01_002_fs00", "stacked/stacked_scan01_002.png", 120, 180);
  write("scan01_002_fs01", "", 120, 180);
  write("scan01_003", "", 0, 10);
  const Capture capture = read_capture(folder.path());
  EXPECT_EQ(capture.kind, "OpenScan3");
  ASSERT_EQ(capture.photographs.size(), 3U);
  EXPECT_HOLDS(capture.notes.at(0), "1 of 4 photographs are left out: ");
  const double half = 0.5, long_side = std::sqrt(0.75);
  for (const Photograph& photograph : capture.photographs) {
    const std::string file = photograph.image.filename().string();
    const Eigen::Vector3d expected = file == "scan01_000.png"   ? Eigen::Vector3d(1, 0, 0)
                                     : file == "scan01_001.png" ? Eigen::Vector3d(0, half, -long_side)
                                                                : Eigen::Vector3d(-long_side, -half, 0);
    EXPECT_LT((photograph.centre() - expected).norm(), 1e-12) << file;
    EXPECT_GT((photograph.cam_from_source * Eigen::Vector3d::Zero()).z(), 0.99) << file;
  }
  ASSERT_FALSE(capture.alternatives.empty());
  const Rigid3& other = capture.alternatives[0].cam_from_source.at(1);
  EXPECT_LT((inverse(other).translation - Eigen::Vector3d(0, half, long_side)).norm(), 1e-12);
}

/// A JPEG with the focal length of a 35 mm film.
std::string jpeg_of(char millimetres) {
  std::string jpeg = turned_jpeg();
  std::string exif = "Exif\0\0II*\0\x08\0\0\0\x01\0\x69\x87\x04\0\x01\0\0\0\x1a\0\0\0\0\0\0\0"s;
  exif += "\x01\0\x05\xa4\x03\0\x01\0\0\0"s + millimetres + "\0\0\0"s;
  const auto size = static_cast<char>(exif.size() + 2);
  return jpeg.substr(0, 2) + "\xff\xe1\0"s + size + exif + jpeg.substr(2);
}

TEST(ReadTurntableOfAPhone, TakesTheFocalLengthFromExif) {
  const TemporaryFolder folder;
  for (const char* name : {"a.jpg", "b.jpg"}) folder.write(name, jpeg_of(50));
  const Capture capture = read_turntable(folder.path(), {.elevation_deg = 20});
  const Photograph& first = capture.photographs[0];
  EXPECT_NEAR(first.lens.fx, std::hypot(29, 21) * 50 / 43.2666, 1e-3);
  ASSERT_EQ(capture.notes.size(), 1u);
  EXPECT_HOLDS(capture.notes[0], "a.jpg: the focal length is taken from EXIF: 50 mm (35 mm equivalent), 38.6 degrees");
  EXPECT_NEAR(read_turntable(folder.path(), {.elevation_deg = 20, .field_of_view_deg = 90}).photographs[0].lens.fx,
              14.5, 1e-9);
  folder.write("b.jpg", jpeg_of(28));
  EXPECT_REFUSED(read_turntable(folder.path(), {.elevation_deg = 20}),
                 "b.jpg: its EXIF gives a focal length of 28 mm (35 mm equivalent)");
}

TEST_F(ReadTurntable, KnowsTheOppositeDirection) {
  const Capture capture = read({.elevation_deg = 20}), clockwise = read({.elevation_deg = 20, .clockwise = true});
  ASSERT_FALSE(capture.alternatives.empty());
  EXPECT_EQ(capture.alternatives[0].mistake, "the table turns clockwise: give --clockwise");
  EXPECT_EQ(clockwise.alternatives[0].mistake, "the table turns counter-clockwise: leave out --clockwise");
  for (std::size_t i = 0; i < 4; ++i) {
    const Rigid3& other = clockwise.alternatives[0].cam_from_source[i];
    EXPECT_EQ(capture.alternatives[0].cam_from_source[i].rotation, clockwise.photographs[i].cam_from_source.rotation);
    EXPECT_EQ(other.rotation, capture.photographs[i].cam_from_source.rotation);
    EXPECT_EQ(other.translation, capture.photographs[i].cam_from_source.translation);
  }
}

/// A table that turns counter-clockwise, seen from above (from +y), takes +z to +x: the camera that stands still sees
/// what the photographs' cameras see of an object that stands still.
TEST_F(ReadTurntable, IsTheSameAsAnObjectThatTurns) {
  for (const bool clockwise : {false, true}) {
    const Capture capture = read({.elevation_deg = 35, .clockwise = clockwise, .field_of_view_deg = 60});
    const Eigen::Vector3d point(0.1, 0.05, -0.07);
    for (std::size_t i = 0; i < 4; ++i) {
      const double angle = (clockwise ? -1 : 1) * 2 * kPi * static_cast<double>(i) / 4;
      const Eigen::Vector3d turned(std::cos(angle) * point.x() + std::sin(angle) * point.z(), point.y(),
                                   std::cos(angle) * point.z() - std::sin(angle) * point.x());
      EXPECT_LT((seen_at(capture.photographs[i], point) - seen_at(capture.photographs[0], turned)).norm(), 1e-12);
    }
  }
}

TEST_F(ReadTurntable, LooksAtTheOriginFromAbove) {
  const Capture capture = read({.elevation_deg = 30, .field_of_view_deg = 90});
  for (const Photograph& photograph : capture.photographs) {
    EXPECT_NEAR(photograph.centre().norm(), 1, 1e-12);
    EXPECT_NEAR(photograph.centre().y(), 0.5, 1e-12);
    EXPECT_LT((seen_at(photograph, {0, 0, 0}) - Eigen::Vector2d(6.5, 5.5)).norm(), 1e-12);
    EXPECT_LT(seen_at(photograph, {0, 0.1, 0}).y(), 5.5);           // up is above
    EXPECT_NEAR(seen_at(photograph, {0, 0.1, 0}).x(), 6.5, 1e-12);  // no roll
    EXPECT_NEAR(photograph.lens.fx, 6.5, 1e-12);                    // 90 degrees along the longer side
    EXPECT_NEAR(photograph.cam_from_source.rotation.determinant(), 1, 1e-12);
  }
}

TEST_F(ReadTurntable, RefusesWhatIsNotOne) {
  EXPECT_THROW((void)read({.elevation_deg = 90}), UsageError);
  EXPECT_THROW((void)read({.elevation_deg = std::nan("")}), UsageError);
  for (const double field_of_view_deg : {0.0, 1.2, 180.0}) {
    EXPECT_THROW((void)read({.elevation_deg = 0, .field_of_view_deg = field_of_view_deg}), UsageError);
  }
  EXPECT_THROW((void)read({}), UsageError);
  folder.write("p4.jpg", turned_jpeg());
  EXPECT_REFUSED(read({.elevation_deg = 0}),
                 "p4.jpg: has 21x29 pixels, and p1.PNG has 13x11; expected one camera for all photographs");
  const TemporaryFolder other;
  other.write("a.png", small_png());
  EXPECT_REFUSED(read_turntable(other.path(), {.elevation_deg = 0}), "number of photographs is 1; expected at least 2");
  EXPECT_REFUSED(read_turntable(other.path() / "none", {.elevation_deg = 0}), "none: cannot be listed");
}

}  // namespace
}  // namespace p2mpp
