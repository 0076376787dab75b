#include "backends/companion_library.h"

#include <dlfcn.h>

#include <filesystem>

#include "base/program_files.h"

namespace p2mpp {

CompanionLibrary open_companion_library(std::string_view file_name, const char* symbol) {
  std::error_code ignored;
  CompanionLibrary library;
  for (const std::filesystem::path& folder : library_search_folders()) {
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
