#include "io/image/image_folder.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <system_error>

#include "base/text.h"
#include "p2mpp/error.h"

namespace p2mpp {
namespace {

namespace fs = std::filesystem;

bool is_image_name(const fs::path& path) {
  const std::string extension = lower_extension(path);
  return !path.filename().native().starts_with('.') &&
         (extension == ".png" || extension == ".jpg" || extension == ".jpeg" || extension == ".webp");
}

}  // namespace

std::vector<fs::path> list_images(const fs::path& folder) {
  std::vector<fs::path> images;
  std::error_code error;
  for (fs::directory_iterator entry(folder, error), end; !error && entry != end; entry.increment(error)) {
    if (is_image_name(entry->path())) images.push_back(entry->path());
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

}  // namespace p2mpp
