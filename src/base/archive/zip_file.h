#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace p2mpp {

/// A file of a ZIP archive, as the archive's directory describes it.
struct ZipEntry {
  std::string_view name;
  std::string_view stored;     ///< its bytes in the archive
  std::uint64_t size = 0;      ///< its own bytes
  std::uint32_t checksum = 0;  ///< CRC-32 of its own bytes
  unsigned method = 0;         ///< see kZipStored
  bool is_folder = false;
  bool is_special = false;  ///< a link or a device
  bool is_encrypted = false;
};

inline constexpr unsigned kZipStored = 0, kZipDeflated = 8;  ///< the methods that unpack_entry() reads

/// The files and folders of an archive; they point into `bytes`. Throws InputError (one clause, without a file name) if
/// the archive is malformed, points outside of itself or has more than `most`.
[[nodiscard]] std::vector<ZipEntry> zip_entries(std::string_view bytes, std::size_t most = SIZE_MAX);

/// Passes a file's own bytes to `write`, piece by piece: never more than its size. Asks the stop token. Throws
/// InputError (one clause) if the file is encrypted, has another method or another size or checksum than the directory
/// says.
void unpack_entry(const ZipEntry& entry, const std::function<void(std::string_view)>& write);

/// The files that are neither compressed nor encrypted: name to bytes, which point into `bytes`. The others are
/// skipped; PyTorch compresses source code only. Throws as zip_entries().
[[nodiscard]] std::map<std::string, std::string_view, std::less<>> stored_files(std::string_view bytes);

/// A file to pack.
struct PackedFile {
  std::string name;
  std::string bytes;
  bool deflate = false;  ///< compressed, otherwise stored
};

/// A ZIP archive of files, in their order. The bytes of each file begin at a multiple of `alignment`, as USDZ needs it.
/// The same files give the same archive: their time is 1980-01-01. Throws Error if the archive would need 64 bits.
[[nodiscard]] std::string make_zip_archive(std::span<const PackedFile> files, std::size_t alignment = 1);

}  // namespace p2mpp
