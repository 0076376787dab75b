#include "io/image/image_folder.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string>
#include <system_error>

#include "base/input_file.h"
#include "base/text.h"
#include "p2mpp/error.h"

namespace p2mpp {
namespace {

namespace fs = std::filesystem;

bool is_image_name(const fs::path& path) {
  return !path.filename().native().starts_with('.') && has_image_extension(path);
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

bool is_unread_image_name(const fs::path& path) {
  constexpr std::array kExtensions = {".heic", ".heif", ".avif", ".tif", ".tiff", ".gif", ".dng",
                                      ".cr2",  ".cr3",  ".nef",  ".arw", ".raf",  ".orf"};
  return std::ranges::count(kExtensions, lower_extension(path)) > 0;
}

std::string describe_unread_images(const fs::path& folder) {
  std::size_t count = 0;
  fs::path first;
  for (const FolderEntry& entry : list_folder(folder)) {
    if (!is_unread_image_name(entry.name)) continue;
    if (count++ == 0) first = entry.name;
  }
  if (count == 0) return {};
  return fmt::format(
      "; {} files such as {} are not read: convert them to JPEG, for instance with ImageMagick's "
      "`mogrify -format jpg`",
      count, display(first));
}

}  // namespace p2mpp
