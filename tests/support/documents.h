#pragma once

#include <string>

#include "base/input_file.h"

namespace p2mpp {

/// The text of docs/NAME.
inline std::string document(const std::string& name) {
  return read_file(std::filesystem::path(P2MPP_TEST_DATA).parent_path().parent_path() / "docs" / name);
}

}  // namespace p2mpp
