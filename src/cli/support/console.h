#pragma once

#include <map>
#include <mutex>
#include <string>
#include <string_view>

#include "base/json_text.h"

namespace p2mpp::cli {

/// The amount of logging.
enum class Verbosity { kQuiet, kDefault, kVerbose };

/// Sends spdlog's default logger to stderr as lines "p2mpp: LEVEL: MESSAGE", coloured on a terminal unless NO_COLOR is
/// set. A message is always one line: control characters are escaped. A progress bar is erased before a line is written
/// and drawn again below it.
void set_up_log(Verbosity verbosity);

/// Writes a result to stdout. Characters that control a terminal, which a file's name may contain, are escaped. If the
/// reader has closed stdout (`p2mpp ... | head`), the output is dropped and the command continues. Throws Error if
/// stdout cannot be written (a full disk).
void print(std::string_view text);

/// Prints the only document on stdout with --json.
void print_json(const Json& document);

/// Logs that a mesh does not cover the object in the images, unless the hint of its pictures is empty.
void warn_of_hint(const std::string& name, const std::string& hint);

/// Flushes the buffer of print(). Throws Error as print() does.
void flush_output();

/// Whether the reader of stdout has closed it.
[[nodiscard]] bool output_closed();

/// A drawing on stderr's last line, which must be erased while a log line is written.
class LogOverlay {
 public:
  virtual ~LogOverlay() = default;
  virtual void hide() = 0;
  virtual void show() = 0;
};

/// Makes the log hide and show an overlay around each line. nullptr removes it.
void set_log_overlay(LogOverlay* overlay);

/// The reason of a failure or a warning without the file at its beginning, and with ID instead of the sample's id.
/// Equal reasons of several samples then compare equal.
[[nodiscard]] std::string reason_without_file(const std::string& id, const std::string& reason);

/// Logs what goes wrong with samples: the first few of each reason with a line each, the others as a number at the end.
/// Thread-safe.
class FoldedLog {
 public:
  enum class Severity { kWarning, kError };

  explicit FoldedLog(Severity severity) : severity_(severity) {}

  /// Logs "PLACE: ID: REASON", or only counts it. PLACE may be empty.
  void add(const std::string& id, const std::string& reason, const std::string& place = {});

  /// The same for "ID: REASON".
  void add_line(const std::string& line);

  /// Logs how many samples were only counted, a line for each reason.
  void finish();

 private:
  void log(const std::string& line) const;

  const Severity severity_;
  std::mutex mutex_;
  std::map<std::string, std::size_t> count_of_;  // by reason
};

}  // namespace p2mpp::cli
