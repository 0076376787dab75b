#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "base/file_descriptor.h"

namespace p2mpp {

/// The files of an import, by name below its folder, with their SHA-256.
using ImportedFiles = std::multimap<std::string, std::string>;

/// Reads import.json. Throws InputError naming the file if it is none, or a name in it is not one that an import gives.
[[nodiscard]] ImportedFiles read_imported_files(const std::filesystem::path& file);

/// The folder that `p2mpp import` writes. At any time its cameras.json is that of the earlier import or that of the new
/// one, and the files that it names are whole: new files are written into a folder in it, and get their names when all
/// are there. Removes only regular files in the folder that import.json lists with their hash, and cameras.json;
/// follows no link.
class ImportFolder {
 public:
  static constexpr const char* kListName = "import.json";

  /// Locks the folder, which must exist. Throws InputError if another import is writing into it, or it is neither empty
  /// nor, with `overwrite`, the folder of an earlier import.
  ImportFolder(const std::filesystem::path& folder, bool overwrite);
  /// Removes the new files, unless cameras.json already refers to them.
  ~ImportFolder();
  ImportFolder(const ImportFolder&) = delete;
  ImportFolder& operator=(const ImportFolder&) = delete;

  /// The files of the earlier import.
  [[nodiscard]] std::vector<std::filesystem::path> earlier_files() const;

  /// Throws InputError if one of the new import's files would replace a file that no import wrote.
  void check_free(const std::vector<std::string>& names) const;

  /// Writes a file: "front.png" or "masks/front.png". Thread-safe. Throws Error.
  void add(const std::string& name, std::string_view bytes);

  /// The earlier import's files make room for those that were added. `cameras` returns the text of cameras.json if its
  /// files are in a folder: "" or "folder/". Throws Error.
  void finish(const std::function<std::string(const std::string& folder)>& cameras);

 private:
  void check_state(bool overwrite);
  void remove_left_folders() const;
  void begin();
  void write_list(const ImportedFiles& files) const;
  void move_into_place() const;

  std::filesystem::path shown_;    // as it was given, for messages
  std::filesystem::path path_;     // without links
  FileDescriptor folder_;          // locked
  ImportedFiles earlier_, added_;  // added_: one of each name
  std::string new_name_;           // the folder of new files; empty: there is none
  bool is_committed_ = false;      // cameras.json refers to it
  std::mutex mutex_;               // guards added_ and new_name_ in add()
};

}  // namespace p2mpp
