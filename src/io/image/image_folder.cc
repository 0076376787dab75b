#include "io/image/image_folder.h"

#include <fmt/format.h>

#include <algorithm>
#include <system_error>

#include "base/text.h"
#include "p2mpp/error.h"

namespace p2mpp {
namespace {

namespace fs = std::filesystem;

bool is_image_name(const fs::path& path) {
  return !path.filename().native().starts_with('.') && has_image_extension(path);
}

/// Whether its extension is that of an image that p2mpp does not read, such as .heic or .dng.
bool is_unread_image_name(const fs::path& path) {
  constexpr std::array kExtensions = {".heic", ".heif", ".avif", ".tif", ".tiff", ".gif", ".dng",
                                      ".cr2",  ".cr3",  ".nef",  ".arw", ".raf",  ".orf"};
  return std::ranges::count(kExtensions, lower_extension(path)) > 0;
}

}  // namespace

bool has_image_extension(const fs::path& path) {
  return std::ranges::count(kImageExtensions, lower_extension(path)) > 0;
}

std::vector<fs::path> list_images(const fs::path& folder) {
  std::vector<fs::path> images;
  std::error_code error;
  for (const FolderEntry& entry : list_folder(folder, error)) {
    if (is_image_name(entry.name)) images.push_back(folder / entry.name);
  }
  if (error) {
    throw InputError(
        fmt::format("{}: cannot be listed: {}; expected a readable folder", display(folder), error.message()));
  }
  std::sort(images.begin(), images.end(), [](const fs::path& a, const fs::path& b) {
    return natural_less(a.filename().native(), b.filename().native());
  });
  return images;
}

std::string describe_unread_images(const std::vector<FolderEntry>& entries) {
  std::size_t count = 0;
  fs::path first;
  for (const FolderEntry& entry : entries) {
    if (!is_unread_image_name(entry.name)) continue;
    if (count++ == 0) first = entry.name;
  }
  if (count == 0) return {};
  return fmt::format(
      "; {} files such as {} are not read: convert them to JPEG, for instance with ImageMagick's "
      "`mogrify -format jpg`",
      count, display(first));
}

std::vector<fs::path> files_in(const fs::path& folder) { return files_of(folder, list_folder(folder)); }

std::vector<fs::path> files_of(const fs::path& folder, const std::vector<FolderEntry>& entries) {
  std::vector<fs::path> files;
  for (const FolderEntry& entry : entries) {
    if (entry.is_file && !entry.name.starts_with('.')) files.push_back(folder / entry.name);
  }
  std::ranges::sort(files, [](const fs::path& a, const fs::path& b) { return natural_less(a.native(), b.native()); });
  return files;
}

std::vector<std::string> photographs_by_name(const fs::path& root) {
  for (const char* folder : {"images", "image", "rgb", "rgbd", "input", "photos", "frames", ""}) {
    if (!is_folder(root / folder)) continue;
    std::vector<std::string> names;
    for (const fs::path& image : list_images(root / folder)) {
      names.push_back((fs::path(folder) / image.filename()).string());
    }
    if (names.empty()) continue;
    // All digits: 9 before 10. Otherwise as Python's sorted(), on which NeuS and LLFF rely.
    const bool numbered = std::ranges::all_of(names, [](const std::string& name) {
      return fs::path(name).stem().string().find_first_not_of("0123456789") == std::string::npos;
    });
    if (!numbered) std::ranges::sort(names);
    return names;
  }
  return {};
}

}  // namespace p2mpp
