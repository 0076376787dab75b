#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

namespace p2mpp {

inline constexpr std::uintmax_t kMaxTextFileBytes = 256u << 20;

/// Reads a regular file. Throws InputError naming the file if it is missing, not a regular file, unreadable, or larger
/// than max_bytes (before memory is allocated).
[[nodiscard]] std::string read_file(const std::filesystem::path& path, std::uintmax_t max_bytes = kMaxTextFileBytes);

}  // namespace p2mpp
