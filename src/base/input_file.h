#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include "base/file_descriptor.h"

namespace p2mpp {

/// All files that p2mpp reads for a user are opened, examined and listed by the functions of this file, because they
/// obey ReadingScope. The build checks that the layers of readers use no others (cmake/check_layers.cmake).

inline constexpr std::uintmax_t kMaxTextFileBytes = 256u << 20;

/// Opens a file or folder for reading. Invalid if that fails (see errno). A named pipe is opened at once.
[[nodiscard]] FileDescriptor open_to_read(const std::filesystem::path& path, int flags = 0);

/// Reads a regular file. Throws InputError naming the file if it is missing, not a regular file, unreadable, or larger
/// than max_bytes (before memory is allocated), and Error if that is not the file's fault: a failing disk, or no
/// descriptor or memory left.
[[nodiscard]] std::string read_file(const std::filesystem::path& path, std::uintmax_t max_bytes = kMaxTextFileBytes);

/// Reads an open regular file from its start. `path` is for messages. Throws InputError if it is not a regular file or
/// cannot be read.
[[nodiscard]] std::string read_open_file(const FileDescriptor& file, const std::filesystem::path& path,
                                         std::uintmax_t max_bytes = kMaxTextFileBytes);

/// The first bytes of a file, at most `count`; empty if it cannot be read.
[[nodiscard]] std::string file_head(const std::filesystem::path& file, std::size_t count = 16384);

/// Whether it is a regular file, or a link to one. False if it cannot be examined.
[[nodiscard]] bool is_file(const std::filesystem::path& path);
/// Whether it is a folder, or a link to one. False if it cannot be examined.
[[nodiscard]] bool is_folder(const std::filesystem::path& path);
/// The bytes of a regular file; 0 if there is none.
[[nodiscard]] std::uintmax_t file_bytes(const std::filesystem::path& path);
/// Whether both exist and are the same file or folder.
[[nodiscard]] bool is_same_file(const std::filesystem::path& a, const std::filesystem::path& b);

struct FolderEntry {
  std::string name;
  bool is_file = false, is_folder = false;  ///< what it is, or a link leads to
  bool is_link = false;
};

/// What is in a folder, in the order of the bytes of the names; the working folder for an empty path. Empty, with
/// `error` set, if it cannot be listed. Asks the stop token.
[[nodiscard]] std::vector<FolderEntry> list_folder(const std::filesystem::path& folder, std::error_code& error);
/// The same, empty if it cannot be listed.
[[nodiscard]] std::vector<FolderEntry> list_folder(const std::filesystem::path& folder);

/// Throws InputError("FOLDER: REASON; expected EXPECTED") unless it is a folder: "no such folder", "is not a folder",
/// or the system's reason why it cannot be examined.
void require_folder(const std::filesystem::path& folder, std::string_view expected);

/// The absolute path without symbolic links. The path's last part need not exist. Throws InputError("PATH: REASON;
/// expected EXPECTED"), or Error if that is not the path's fault (see read_file).
[[nodiscard]] std::filesystem::path real_path(const std::filesystem::path& path, std::string_view expected);

/// Whether a path is a folder or lies below it; both as real_path() returns them.
[[nodiscard]] bool is_inside(const std::filesystem::path& folder, const std::filesystem::path& path);

/// Whether a file exists. A file that cannot be examined counts as existing, because opening it then gives the reason.
[[nodiscard]] bool may_exist(const std::filesystem::path& path);

/// Throws InputError if a name that a file contains must not be used for a file inside that file's folder: "is empty",
/// "has a NUL in it", "is an absolute path", "leaves the folder". Opens no file.
void check_name_below(const std::string& name);

/// Whether check_name_below() passes.
[[nodiscard]] bool is_name_below(const std::string& name);

/// The bytes of a file, read as they are used. Only for files that nobody else may change meanwhile, because reading
/// beyond a file's new end would end the program.
class MappedFile {
 public:
  /// Throws Error naming the file if it cannot be opened or mapped.
  explicit MappedFile(const std::filesystem::path& path);
  ~MappedFile();
  MappedFile(const MappedFile&) = delete;
  MappedFile& operator=(const MappedFile&) = delete;

  [[nodiscard]] std::string_view bytes() const { return {static_cast<const char*>(start_), size_}; }

 private:
  void* start_ = nullptr;
  std::size_t size_ = 0;
};

}  // namespace p2mpp
