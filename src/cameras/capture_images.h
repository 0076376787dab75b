#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "cameras/capture.h"

namespace p2mpp {

inline constexpr std::size_t kMinPhotographs = 2;

/// Throws InputError, "{where}: ...", unless a file's name from a capture stays inside the capture's folder. A capture
/// may come from strangers, who must not name other files of this machine.
void check_inside(const std::string& file, const std::string& where);

/// Sorts the photographs by name, leaves out what cannot be right (intrinsics that are no pixels, a photograph with
/// several cameras), adds notes about it and about missing ones, and returns the capture. Throws InputError, "{where}:
/// ...", if there are fewer than kMinPhotographs. The message names files of unsupported formats in `folder`, the
/// folder of the photographs, and `hint`.
[[nodiscard]] Capture check_images(Capture capture, const std::vector<std::string>& missing,
                                   const std::filesystem::path& folder, const std::string& hint = {});

/// "a, b, c and 4 more".
[[nodiscard]] std::string first_names(const std::vector<std::string>& names);

}  // namespace p2mpp
