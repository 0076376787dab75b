#include "io/image/jpeg_decoder.h"

#include <gtest/gtest.h>

#include <random>
#include <string>

namespace p2mpp {
namespace {

using namespace std::string_literals;

const std::string kLittleEndian = "Exif\0\0II*\0\x08\0\0\0\x01\0\x12\x01\x03\0\x01\0\0\0\x06\0\0\0\0\0\0\0"s;
const std::string kBigEndian = "Exif\0\0MM\0*\0\0\0\x08\0\x01\x01\x12\0\x03\0\0\0\x01\0\x08\0\0\0\0\0\0"s;

TEST(ExifOrientation, ReadsBothByteOrders) {
  EXPECT_EQ(exif_orientation(kLittleEndian), 6);
  EXPECT_EQ(exif_orientation(kBigEndian), 8);
}

TEST(ExifOrientation, IsUprightWithoutAValidTag) {
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
