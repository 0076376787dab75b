#include "base/program_files.h"

#include <dlfcn.h>
#include <link.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <span>
#include <string>
#include <system_error>

namespace p2mpp {
namespace {

std::filesystem::path module_file() {
  std::error_code ignored;
  Dl_info info;
  void* entry = nullptr;
  const auto* here = reinterpret_cast<const void*>(&module_file);
  if (dladdr1(here, &info, &entry, RTLD_DL_LINKMAP) == 0 || entry == nullptr) return {};
  // The program itself has no name in the linker's list.
  const std::string_view name = static_cast<const link_map*>(entry)->l_name;
  if (name.empty()) return program_file();
  return std::filesystem::canonical(name, ignored);
}

// Relative to the module, as CMake's install paths are to each other (base/CMakeLists.txt).
std::vector<std::filesystem::path> beside_module(std::span<const std::string_view> relative) {
  const std::filesystem::path folder = module_folder();
  std::vector<std::filesystem::path> folders;
  if (folder.empty()) return folders;
  for (const std::string_view path : relative) folders.push_back((folder / path).lexically_normal());
  return folders;
}

}  // namespace

std::filesystem::path program_file() {
  std::error_code ignored;
  return std::filesystem::read_symlink("/proc/self/exe", ignored);
}

std::filesystem::path find_program(std::string_view name) {
  const char* const path = std::getenv("PATH");
  std::string folders = program_file().parent_path().string() + ":" + (path == nullptr ? "" : path);
  for (std::size_t begin = 0; begin <= folders.size();) {
    const std::size_t end = std::min(folders.find(':', begin), folders.size());
    std::filesystem::path found = std::filesystem::path(folders.substr(begin, end - begin)) / name;
    if (found.is_absolute() && ::access(found.c_str(), X_OK) == 0) return found;
    begin = end + 1;
  }
  return {};
}

std::filesystem::path module_folder() { return module_file().parent_path(); }

std::vector<std::filesystem::path> model_search_folders() {
  static constexpr std::array<std::string_view, 4> kFolders = {"models", P2MPP_MODELS_FROM_BIN, P2MPP_MODELS_FROM_LIB,
                                                               "../models"};
  return beside_module(kFolders);
}

std::vector<std::filesystem::path> library_search_folders() {
  static constexpr std::array<std::string_view, 3> kFolders = {"", P2MPP_LIBRARIES_FROM_BIN, "p2mpp"};
  return beside_module(kFolders);
}

}  // namespace p2mpp
