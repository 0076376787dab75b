#pragma once

#include <string_view>

namespace p2mpp {

/// Whether one of our shared libraries is in one of library_search_folders().
[[nodiscard]] bool has_companion_library(std::string_view file_name);

/// Opens the library and returns a symbol of it. Never closes it, because the libraries it links register operators and
/// keep threads running. Its symbols stay local: LibTorch's copy of fmt must not clash with ours. Throws Error (one
/// clause) if the library cannot be used.
[[nodiscard]] void* open_companion_library(std::string_view file_name, const char* symbol);

}  // namespace p2mpp
