#include <algorithm>
#include <string>

#include "render/drawing.h"
#include "render/panels.h"

namespace p2mpp {
namespace {

Image plain(int width, int height) { return uniform(width, height, {90, 140, 190, 255}); }

/// A rectangle of a picture as text: '#' is white.
std::string seen(const Image& image, int left, int top, int width, int height, int scale) {
  std::string text;
  for (int row = 0; row < height; ++row) {
    for (int column = 0; column < width; ++column) {
      const Rgba at = pixel(image, left + scale * column, top + scale * row);
      text += at.red + at.green + at.blue == 3 * 255 ? '#' : '.';
    }
    text += '\n';
  }
  return text;
}

constexpr const char* kSeven =
    "#####\n"
    "....#\n"
    "...#.\n"
    "..#..\n"
    ".#...\n"
    ".#...\n"
    ".#...\n";

TEST(Label, WritesLettersIntoTheCorner) {
  Image image = plain(224, 224);
  draw_label(image, "7l");
  EXPECT_EQ(seen(image, 2, 2, 5, 7, 1), kSeven);
  EXPECT_EQ(seen(image, 8, 2, 5, 7, 1), "#....\n#....\n#....\n#....\n#....\n#....\n#####\n");
  EXPECT_LT(pixel(image, 0, 0).blue, 100);   // the dark ground
  EXPECT_EQ(pixel(image, 15, 5).blue, 190);  // right of it
  EXPECT_EQ(pixel(image, 5, 11).blue, 190);  // below it
  EXPECT_EQ(pixel(image, 5, 5).alpha, 255);
}

TEST(Label, GrowsWithThePicture) {
  Image image = plain(672, 700);
  draw_label(image, "7");
  EXPECT_EQ(seen(image, 6, 6, 5, 7, 3), kSeven);
  EXPECT_EQ(seen(image, 8, 8, 5, 7, 3), kSeven);  // each pixel of the letter is 3x3
}

TEST(Label, KeepsTheEndOfALongText) {
  Image image = plain(64, 64), end = plain(64, 64);
  draw_label(image, "a/long/folder/IMG_0001.JPG IoU 0.87");
  draw_label(end, "G IoU 0.87");
  EXPECT_EQ(image.rgba, end.rgba);
}

TEST(Label, LettersDiffer) {
  const std::string all = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ.-_+,:/()% ";
  std::vector<std::string> shapes;
  for (const char letter : all + "~") {
    Image image = plain(224, 224);
    draw_label(image, std::string(1, letter));
    shapes.push_back(seen(image, 2, 2, 5, 7, 1));
  }
  std::ranges::sort(shapes);
  EXPECT_EQ(std::ranges::adjacent_find(shapes), shapes.end());
}

TEST(Label, LeavesTinyPicturesAndEmptyTextsAlone) {
  Image tiny = plain(31, 40), image = plain(100, 50);
  draw_label(tiny, "A");
  draw_label(image, "");
  EXPECT_EQ(tiny.rgba, plain(31, 40).rgba);
  EXPECT_EQ(image.rgba, plain(100, 50).rgba);
  draw_label(image, "A");  // not square
  EXPECT_NE(image.rgba, plain(100, 50).rgba);
}

TEST(Label, UnknownBytesAreBoxes) {
  Image image = plain(224, 224), other = plain(224, 224);
  draw_label(image, "\xc3\xa4");
  draw_label(other, "~~");
  EXPECT_EQ(image.rgba, other.rgba);
}

}  // namespace
}  // namespace p2mpp
