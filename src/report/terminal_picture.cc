#include "report/terminal_picture.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "io/image/png_file.h"
#include "render/resample.h"
#include "report/page.h"

namespace p2mpp {
namespace {

constexpr std::uint8_t kOpaque = 128;  ///< alpha from which a pixel is drawn
constexpr std::size_t kMostSixelColours = 256;

using Colour = std::array<std::uint8_t, 3>;

/// Nothing where the picture is transparent, or has ended.
std::optional<Colour> colour_at(const Image& image, int row, int column) {
  if (row >= image.height) return std::nullopt;
  const std::uint8_t* rgba = &image.rgba[4 * static_cast<std::size_t>(row * image.width + column)];
  if (rgba[3] < kOpaque) return std::nullopt;
  return Colour{rgba[0], rgba[1], rgba[2]};
}

/// Of xterm's 256 colours: 6x6x6 from 16 on, 24 greys from 232 on. What is nearly grey, as a shaded mesh is, takes the
/// greys: the cube's few steps would tint it by turns.
int xterm_colour(const Colour& colour) {
  constexpr int kCube = 16, kGreys = 232, kLevels = 6, kGreyCount = 24, kNearlyGrey = 64;
  const auto [least, most] = std::ranges::minmax(colour);
  if (most - least < kNearlyGrey) {
    const double luminance = 0.2126 * colour[0] + 0.7152 * colour[1] + 0.0722 * colour[2];
    return kGreys + std::clamp(static_cast<int>(std::lround((luminance - 8) / 10)), 0, kGreyCount - 1);
  }
  const auto level = [](std::uint8_t value) { return (value * (kLevels - 1) + 127) / 255; };
  return kCube + (level(colour[0]) * kLevels + level(colour[1])) * kLevels + level(colour[2]);
}

/// A colour with so many bits of each channel.
Colour coarse(const Colour& colour, int bits) {
  Colour result = colour;
  const int most = (1 << bits) - 1;
  for (std::uint8_t& channel : result) channel = static_cast<std::uint8_t>((channel * most + 127) / 255 * 255 / most);
  return result;
}

/// A picture's own colours, as finely as a sixel terminal's registers can hold them, and the bits that they have.
std::pair<std::map<Colour, int>, int> sixel_palette(const Image& image) {
  for (int bits = 6;; --bits) {
    std::map<Colour, int> registers;
    for (int row = 0; row < image.height; ++row) {
      for (int column = 0; column < image.width; ++column) {
        if (const auto colour = colour_at(image, row, column)) registers.emplace(coarse(*colour, bits), 0);
      }
    }
    if (registers.size() > kMostSixelColours) continue;  // two bits give 64 at most
    int next = 0;
    for (auto& [colour, index] : registers) index = next++;
    return {std::move(registers), bits};
  }
}

/// Source: https://sw.kovidgoyal.net/kitty/graphics-protocol/
std::string kitty_picture(const Image& image) {
  constexpr std::size_t kChunk = 4096;
  const std::string text = base64(encode_png(image));
  std::string result;
  for (std::size_t begin = 0; begin < text.size(); begin += kChunk) {
    const bool more = begin + kChunk < text.size();
    result += fmt::format("\x1b_G{}m={:d};{}\x1b\\", begin == 0 ? "a=T,f=100," : "", more, text.substr(begin, kChunk));
  }
  return result + "\n";
}

/// One colour's pixels of a band of six rows, as run lengths.
std::string sixel_runs(const std::string& sixels) {
  std::string text;
  for (std::size_t i = 0; i < sixels.size();) {
    const std::size_t end = std::min(sixels.find_first_not_of(sixels[i], i), sixels.size());
    text += end - i > 3 ? fmt::format("!{}{}", end - i, sixels[i]) : std::string(end - i, sixels[i]);
    i = end;
  }
  return text;
}

/// Source: https://vt100.net/docs/vt3xx-gp/chapter14.html
std::string sixel_picture(const Image& image) {
  std::string text = fmt::format("\x1bP0;1;0q\"1;1;{};{}", image.width, image.height);
  const auto [registers, bits] = sixel_palette(image);
  for (const auto& [colour, index] : registers) {
    const auto percent = [](int value) { return (value * 100 + 127) / 255; };
    text += fmt::format("#{};2;{};{};{}", index, percent(colour[0]), percent(colour[1]), percent(colour[2]));
  }
  for (int band = 0; band < image.height; band += 6) {
    std::map<int, std::string> rows;  // colour -> a character a column
    for (int column = 0; column < image.width; ++column) {
      for (int bit = 0; bit < 6; ++bit) {
        const std::optional<Colour> colour = colour_at(image, band + bit, column);
        if (!colour) continue;
        std::string& row = rows[registers.at(coarse(*colour, bits))];
        row.resize(static_cast<std::size_t>(image.width), '?');
        char& sixel = row[static_cast<std::size_t>(column)];
        sixel = static_cast<char>('?' + ((sixel - '?') | 1 << bit));
      }
    }
    for (const auto& [index, row] : rows) text += fmt::format("#{}{}$", index, sixel_runs(row));
    text += '-';
  }
  return text + "\x1b\\\n";
}

std::string colour_code(const Colour& colour, bool background, bool true_colour) {
  const int which = background ? 48 : 38;
  if (true_colour) return fmt::format("{};2;{};{};{}", which, colour[0], colour[1], colour[2]);
  return fmt::format("{};5;{}", which, xterm_colour(colour));
}

/// Two pixels of a column, the upper above the lower.
std::string half_blocks(const std::optional<Colour>& upper, const std::optional<Colour>& lower, bool true_colour) {
  if (!upper && !lower) return "\x1b[0m ";
  if (!lower) return fmt::format("\x1b[0;{}m▀", colour_code(*upper, false, true_colour));
  if (!upper) return fmt::format("\x1b[0;{}m▄", colour_code(*lower, false, true_colour));
  return fmt::format("\x1b[{};{}m▀", colour_code(*upper, false, true_colour), colour_code(*lower, true, true_colour));
}

std::string block_picture(const Image& image, int columns, bool true_colour) {
  const Image small = resampled(image, columns, std::max(2, columns * image.height / image.width));
  std::string text;
  for (int row = 0; row < small.height; row += 2) {
    for (int column = 0; column < small.width; ++column) {
      text += half_blocks(colour_at(small, row, column), colour_at(small, row + 1, column), true_colour);
    }
    text += "\x1b[0m\n";
  }
  return text;
}

bool has_sixel(const std::string& device_attributes) {
  return device_attributes.find(";4;") != std::string::npos || device_attributes.find(";4c") != std::string::npos;
}

}  // namespace

TerminalGraphics terminal_graphics(const TerminalFacts& facts) {
  if (!facts.is_terminal || facts.term.empty() || facts.term == "dumb") return TerminalGraphics::kNone;
  const bool in_multiplexer = facts.term.starts_with("tmux") || facts.term.starts_with("screen");
  const bool kitty = facts.term.find("kitty") != std::string::npos || facts.term.find("ghostty") != std::string::npos ||
                     facts.program == "WezTerm" || facts.program == "ghostty" || facts.has_kitty_window;
  if (kitty && !in_multiplexer) return TerminalGraphics::kKitty;
  if (has_sixel(facts.device_attributes)) return TerminalGraphics::kSixel;
  if (!facts.is_utf8) return TerminalGraphics::kNone;
  if (facts.colorterm == "truecolor" || facts.colorterm == "24bit") return TerminalGraphics::kTrueBlocks;
  return facts.term.find("256color") != std::string::npos ? TerminalGraphics::kBlocks : TerminalGraphics::kNone;
}

std::string terminal_picture(const Image& image, TerminalGraphics graphics, int columns) {
  switch (graphics) {
    case TerminalGraphics::kNone:
      return {};
    case TerminalGraphics::kKitty:
      return kitty_picture(image);
    case TerminalGraphics::kSixel:
      return sixel_picture(image);
    case TerminalGraphics::kTrueBlocks:
      return block_picture(image, columns, true);
    case TerminalGraphics::kBlocks:
      break;
  }
  return block_picture(image, columns, false);
}

}  // namespace p2mpp
