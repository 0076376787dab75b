#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "base/input_file.h"

namespace p2mpp {

/// A path in which the files of captures are looked for. However many formats are tried, each folder is listed once.
/// Folders are "" for the path itself, or below it. Not thread-safe.
class SearchedPath {
 public:
  explicit SearchedPath(std::filesystem::path path);

  [[nodiscard]] const std::filesystem::path& path() const { return path_; }
  [[nodiscard]] bool is_file() const { return is_file_; }
  /// Whether a file of that name is below the path.
  [[nodiscard]] bool has(const std::filesystem::path& name) const { return p2mpp::is_file(path_ / name); }
  /// What is in a folder, as list_folder() gives it.
  [[nodiscard]] const std::vector<FolderEntry>& entries(const std::string& folder = "") const;
  /// The files of a folder, as files_in() gives them. Of a path that is a file: itself, in the folder "". Asks the stop
  /// token.
  [[nodiscard]] const std::vector<std::filesystem::path>& files(const std::string& folder = "") const;

 private:
  std::filesystem::path path_;
  bool is_file_;
  mutable std::map<std::string, std::vector<FolderEntry>> entries_;
  mutable std::map<std::string, std::vector<std::filesystem::path>> files_;
};

}  // namespace p2mpp
