#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

#include "base/file_descriptor.h"

namespace p2mpp {

inline constexpr std::uintmax_t kMaxTextFileBytes = 256u << 20;

/// Reads a regular file. Throws InputError naming the file if it is missing, not a regular file, unreadable, or larger
/// than max_bytes (before memory is allocated), and Error if that is not the file's fault: a failing disk, or no
/// descriptor or memory left.
[[nodiscard]] std::string read_file(const std::filesystem::path& path, std::uintmax_t max_bytes = kMaxTextFileBytes);

/// Reads an open regular file from its start. `path` is for messages. Throws InputError if it is not a regular file or
/// cannot be read.
[[nodiscard]] std::string read_open_file(const FileDescriptor& file, const std::filesystem::path& path,
                                         std::uintmax_t max_bytes = kMaxTextFileBytes);

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

}  // namespace p2mpp
