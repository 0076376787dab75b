#include "cameras/folder_files.h"

#include <algorithm>

#include "base/input_file.h"
#include "base/text.h"
#include "io/image/image_folder.h"
#include "p2mpp/error.h"

namespace p2mpp {

namespace fs = std::filesystem;

std::vector<fs::path> files_in(const fs::path& folder) {
  std::vector<fs::path> files;
  for (const FolderEntry& entry : list_folder(folder)) {
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
