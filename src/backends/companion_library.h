#pragma once

#include <string>
#include <string_view>

namespace p2mpp {

/// The result of opening one of our shared libraries, which library_search_folders() finds.
struct CompanionLibrary {
  void* symbol = nullptr;  ///< the requested symbol; null if the library cannot be used
  bool is_there = false;   ///< whether a file of that name exists
  std::string problem;     ///< why the library cannot be used, as one clause
};

/// Opens `file_name` and never closes it, because the libraries it links register operators and keep threads running.
/// Its symbols stay local: LibTorch's copy of fmt must not clash with ours.
[[nodiscard]] CompanionLibrary open_companion_library(std::string_view file_name, const char* symbol);

}  // namespace p2mpp
