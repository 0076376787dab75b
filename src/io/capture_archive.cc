#include "io/capture_archive.h"

#include <fcntl.h>
#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <string>
#include <system_error>
#include <vector>

#include "base/archive/zip_file.h"
#include "base/atomic_file.h"
#include "base/file_descriptor.h"
#include "base/input_file.h"
#include "base/table.h"
#include "base/text.h"
#include "io/image/image_folder.h"
#include "p2mpp/error.h"

namespace p2mpp {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kLongestName = 200;  ///< bytes of a file's or a folder's name

struct ArchivedFile {
  fs::path name;
  ZipEntry entry;
};

// Some programs of Windows write backslashes.
fs::path entry_name(const ZipEntry& entry) {
  std::string name(entry.name);
  std::ranges::replace(name, '\\', '/');
  const std::string shown = printable(name, 80);
  try {
    check_name_below(name);
  } catch (const InputError& error) {
    throw InputError(fmt::format("the name '{}' {}; expected names inside the archive", shown, error.what()));
  }
  const fs::path path = fs::path(name).lexically_normal();
  const auto is_long = [](const fs::path& part) { return part.native().size() > kLongestName; };
  if (printable(name, name.size()) != name || std::ranges::any_of(path, is_long)) {
    throw InputError(
        fmt::format("the name '{}' is too long or cannot be shown; expected at most {} bytes", shown, kLongestName));
  }
  const auto parts = static_cast<std::size_t>(std::distance(path.begin(), path.end()));
  if (parts <= ArchiveBounds::kDeepest + 1) return path;
  throw InputError(
      fmt::format("'{}' is in {} folders; expected at most {}", shown, parts - 1, ArchiveBounds::kDeepest));
}

bool is_left_out(const fs::path& name) {
  return std::ranges::any_of(name,
                             [](const fs::path& part) { return part.native().starts_with('.') || part == "__MACOSX"; });
}

/// The files that are unpacked.
std::vector<ArchivedFile> packed_files(std::string_view archive) {
  std::vector<ArchivedFile> files;
  for (const ZipEntry& entry : zip_entries(archive, ArchiveBounds::kMostEntries)) {
    fs::path name = entry_name(entry);
    if (entry.is_special) {
      throw InputError(fmt::format("'{}' is a link or a device; expected files", display(name)));
    }
    if (entry.is_folder || !name.has_filename() || is_left_out(name)) continue;
    if (entry.is_encrypted) throw InputError(fmt::format("'{}' is encrypted; expected no password", display(name)));
    files.push_back({std::move(name), entry});
  }
  return files;
}

[[noreturn]] void fail_to_unpack(const fs::path& path, int error) {
  throw_write_error(fmt::format("{}: cannot be written: {}", display(path), std::generic_category().message(error)),
                    error);
}

void unpack(const ArchivedFile& packed, const fs::path& folder) {
  const fs::path path = folder / packed.name;
  std::error_code error;
  fs::create_directories(path.parent_path(), error);
  // O_EXCL: no file replaces another one.
  FileDescriptor file(error ? -1 : ::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600));
  if (!file) {
    const int reason = error ? error.value() : errno;
    if (reason != EEXIST && reason != ENOTDIR && reason != EISDIR) fail_to_unpack(path, reason);
    throw InputError(fmt::format("'{}' appears twice; expected each name once", display(packed.name)));
  }
  try {
    unpack_entry(packed.entry, [&](std::string_view piece) {
      if (!file.write_all(piece)) fail_to_unpack(path, errno);
    });
  } catch (const InputError& refused) {
    throw InputError(fmt::format("'{}': {}", display(packed.name), refused.what()));
  }
  if (!file.close()) fail_to_unpack(path, errno);
}

/// The folder itself, or the only thing in it.
fs::path without_levels(fs::path folder) {
  while (true) {
    const std::vector<FolderEntry> entries = list_folder(folder);
    if (entries.size() != 1 || !entries.front().is_folder) return folder;
    folder /= entries.front().name;
  }
}

}  // namespace

std::uint64_t check_capture_archive(const fs::path& archive, const ArchiveBounds& bounds) {
  const MappedFile mapped(archive);
  const std::uint64_t most =
      std::min(bounds.bytes, std::max(ArchiveBounds::kAlways, ArchiveBounds::kMostTimes * mapped.bytes().size()));
  std::uint64_t total = 0;
  std::size_t images = 0;
  for (const ArchivedFile& file : packed_files(mapped.bytes())) {
    const bool is_image = has_image_extension(file.name);
    images += is_image ? 1 : 0;
    if (!is_image && file.entry.size > ArchiveBounds::kMostOfOther) {
      throw InputError(fmt::format("'{}' has {} bytes; expected at most {}", display(file.name),
                                   with_commas(file.entry.size), with_commas(ArchiveBounds::kMostOfOther)));
    }
    if (file.entry.size > most - total) {
      throw InputError(fmt::format("the files have more than {} bytes together; expected fewer", with_commas(most)));
    }
    total += file.entry.size;
  }
  if (images <= ArchiveBounds::kMostImages) return total;
  throw InputError(fmt::format("there are {} images; expected at most {}", images, ArchiveBounds::kMostImages));
}

fs::path unpack_capture_archive(const fs::path& archive, const fs::path& folder) {
  const MappedFile mapped(archive);
  std::error_code error;
  fs::create_directory(folder, error);
  if (error) fail_to_unpack(folder, error.value());
  for (const ArchivedFile& file : packed_files(mapped.bytes())) unpack(file, folder);
  return without_levels(folder);
}

}  // namespace p2mpp
