#pragma once

#include <filesystem>

namespace p2mpp {

/// While this object exists, the thread reads nothing outside a folder: for read_file() and all other functions of
/// base/input_file.h, other paths do not exist, also if a link inside leads to them. for_each_task() and
/// for_each_piece() hand the folder on to their threads. Scopes may be nested: the inner one's folder counts.
class ReadingScope {
 public:
  /// `folder`, as real_path() returns it, must outlive this object; empty: the thread may read everything.
  explicit ReadingScope(const std::filesystem::path& folder);
  ~ReadingScope();
  ReadingScope(const ReadingScope&) = delete;
  ReadingScope& operator=(const ReadingScope&) = delete;

 private:
  const std::filesystem::path* const outer_;
};

/// The folder of the innermost scope of this thread; empty: everything.
[[nodiscard]] const std::filesystem::path& reading_folder();

}  // namespace p2mpp
