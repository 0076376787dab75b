#pragma once

#include <string>
#include <string_view>

namespace p2mpp {

/// What became of opening a library of ours that lies beside the program or in its build folder.
struct CompanionLibrary {
  void* symbol = nullptr;  ///< what it offers; null where it cannot be used
  bool is_there = false;   ///< a file of that name, in one of the places
  std::string problem;     ///< why it cannot be used, one clause
};

/// Opens `file_name`, for good: what such libraries link registers operators and keeps threads. Its symbols stay its
/// own: LibTorch's copy of fmt must not meet ours.
[[nodiscard]] CompanionLibrary open_companion_library(std::string_view file_name, const char* symbol);

}  // namespace p2mpp
