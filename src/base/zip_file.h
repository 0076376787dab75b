#pragma once

#include <functional>
#include <map>
#include <string>
#include <string_view>

namespace p2mpp {

/// The uncompressed files of a ZIP archive: name to bytes, which point into `bytes`. Compressed files are skipped;
/// PyTorch compresses source code only. Throws InputError (one clause, without a file name) if the archive is malformed
/// or points outside of itself.
[[nodiscard]] std::map<std::string, std::string_view, std::less<>> stored_files(std::string_view bytes);

}  // namespace p2mpp
