#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string_view>

#include "base/file_descriptor.h"

namespace p2mpp {

/// The complete lines of a log's text. Ends before the first line that a crash may have damaged. Such a line has no
/// end, or it has a NUL, because a file system may extend a file before it writes the bytes.
[[nodiscard]] std::string_view whole_lines(std::string_view text);

inline constexpr std::uintmax_t kMaxLogBytes = std::uintmax_t{4} << 30;

/// An append-only file of lines. Lines survive a crash of the program or the machine as soon as append() has returned.
/// Only one program at a time can open it: it holds a system lock, which is released when the program ends.
class AppendLog {
 public:
  /// Opens the file, or creates it if it is missing. Calls `on_line` with each complete line, without its end, then
  /// `on_torn_line` with the bytes after them, if there are any. These are removed last: if a callback throws, the file
  /// is unchanged. A file that has other names (hard links) is replaced by a copy, which has none. Throws Error naming
  /// the file and the system's reason, also for a symbolic link, a device and a file that another program has open, and
  /// what the callbacks throw; InputError if the file is larger than kMaxLogBytes.
  AppendLog(
      std::filesystem::path path, const std::function<void(std::string_view)>& on_line,
      const std::function<void(std::string_view)>& on_torn_line = [](std::string_view) {});

  /// Appends lines, each with a newline at its end, in one write and one sync. Throws Error.
  void append(std::string_view lines) const;

  /// Replaces all lines by a rename: at any time, the file has the old lines or the new ones. Throws Error.
  void replace(std::string_view lines);

 private:
  void open();

  std::filesystem::path path_;
  FileDescriptor file_;
};

}  // namespace p2mpp
