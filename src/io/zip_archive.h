#pragma once

#include <map>
#include <string>
#include <string_view>

namespace p2mpp {

/// Where each file of a ZIP archive lies, by name, for archives that store their files uncompressed, as PyTorch's are.
/// Throws InputError (one clause, without a file's name) for anything that is not such an archive, or points outside of
/// it.
[[nodiscard]] std::map<std::string, std::string_view, std::less<>> stored_files(std::string_view bytes);

}  // namespace p2mpp
