#pragma once

#include <map>
#include <string>
#include <string_view>

namespace p2mpp {

/// Where each file of a ZIP archive lies that is stored uncompressed, by name; the others are left out. PyTorch stores
/// all but source code so. Throws InputError (one clause, without a file's name) for anything that is not such an
/// archive, or points outside of it.
[[nodiscard]] std::map<std::string, std::string_view, std::less<>> stored_files(std::string_view bytes);

}  // namespace p2mpp
