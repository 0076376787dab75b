#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace p2mpp {

/// The regular files of a folder in natural order; empty if it cannot be listed. Names that begin with '.' are skipped.
[[nodiscard]] std::vector<std::filesystem::path> files_in(const std::filesystem::path& folder);

/// The photographs of a capture whose cameras do not name them, relative to `root` and sorted as Python sorts: those of
/// the first of images/, image/, rgb/, rgbd/ and others that has some, else of the root itself.
[[nodiscard]] std::vector<std::string> photographs_by_name(const std::filesystem::path& root);

}  // namespace p2mpp
