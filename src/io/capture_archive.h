#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>

namespace p2mpp {

/// What the ZIP archive of a capture may hold.
struct ArchiveBounds {
  static constexpr std::size_t kMostEntries = 4096;  ///< with folders
  static constexpr std::size_t kMostImages = 512;    ///< files with an image's name
  static constexpr std::size_t kDeepest = 8;         ///< folders above a file
  static constexpr std::uint64_t kMostTimes = 16;    ///< bytes that are unpacked, of those of the archive
  static constexpr std::uint64_t kAlways = std::uint64_t{16} << 20;       ///< bytes that may be unpacked nevertheless
  static constexpr std::uint64_t kMostOfOther = std::uint64_t{64} << 20;  ///< bytes of a file that is no image

  std::uint64_t bytes = 0;  ///< of all files together, unpacked
};

/// Checks what the archive's directory says, and unpacks nothing. Returns the bytes of all files together. Hidden files
/// and macOS's __MACOSX are left out. Throws InputError (one clause) if the archive is malformed, is beyond a bound, or
/// has a link, an encrypted file or a name that leaves the folder. `archive`: see MappedFile.
[[nodiscard]] std::uint64_t check_capture_archive(const std::filesystem::path& archive, const ArchiveBounds& bounds);

/// Unpacks an archive that check_capture_archive() has passed into a folder, which must not exist. Asks the stop token.
/// Returns the capture's folder: if an archive holds a single folder, as most do, that one. Throws InputError (one
/// clause) if a file is damaged or has another size than the directory says, and Error (DiskError) if it cannot be
/// written.
[[nodiscard]] std::filesystem::path unpack_capture_archive(const std::filesystem::path& archive,
                                                           const std::filesystem::path& folder);

}  // namespace p2mpp
