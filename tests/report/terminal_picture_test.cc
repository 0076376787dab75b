#include "report/terminal_picture.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

namespace p2mpp {
namespace {

TerminalFacts xterm() { return {.is_terminal = true, .term = "xterm-256color", .is_utf8 = true}; }

TEST(TerminalGraphics, GoesByWhatTheTerminalCan) {
  EXPECT_EQ(terminal_graphics(xterm()), TerminalGraphics::kBlocks);
  TerminalFacts facts = xterm();
  facts.colorterm = "truecolor";
  EXPECT_EQ(terminal_graphics(facts), TerminalGraphics::kTrueBlocks);
  facts.device_attributes = "\x1b[?62;4;6;22c";
  EXPECT_EQ(terminal_graphics(facts), TerminalGraphics::kSixel);
  facts.device_attributes = "\x1b[?64;14;24c";  // neither of these is 4
  EXPECT_EQ(terminal_graphics(facts), TerminalGraphics::kTrueBlocks);
  facts.term = "xterm-kitty";
  EXPECT_EQ(terminal_graphics(facts), TerminalGraphics::kKitty);
  facts.term = "tmux-256color";  // swallows kitty's protocol
  facts.has_kitty_window = true;
  EXPECT_EQ(terminal_graphics(facts), TerminalGraphics::kTrueBlocks);
}

TEST(TerminalGraphics, IsNothingWhereNothingWouldBeSeen) {
  TerminalFacts facts = xterm();
  facts.is_terminal = false;
  EXPECT_EQ(terminal_graphics(facts), TerminalGraphics::kNone);
  facts = xterm();
  facts.term = "dumb";
  EXPECT_EQ(terminal_graphics(facts), TerminalGraphics::kNone);
  facts = xterm();
  facts.is_utf8 = false;
  EXPECT_EQ(terminal_graphics(facts), TerminalGraphics::kNone);
  facts = xterm();
  facts.term = "vt100";
  EXPECT_EQ(terminal_graphics(facts), TerminalGraphics::kNone);
}

class ChafaPicture : public ::testing::TestWithParam<TerminalGraphics> {
 protected:
  void SetUp() override {
    if (const std::string missing = missing_for_terminal_pictures(GetParam()); !missing.empty())
      GTEST_SKIP() << missing;
  }
};
class BlockPicture : public ChafaPicture {};
class SixelPicture : public ChafaPicture {};

/// Red above, green below, the right half transparent; `side` pixels.
Image two_colours(int side) {
  Image image{side, side, {}};
  for (int row = 0; row < side; ++row) {
    for (int column = 0; column < side; ++column) {
      const bool red = row < side / 2, there = column < side / 2;
      image.rgba.insert(image.rgba.end(),
                        {static_cast<std::uint8_t>(red ? 255 : 0), static_cast<std::uint8_t>(red ? 0 : 255), 0,
                         static_cast<std::uint8_t>(there ? 255 : 0)});
    }
  }
  return image;
}

TEST_P(BlockPicture, HoldsTwoRowsOfPixelsALine) {
  constexpr int kColumns = 8;
  const std::string text = terminal_picture(two_colours(8 * kColumns), GetParam(), kColumns);
  EXPECT_EQ(std::ranges::count(text, '\n'), kColumns / 2);
  const bool true_colour = GetParam() == TerminalGraphics::kTrueBlocks;
  EXPECT_NE(text.find(true_colour ? "2;255;0;0" : "5;196"), std::string::npos);     // red
  EXPECT_NE(text.find(true_colour ? "2;0;255;0" : "5;46"), std::string::npos);      // green
  EXPECT_EQ(text.find(true_colour ? "48;2;0;0;0" : "48;5;16"), std::string::npos);  // transparent pixels are not black
}
INSTANTIATE_TEST_SUITE_P(TerminalPicture, BlockPicture,
                         ::testing::Values(TerminalGraphics::kTrueBlocks, TerminalGraphics::kBlocks));

TEST_P(SixelPicture, IsAsLargeAsTheImageAndTransparent) {
  const std::string text = terminal_picture(two_colours(32), GetParam(), 4);
  // 0;1: pixels that are not drawn keep the terminal's colour. 30: a sixel is six pixels high.
  EXPECT_TRUE(text.starts_with("\x1bP0;1;0q\"1;1;32;30#")) << text.substr(1, 40);
  EXPECT_TRUE(text.ends_with("\x1b\\\n"));
  EXPECT_NE(text.find(";2;100;0;0#"), std::string::npos);
  EXPECT_NE(text.find(";2;0;100;0#"), std::string::npos);
}
INSTANTIATE_TEST_SUITE_P(TerminalPicture, SixelPicture, ::testing::Values(TerminalGraphics::kSixel));

/// From dark to light, a little blue.
Image shades() {
  Image image{64, 2, {}};
  for (int pixel = 0; pixel < 2 * 64; ++pixel) {
    const auto value = static_cast<std::uint8_t>(80 + 2 * (pixel % 64));
    image.rgba.insert(image.rgba.end(),
                      {value, static_cast<std::uint8_t>(value + 10), static_cast<std::uint8_t>(value + 30), 255});
  }
  return image;
}

TEST_P(BlockPicture, ShadesAreNotTintedByAPalette) {
  if (GetParam() != TerminalGraphics::kBlocks) GTEST_SKIP() << "has no palette";
  const std::string text = terminal_picture(shades(), GetParam(), 64);
  std::set<int> colours;
  for (std::size_t at = 0; (at = text.find("8;5;", at)) != std::string::npos; at += 4) {
    const int colour = std::stoi(text.substr(at + 4));
    if (colour < 232) {
      EXPECT_EQ((colour - 16) % 43, 0) << colour;  // the cube's own greys
    }
    colours.insert(colour);
  }
  EXPECT_GE(colours.size(), 10U);
}

TEST(TerminalPicture, KittyTakesAPngInPieces) {
  Image noise{90, 90, std::vector<std::uint8_t>(4 * 90 * 90, 255)};
  for (std::size_t i = 0; i < noise.rgba.size(); ++i) noise.rgba[i] = static_cast<std::uint8_t>((i * i * 7919) >> 5);
  const std::string text = terminal_picture(noise, TerminalGraphics::kKitty, 4);
  EXPECT_TRUE(text.starts_with("\x1b_Ga=T,f=100,m=1;iVBORw0KGgo"));
  EXPECT_NE(text.find("\x1b_Gm=0;"), std::string::npos);
  EXPECT_EQ(std::ranges::count(text, '\n'), 1);
}

TEST(TerminalPicture, NoneIsNothing) { EXPECT_EQ(terminal_picture(two_colours(4), TerminalGraphics::kNone, 4), ""); }

}  // namespace
}  // namespace p2mpp
