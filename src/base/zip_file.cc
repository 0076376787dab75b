#include "base/zip_file.h"

#include <algorithm>
#include <cstdint>

#include "base/little_endian.h"
#include "p2mpp/error.h"

namespace p2mpp {
namespace {

// APPNOTE.TXT (PKWARE), 4.3: signatures, and the bytes of each record before its names.
constexpr std::uint32_t kLocalSignature = 0x04034b50;
constexpr std::uint32_t kDirectorySignature = 0x02014b50;
constexpr std::uint32_t kEndSignature = 0x06054b50;
constexpr std::uint32_t kEnd64Signature = 0x06064b50;
constexpr std::uint32_t kLocator64Signature = 0x07064b50;
constexpr std::uint64_t kLocalSize = 30;
constexpr std::uint64_t kDirectorySize = 46;
constexpr std::uint64_t kEndSize = 22;
constexpr std::uint64_t kEnd64Size = 56;
constexpr std::uint64_t kLocator64Size = 20;
constexpr std::uint64_t kLongestComment = 0xffff;
constexpr std::uint16_t kExtra64 = 1;
constexpr std::uint64_t kIsIn64 = 0xffffffff;

/// A ZIP file's records. Throws InputError (one clause) for what is not there.
class ZipReader {
 public:
  explicit ZipReader(std::string_view bytes) : bytes_(bytes) {}

  [[noreturn]] static void fail(const std::string& problem) { throw InputError(problem); }

  [[nodiscard]] std::string_view slice(std::uint64_t offset, std::uint64_t count) const {
    if (offset > bytes_.size() || count > bytes_.size() - offset) fail("it is cut off");
    return bytes_.substr(offset, count);
  }

  [[nodiscard]] std::uint64_t number(std::uint64_t offset, std::size_t byte_count) const {
    return little_endian(slice(offset, byte_count));
  }

  struct Directory {
    std::uint64_t offset, count;
  };

  // The end record is searched from the end, because a comment may follow it.
  [[nodiscard]] Directory find_directory() const {
    for (std::uint64_t back = kEndSize; back <= std::min<std::uint64_t>(bytes_.size(), kEndSize + kLongestComment);
         ++back) {
      const std::uint64_t end = bytes_.size() - back;
      if (number(end, 4) != kEndSignature) continue;
      if (end >= kLocator64Size && number(end - kLocator64Size, 4) == kLocator64Signature) {
        const std::uint64_t end64 = number(end - kLocator64Size + 8, 8);
        static_cast<void>(slice(end64, kEnd64Size));
        if (number(end64, 4) != kEnd64Signature) fail("not a ZIP file");
        return {number(end64 + 48, 8), number(end64 + 32, 8)};
      }
      return {number(end + 16, 4), number(end + 10, 2)};
    }
    fail("not a ZIP file");
  }

  struct Entry {
    std::string_view name;
    std::uint64_t size, local;
    std::uint64_t next;  ///< offset of the next entry
    bool compressed = false;
  };

  [[nodiscard]] Entry entry_at(std::uint64_t offset) const {
    if (number(offset, 4) != kDirectorySignature) fail("not a ZIP file");
    const std::uint64_t name_size = number(offset + 28, 2);
    const std::uint64_t extra_size = number(offset + 30, 2);
    const std::uint64_t extra = offset + kDirectorySize + name_size;
    Entry entry{slice(offset + kDirectorySize, name_size), number(offset + 24, 4), number(offset + 42, 4),
                extra + extra_size + number(offset + 32, 2)};
    const std::uint64_t compressed_size = read_64(offset, extra, extra + extra_size, entry);
    entry.compressed = number(offset + 10, 2) != 0 || compressed_size != entry.size;
    return entry;
  }

  // Lengths that do not fit into 32 bits are in an extra field. Returns the compressed size.
  std::uint64_t read_64(std::uint64_t offset, std::uint64_t extra, std::uint64_t extra_end, Entry& entry) const {
    std::uint64_t compressed = number(offset + 20, 4);
    while (extra + 4 <= extra_end) {
      std::uint64_t at = extra + 4;
      if (number(extra, 2) == kExtra64) {
        for (std::uint64_t* value : {&entry.size, &compressed, &entry.local}) {
          if (*value != kIsIn64) continue;
          *value = number(at, 8);
          at += 8;
        }
      }
      extra += 4 + number(extra + 2, 2);
    }
    return compressed;
  }

  [[nodiscard]] std::string_view contents(const Entry& entry) const {
    if (number(entry.local, 4) != kLocalSignature) fail("not a ZIP file");
    const std::uint64_t names = number(entry.local + 26, 2) + number(entry.local + 28, 2);
    return slice(entry.local + kLocalSize + names, entry.size);
  }

 private:
  std::string_view bytes_;
};

}  // namespace

std::map<std::string, std::string_view, std::less<>> stored_files(std::string_view bytes) {
  const ZipReader reader(bytes);
  const ZipReader::Directory directory = reader.find_directory();
  std::map<std::string, std::string_view, std::less<>> files;
  std::uint64_t offset = directory.offset;
  for (std::uint64_t i = 0; i < directory.count; ++i) {
    const ZipReader::Entry entry = reader.entry_at(offset);
    if (!entry.compressed) files.emplace(entry.name, reader.contents(entry));
    offset = entry.next;
  }
  return files;
}

}  // namespace p2mpp
