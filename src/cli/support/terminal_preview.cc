#include "cli/support/terminal_preview.h"

#include <fcntl.h>
#include <poll.h>
#include <spdlog/spdlog.h>
#include <termios.h>
#include <unistd.h>

#include <cstdlib>
#include <string_view>

#include "render/picture.h"
#include "report/terminal_picture.h"

namespace p2mpp::cli {
namespace {

constexpr int kSide = 320;    ///< pixels of the picture
constexpr int kColumns = 48;  ///< width of a picture made of blocks, in characters

std::string variable(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

// Switches off echo and line buffering of the terminal while it exists.
class RawTerminal {
 public:
  explicit RawTerminal(int descriptor) : descriptor_(descriptor), usable_(tcgetattr(descriptor, &before_) == 0) {
    if (!usable_) return;
    termios raw = before_;
    raw.c_lflag &= ~static_cast<tcflag_t>(ICANON | ECHO);
    tcsetattr(descriptor_, TCSANOW, &raw);
  }
  ~RawTerminal() {
    if (usable_) tcsetattr(descriptor_, TCSANOW, &before_);
  }
  RawTerminal(const RawTerminal&) = delete;
  RawTerminal& operator=(const RawTerminal&) = delete;
  [[nodiscard]] bool usable() const { return usable_; }

 private:
  int descriptor_;
  termios before_{};
  bool usable_;
};

// Asks the terminal for its primary device attributes, which every terminal since the VT100 answers at once. A process
// in the background must not ask: it would be stopped.
std::string ask_device_attributes() {
  constexpr int kWaitMilliseconds = 250;
  constexpr std::string_view kQuestion = "\x1b[c";
  const int terminal = ::open("/dev/tty", O_RDWR | O_CLOEXEC | O_NOCTTY);
  if (terminal < 0) return {};
  std::string answer;
  if (tcgetpgrp(terminal) == getpgrp()) {
    const RawTerminal raw(terminal);
    if (raw.usable() && ::write(terminal, kQuestion.data(), kQuestion.size()) > 0) {
      pollfd waiting{terminal, POLLIN, 0};
      while (!answer.ends_with('c') && ::poll(&waiting, 1, kWaitMilliseconds) > 0) {
        char byte = 0;
        if (::read(terminal, &byte, 1) != 1) break;
        answer += byte;
      }
    }
  }
  ::close(terminal);
  return answer;
}

TerminalFacts look_at_terminal() {
  TerminalFacts facts{.is_terminal = isatty(STDOUT_FILENO) == 1,
                      .term = variable("TERM"),
                      .colorterm = variable("COLORTERM"),
                      .program = variable("TERM_PROGRAM"),
                      .has_kitty_window = !variable("KITTY_WINDOW_ID").empty()};
  for (const char* name : {"LC_ALL", "LC_CTYPE", "LANG"}) {
    const std::string locale = variable(name);
    if (locale.empty()) continue;
    facts.is_utf8 = locale.find("UTF-8") != std::string::npos || locale.find("utf8") != std::string::npos;
    break;
  }
  if (facts.is_terminal && facts.term != "dumb") facts.device_attributes = ask_device_attributes();
  return facts;
}

TerminalGraphics graphics_of_this_terminal() {
  const TerminalGraphics graphics = terminal_graphics(look_at_terminal());
  if (graphics == TerminalGraphics::kNone) {
    spdlog::info("--preview-terminal: stdout is no terminal that shows pictures or 256 colours; no preview is shown");
  } else if (const std::string missing = missing_for_terminal_pictures(graphics); !missing.empty()) {
    spdlog::info("--preview-terminal: {}; no preview is shown", missing);
    return TerminalGraphics::kNone;
  }
  return graphics;
}

}  // namespace

std::string terminal_preview(const TriangleMesh& mesh, const PictureCamera& camera, bool ground, int threads) {
  static const TerminalGraphics graphics = graphics_of_this_terminal();
  if (graphics == TerminalGraphics::kNone) return {};
  const MeshPainter painter(
      mesh,
      {.width = kSide, .height = kSide, .background = Background::kTransparent, .ground = ground, .threads = threads});
  return terminal_picture(painter.paint(camera), graphics, kColumns);
}

}  // namespace p2mpp::cli
