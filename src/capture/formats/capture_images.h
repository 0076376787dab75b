#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "capture/capture.h"

namespace p2mpp {

inline constexpr std::size_t kMinPhotographs = 2;

/// Throws InputError, "{where}: ...", unless a file's name from a capture stays inside the capture's folder: a capture
/// comes from elsewhere, and says nothing about other files of this machine.
void check_inside(const std::string& file, const std::string& where);

[[nodiscard]] bool is_file(const std::filesystem::path& path);

/// Sorts the photographs by name, notes those that are missing, and returns the capture. Throws InputError, "{where}:
/// ...", if a photograph is there twice or fewer than kMinPhotographs are left.
[[nodiscard]] Capture finished(Capture capture, const std::vector<std::string>& missing);

/// "a, b, c and 4 more".
[[nodiscard]] std::string first_names(const std::vector<std::string>& names);

}  // namespace p2mpp
