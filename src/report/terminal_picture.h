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
  kTrueBlocks,  ///< half blocks in 24-bit colours
  kBlocks,      ///< half blocks in the 256 colours of xterm
};

/// What is known of a terminal.
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

/// A picture as what makes such a terminal show it, ended by a newline; empty for kNone. Half blocks are `columns`
/// wide, a column a pixel. What is transparent stays the terminal's own background.
[[nodiscard]] std::string terminal_picture(const Image& image, TerminalGraphics graphics, int columns);

}  // namespace p2mpp
