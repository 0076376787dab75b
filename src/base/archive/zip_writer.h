#pragma once

#include <cstddef>
#include <span>
#include <string>

namespace p2mpp {

/// A file to pack.
struct PackedFile {
  std::string name;
  std::string bytes;
  bool deflate = false;  ///< compressed, otherwise stored
};

/// A ZIP archive of files, in their order. The bytes of each file begin at a multiple of `alignment`, as USDZ needs it.
/// The same files give the same archive: their time is 1980-01-01. Throws Error if the archive would need 64 bits.
[[nodiscard]] std::string zip_archive_of(std::span<const PackedFile> files, std::size_t alignment = 1);

}  // namespace p2mpp
