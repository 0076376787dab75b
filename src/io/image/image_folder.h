#pragma once

#include <array>
#include <filesystem>
#include <string>
#include <vector>

#include "base/input_file.h"

namespace p2mpp {

/// Of the images that p2mpp reads.
inline constexpr std::array kImageExtensions = {".png", ".jpg", ".jpeg", ".webp", ".bmp"};

/// Whether a name ends with one of them, in any case.
[[nodiscard]] bool has_image_extension(const std::filesystem::path& path);

/// The images of a folder, by their names' extensions, in natural order (plane2 before plane10). Names that begin with
/// '.' are skipped. Throws InputError naming the folder if it cannot be listed.
[[nodiscard]] std::vector<std::filesystem::path> list_images(const std::filesystem::path& folder);

/// "; 12 files such as IMG_1.heic are not read: convert them to JPEG, for instance by `mogrify -format jpg`"; empty if
/// a folder has no such files.
[[nodiscard]] std::string describe_unread_images(const std::vector<FolderEntry>& entries);

/// The regular files of a folder in natural order; empty if it cannot be listed. Names that begin with '.' are skipped.
[[nodiscard]] std::vector<std::filesystem::path> files_in(const std::filesystem::path& folder);
/// The same of a folder that was listed.
[[nodiscard]] std::vector<std::filesystem::path> files_of(const std::filesystem::path& folder,
                                                          const std::vector<FolderEntry>& entries);

/// The photographs of a capture whose cameras do not name them, relative to `root` and sorted as Python sorts: those of
/// the first of images/, image/, rgb/, rgbd/ and others that has some, else of the root itself.
[[nodiscard]] std::vector<std::string> photographs_by_name(const std::filesystem::path& root);

}  // namespace p2mpp
