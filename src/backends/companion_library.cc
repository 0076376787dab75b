#include "backends/companion_library.h"

#include <dlfcn.h>

#include <algorithm>
#include <filesystem>
#include <string>

#include "base/program_files.h"
#include "p2mpp/error.h"

namespace p2mpp {

bool has_companion_library(std::string_view file_name) {
  return std::ranges::any_of(library_search_folders(), [&](const std::filesystem::path& folder) {
    std::error_code ignored;
    return std::filesystem::exists(folder / file_name, ignored);
  });
}

void* open_companion_library(std::string_view file_name, const char* symbol) {
  std::error_code ignored;
  std::string reason;
  for (const std::filesystem::path& folder : library_search_folders()) {
    const std::filesystem::path place = folder / file_name;
    void* handle = dlopen(place.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (handle == nullptr) {
      const char* message = dlerror();  // thread-local in glibc
      const bool is_there = std::filesystem::exists(place, ignored);
      if (reason.empty() || is_there) reason = message != nullptr ? message : "unknown reason";
      continue;
    }
    if (void* address = dlsym(handle, symbol); address != nullptr) return address;
    reason = place.string() + ": not a library of p2mpp";
  }
  throw Error(reason);
}

}  // namespace p2mpp
