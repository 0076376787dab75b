#pragma once

#include <filesystem>
#include <functional>
#include <string_view>

#include "base/file_descriptor.h"

namespace p2mpp {

/// The whole lines of a log's text. What a crash may leave behind them is left out: a line without an end, and lines
/// from the first on that has a NUL, where a file system made the file longer before it wrote its bytes.
[[nodiscard]] std::string_view whole_lines(std::string_view text);

/// An append-only file of lines. Lines survive a crash of the program or the machine as soon as append() has returned.
/// Only one program at a time can open it: it holds a system lock, which is released when the program ends.
class AppendLog {
 public:
  /// Opens the file, or creates it if it is missing, and calls `on_line` with each line, without its end, and then
  /// `on_torn_line` with what is behind the whole lines, if anything is. Only then is that removed: if a callback
  /// throws, the file is as it was. Throws Error naming the file and the system's reason, for a symbolic link or a
  /// device, and if another program has it open; and what the callbacks throw.
  AppendLog(
      std::filesystem::path path, const std::function<void(std::string_view)>& on_line,
      const std::function<void(std::string_view)>& on_torn_line = [](std::string_view) {});

  /// Appends lines, each with a newline at its end, in one write and one sync. Throws Error.
  void append(std::string_view lines) const;

  /// Removes all lines. Throws Error.
  void clear() const;

 private:
  std::filesystem::path path_;
  FileDescriptor file_;
};

}  // namespace p2mpp
