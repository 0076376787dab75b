#include "capture/formats/folder_files.h"

#include <algorithm>
#include <fstream>
#include <system_error>

#include "base/text.h"
#include "io/image/image_folder.h"
#include "p2mpp/error.h"

namespace p2mpp {

namespace fs = std::filesystem;

std::vector<fs::path> files_in(const fs::path& folder) {
  std::vector<fs::path> files;
  std::error_code error;
  for (fs::directory_iterator entry(folder.empty() ? "." : folder, error), end; !error && entry != end;
       entry.increment(error)) {
    std::error_code ignored;
    if (entry->path().filename().native().starts_with('.') || !entry->is_regular_file(ignored)) continue;
    files.push_back(entry->path());
  }
  std::ranges::sort(files, [](const fs::path& a, const fs::path& b) { return natural_less(a.native(), b.native()); });
  return files;
}

std::string file_head(const fs::path& file) {
  constexpr std::streamsize kBytes = 16384;
  std::ifstream stream(file, std::ios::binary);
  std::string head(static_cast<std::size_t>(kBytes), '\0');
  stream.read(head.data(), kBytes);
  head.resize(static_cast<std::size_t>(std::max<std::streamsize>(0, stream.gcount())));
  return head;
}

std::vector<std::string> photographs_by_name(const fs::path& root) {
  for (const char* folder : {"images", "image", "rgb", "rgbd", "input", "photos", "frames", ""}) {
    std::error_code ignored;
    if (!fs::is_directory(root / folder, ignored)) continue;
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
