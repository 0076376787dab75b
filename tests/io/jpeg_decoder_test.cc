#include <gtest/gtest.h>

#include <random>
#include <string>
#include <vector>

#include "io/image/decoders.h"

namespace p2mpp {
namespace {

using namespace std::string_literals;

const std::string kLittleEndian = "Exif\0\0II*\0\x08\0\0\0\x01\0\x12\x01\x03\0\x01\0\0\0\x06\0\0\0\0\0\0\0"s;
const std::string kBigEndian = "Exif\0\0MM\0*\0\0\0\x08\0\x01\x01\x12\0\x03\0\0\0\x01\0\x08\0\0\0\0\0\0"s;

TEST(ExifOrientation, ReadsBothByteOrdersAndIsUprightOtherwise) {
  EXPECT_EQ(exif_orientation(kLittleEndian), 6);
  EXPECT_EQ(exif_orientation(kBigEndian), 8);
  EXPECT_EQ(exif_orientation(""), 1);
  EXPECT_EQ(exif_orientation("http://ns.adobe.com/xap/1.0/"), 1);
  std::string other_tag = kLittleEndian;
  other_tag[16] = '\x13';
  EXPECT_EQ(exif_orientation(other_tag), 1);
  std::string out_of_range = kLittleEndian;
  out_of_range[24] = '\x09';
  EXPECT_EQ(exif_orientation(out_of_range), 1);
  std::string far_away = kLittleEndian;
  far_away[13] = '\x7f';
  EXPECT_EQ(exif_orientation(far_away), 1);
}

TEST(ExifOrientation, SurvivesDamage) {
  std::mt19937 random(5);
  for (int i = 0; i < 20000; ++i) {
    std::string bytes = (i % 2 == 0 ? kLittleEndian : kBigEndian).substr(0, 6 + random() % 33);
    for (std::size_t at = 6; at < bytes.size(); ++at) {
      if (random() % 8 == 0) bytes[at] = static_cast<char>(random());
    }
    const int orientation = exif_orientation(bytes);
    EXPECT_TRUE(orientation >= 1 && orientation <= 8);
  }
}

std::string number(std::uint32_t value, int bytes) {  // little-endian
  std::string text;
  for (int i = 0; i < bytes; ++i) text += static_cast<char>(value >> 8 * i & 255);
  return text;
}

/// An entry: tag, type (3: SHORT, 4: LONG, 5: RATIONAL), one value or the offset of one.
std::string entry(std::uint32_t tag, std::uint32_t type, std::uint32_t value) {
  return number(tag, 2) + number(type, 2) + number(1, 4) + number(value, 4);
}

/// A segment whose Exif directory, at offset 26, has these entries; `more` follows them.
std::string exif_with(const std::vector<std::string>& entries, const std::string& more = "") {
  std::string text = "Exif\0\0II*\0\x08\0\0\0"s + number(1, 2) + entry(0x8769, 4, 26) + number(0, 4);
  text += number(static_cast<std::uint32_t>(entries.size()), 2);
  for (const std::string& each : entries) text += each;
  return text + more;
}

TEST(ExifFocalLength, ReadsThatOfThirtyFiveMillimetreFilm) {
  const auto found = exif_focal_length(exif_with({entry(0xA405, 3, 26)}), {4000, 3000});
  ASSERT_TRUE(found);
  EXPECT_NEAR(found->pixels, 5000 * 26 / 43.2666, 0.1);
  EXPECT_EQ(found->origin, "26 mm (35 mm equivalent)");
  EXPECT_EQ(exif_focal_length(exif_with({entry(0xA405, 3, 26)}), {3000, 4000})->pixels, found->pixels);
}

TEST(ExifFocalLength, ReadsTheSensorsResolution) {
  // 4.5 mm, 6000 pixels in a centimetre, of a picture of 4000 pixels that was reduced to 2000.
  const std::size_t values = 26 + 2 + 12 * 4;
  const std::string rationals = number(45, 4) + number(10, 4) + number(6000, 4) + number(1, 4);
  const auto at = static_cast<std::uint32_t>(values);
  const std::string segment = exif_with(
      {entry(0x920A, 5, at), entry(0xA20E, 5, at + 8), entry(0xA210, 3, 3), entry(0xA002, 4, 4000)}, rationals);
  const auto found = exif_focal_length(segment, {2000, 1500});
  ASSERT_TRUE(found);
  EXPECT_NEAR(found->pixels, 4.5 * 600 / 2, 1e-9);
  EXPECT_EQ(found->origin, "4.5 mm and the sensor's resolution");
}

TEST(ExifFocalLength, IsNoneWithoutAUsualOne) {
  EXPECT_FALSE(exif_focal_length("", {4000, 3000}));
  EXPECT_FALSE(exif_focal_length(kLittleEndian, {4000, 3000}));
  EXPECT_FALSE(exif_focal_length(exif_with({entry(0xA405, 3, 0)}), {4000, 3000}));
  EXPECT_FALSE(exif_focal_length(exif_with({entry(0xA405, 3, 9000)}), {4000, 3000}));
  std::mt19937 random(6);
  const std::string whole = exif_with({entry(0xA405, 3, 26), entry(0x920A, 5, 60)}, std::string(16, '\1'));
  for (int i = 0; i < 20000; ++i) {
    std::string bytes = whole.substr(0, 6 + random() % (whole.size() - 5));
    for (std::size_t at = 6; at < bytes.size(); ++at) {
      if (random() % 8 == 0) bytes[at] = static_cast<char>(random());
    }
    const auto found = exif_focal_length(bytes, {4000, 3000});
    EXPECT_TRUE(!found || (found->pixels > 0.1 * 4000 && found->pixels < 12 * 4000));
  }
}

TEST(TurnedUpright, MovesPixelsAndSides) {
  // Stored rows: AB, CD, EF.
  const Image stored{2, 3, {'A', 0, 0, 0, 'B', 0, 0, 0, 'C', 0, 0, 0, 'D', 0, 0, 0, 'E', 0, 0, 0, 'F', 0, 0, 0}};
  const char* const expected[] = {"ABCDEF", "BADCFE", "FEDCBA", "EFCDAB", "ACEBDF", "ECAFDB", "FDBECA", "BDFACE"};
  for (int orientation = 1; orientation <= 8; ++orientation) {
    const Image upright = turned_upright(stored, orientation);
    EXPECT_EQ(upright.width, orientation <= 4 ? 2 : 3);
    EXPECT_EQ(upright.height, orientation <= 4 ? 3 : 2);
    std::string letters;
    for (std::size_t at = 0; at < upright.rgba.size(); at += 4) letters += static_cast<char>(upright.rgba[at]);
    EXPECT_EQ(letters, expected[orientation - 1]) << orientation;
  }
}

}  // namespace
}  // namespace p2mpp
