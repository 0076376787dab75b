#pragma once

#include <string>
#include <string_view>

#include "p2mpp/sample.h"

namespace p2mpp {

/// How a terminal shows pictures.
enum class TerminalGraphics {
  kNone,
  kKitty,       ///< kitty's graphics protocol: a PNG
  kSixel,       ///< DEC's six pixels a character
  kTrueBlocks,  ///< block characters in 24-bit colours
  kBlocks,      ///< block characters in the 256 colours of xterm
};

/// A terminal's answers, by which its graphics are chosen.
struct TerminalFacts {
  bool is_terminal = false;            ///< stdout is one
  std::string term = {};               ///< $TERM
  std::string colorterm = {};          ///< $COLORTERM
  std::string program = {};            ///< $TERM_PROGRAM
  bool has_kitty_window = false;       ///< $KITTY_WINDOW_ID is set
  bool is_utf8 = false;                ///< of the locale
  std::string device_attributes = {};  ///< its answer to DA1 ("\x1b[?62;4;22c"), empty if there was none
};
[[nodiscard]] TerminalGraphics terminal_graphics(const TerminalFacts& facts);

/// One line that names the missing part of this build if it cannot make such pictures, else empty. Sixels and blocks
/// need libchafa.
[[nodiscard]] std::string missing_for_terminal_pictures(TerminalGraphics graphics);

/// The text that makes such a terminal show the picture, ended by a newline; empty for kNone. Blocks are `columns`
/// characters wide. Transparent pixels show the terminal's own background. Throws Error if this build cannot make them.
[[nodiscard]] std::string terminal_picture(const Image& image, TerminalGraphics graphics, int columns);

}  // namespace p2mpp
