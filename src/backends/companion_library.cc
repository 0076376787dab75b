#include "backends/companion_library.h"

#include <dlfcn.h>

#include <array>
#include <filesystem>

namespace p2mpp {

CompanionLibrary open_companion_library(std::string_view file_name, const char* symbol) {
  std::error_code ignored;
  const std::filesystem::path program = std::filesystem::read_symlink("/proc/self/exe", ignored);
  const std::array folders = {program.parent_path(), std::filesystem::path(P2MPP_BUILD_FOLDER)};
  CompanionLibrary library;
  for (const std::filesystem::path& folder : folders) {
    const std::filesystem::path place = folder / file_name;
    const bool is_there = std::filesystem::exists(place, ignored);
    library.is_there = library.is_there || is_there;
    void* handle = dlopen(place.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (handle == nullptr) {
      const char* reason = dlerror();  // thread-local in glibc
      if (library.problem.empty() || is_there) library.problem = reason != nullptr ? reason : "unknown reason";
      continue;
    }
    library.symbol = dlsym(handle, symbol);
    if (library.symbol != nullptr) return library;
    library.problem = place.string() + ": not a library of p2mpp";
  }
  return library;
}

}  // namespace p2mpp
