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
  EXPECT_TRUE(text.starts_with("\x1bP0;1;0q\"1;1;4;4#0;2;0;100;0#1;2;100;0;0#"));
  EXPECT_TRUE(text.ends_with("-\x1b\\\n"));
  EXPECT_NE(text.find("#1BB??$"), std::string::npos);  // red: rows 0 and 1 of the first two columns
  EXPECT_NE(text.find("#0KK??$"), std::string::npos);  // green: rows 2 and 3
}

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

TEST(TerminalPicture, ShadesAreNotTintedByAPalette) {
  const std::string text = terminal_picture(shades(), TerminalGraphics::kBlocks, 64);
  std::set<int> colours;
  for (std::size_t at = 0; (at = text.find("38;5;", at)) != std::string::npos; at += 5) {
    colours.insert(std::stoi(text.substr(at + 5)));
  }
  EXPECT_GE(*colours.begin(), 232);  // greys alone
  EXPECT_GE(colours.size(), 12U);
  const std::string sixels = terminal_picture(shades(), TerminalGraphics::kSixel, 64);
  EXPECT_GE(std::ranges::count(sixels, ';'), 3 + 4 * 30);  // thirty registers, each of a shade of its own
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
