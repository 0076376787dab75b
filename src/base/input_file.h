#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

namespace p2mpp {

inline constexpr std::uintmax_t kMaxTextFileBytes = 256u << 20;

/// Reads a regular file. Throws InputError naming the file if it is missing, not a regular file, unreadable, or larger
/// than max_bytes (before memory is allocated).
[[nodiscard]] std::string read_file(const std::filesystem::path& path, std::uintmax_t max_bytes = kMaxTextFileBytes);

/// What is wrong with a file's name that another file gives, if it has to stay inside that file's folder: "is empty",
/// "has a NUL in it", "is an absolute path", "leaves the folder". nullptr if nothing is. Opens no file.
[[nodiscard]] const char* describe_name_problem(const std::string& name);

}  // namespace p2mpp
