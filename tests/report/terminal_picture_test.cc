#include "report/terminal_picture.h"

#include <gtest/gtest.h>

#include <algorithm>

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

/// Red above, green below, the right half transparent.
Image two_colours() {
  Image image{4, 4, {}};
  for (int row = 0; row < 4; ++row) {
    for (int column = 0; column < 4; ++column) {
      const bool red = row < 2, there = column < 2;
      image.rgba.insert(image.rgba.end(),
                        {static_cast<std::uint8_t>(red ? 255 : 0), static_cast<std::uint8_t>(red ? 0 : 255), 0,
                         static_cast<std::uint8_t>(there ? 255 : 0)});
    }
  }
  return image;
}

TEST(TerminalPicture, HalfBlocksHoldTwoPixelsEach) {
  const std::string text = terminal_picture(two_colours(), TerminalGraphics::kTrueBlocks, 4);
  EXPECT_EQ(text,
            "\x1b[38;2;255;0;0;48;2;255;0;0m▀\x1b[38;2;255;0;0;48;2;255;0;0m▀\x1b[0m \x1b[0m \x1b[0m\n"
            "\x1b[38;2;0;255;0;48;2;0;255;0m▀\x1b[38;2;0;255;0;48;2;0;255;0m▀\x1b[0m \x1b[0m \x1b[0m\n");
  const std::string cube = terminal_picture(two_colours(), TerminalGraphics::kBlocks, 4);
  EXPECT_NE(cube.find("38;5;196;48;5;196m"), std::string::npos);  // xterm's red
  EXPECT_NE(cube.find("38;5;46;48;5;46m"), std::string::npos);    // xterm's green
}

TEST(TerminalPicture, SixelsHoldSixRowsOfEachColour) {
  const std::string text = terminal_picture(two_colours(), TerminalGraphics::kSixel, 4);
  EXPECT_TRUE(text.starts_with("\x1bP0;1;0q\"1;1;4;4#0;2;0;0;0"));
  EXPECT_TRUE(text.ends_with("-\x1b\\\n"));
  EXPECT_NE(text.find("#180BB??$"), std::string::npos);  // red: rows 0 and 1 of the first two columns
  EXPECT_NE(text.find("#30KK??$"), std::string::npos);   // green: rows 2 and 3
}

TEST(TerminalPicture, KittyTakesAPngInPieces) {
  Image noise{90, 90, std::vector<std::uint8_t>(4 * 90 * 90, 255)};
  for (std::size_t i = 0; i < noise.rgba.size(); ++i) noise.rgba[i] = static_cast<std::uint8_t>((i * i * 7919) >> 5);
  const std::string text = terminal_picture(noise, TerminalGraphics::kKitty, 4);
  EXPECT_TRUE(text.starts_with("\x1b_Ga=T,f=100,m=1;iVBORw0KGgo"));
  EXPECT_NE(text.find("\x1b_Gm=0;"), std::string::npos);
  EXPECT_EQ(std::ranges::count(text, '\n'), 1);
}

TEST(TerminalPicture, NoneIsNothing) { EXPECT_EQ(terminal_picture(two_colours(), TerminalGraphics::kNone, 4), ""); }

}  // namespace
}  // namespace p2mpp
