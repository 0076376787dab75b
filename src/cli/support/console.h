#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string_view>

namespace p2mpp::cli {

/// How much the log says.
enum class Verbosity { kQuiet, kDefault, kVerbose };

/// Sends spdlog's default logger to stderr as lines "p2mpp: LEVEL: MESSAGE", coloured on a terminal unless NO_COLOR is
/// set. Whatever a message holds, it stays one line: control characters are escaped. A progress bar is taken away
/// before a line is written and drawn again below it.
void set_up_log(Verbosity verbosity);

/// Writes a result to stdout. When the reader has gone (`p2mpp ... | head`), the rest is dropped and the work goes on.
/// Throws Error if stdout cannot be written (a full disk).
void print(std::string_view text);

/// The one document that stdout gets with --json.
void print_json(const nlohmann::ordered_json& document);

/// What print() left in the buffer. Throws Error as print() does.
void flush_output();

/// A drawing on stderr's last line that log lines must not run into.
class LogOverlay {
 public:
  virtual ~LogOverlay() = default;
  virtual void hide() = 0;
  virtual void show() = 0;
};

/// Makes the log hide and show an overlay around each line; nullptr takes it away again.
void set_log_overlay(LogOverlay* overlay);

}  // namespace p2mpp::cli
