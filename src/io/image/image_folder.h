#pragma once

#include <filesystem>
#include <vector>

namespace p2mpp {

/// The images of a folder, by their names' extensions, in natural order (plane2 before plane10). Names that begin with
/// '.' are skipped. Throws InputError naming the folder if it cannot be listed.
[[nodiscard]] std::vector<std::filesystem::path> list_images(const std::filesystem::path& folder);

}  // namespace p2mpp
