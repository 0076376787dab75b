#pragma once

#include <filesystem>
#include <functional>
#include <string_view>

#include "base/file_descriptor.h"

namespace p2mpp {

/// A file of lines that only grows. What append() has returned for survives a crash of the program or the machine. One
/// program at a time may hold it open: the system's lock on it goes with the program, however that ends.
class AppendLog {
 public:
  /// Opens the file and hands on its lines, without their ends; creates it, synced, where it is missing. A last line
  /// that a crash has torn, one without its end, is cut off the file. Throws Error naming the file and the system's
  /// reason, or where another program holds it; and what `on_line` throws.
  AppendLog(std::filesystem::path path, const std::function<void(std::string_view)>& on_line);

  /// Adds lines, each with its end, in one write and one sync. Throws Error.
  void append(std::string_view lines) const;

  /// Takes all lines away. Throws Error.
  void clear() const;

 private:
  std::filesystem::path path_;
  FileDescriptor file_;
};

}  // namespace p2mpp
