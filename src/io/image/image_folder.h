#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace p2mpp {

/// The images of a folder, by their names' extensions, in natural order (plane2 before plane10). Names that begin with
/// '.' are skipped. Throws InputError naming the folder if it cannot be listed.
[[nodiscard]] std::vector<std::filesystem::path> list_images(const std::filesystem::path& folder);

/// Whether a name's extension is that of an image that p2mpp does not read, such as .heic or .dng.
[[nodiscard]] bool is_unread_image_name(const std::filesystem::path& path);

/// "; 12 files such as IMG_1.heic are not read: convert them to JPEG, for instance by `mogrify -format jpg`"; empty if
/// the folder has no such files.
[[nodiscard]] std::string describe_unread_images(const std::filesystem::path& folder);

}  // namespace p2mpp
