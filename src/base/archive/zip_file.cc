#include "base/archive/zip_file.h"

#include <fmt/format.h>
#include <zlib.h>

#include <algorithm>
#include <limits>
#include <new>

#include "base/little_endian.h"
#include "base/thread_scopes.h"
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
constexpr std::uint64_t kUnix = 3, kTypeBits = 0170000, kRegular = 0100000, kFolder = 0040000;  // 4.4.2, and S_IFMT

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

  /// Reads the entry at the offset, and moves the offset to the next one.
  [[nodiscard]] ZipEntry entry_at(std::uint64_t& offset) const {
    if (number(offset, 4) != kDirectorySignature) fail("not a ZIP file");
    const std::uint64_t name_size = number(offset + 28, 2), extra_size = number(offset + 30, 2);
    const std::uint64_t extra = offset + kDirectorySize + name_size;
    Lengths lengths{number(offset + 24, 4), number(offset + 20, 4), number(offset + 42, 4)};
    read_64(extra, extra + extra_size, lengths);
    ZipEntry entry;
    entry.name = slice(offset + kDirectorySize, name_size);
    entry.size = lengths.size;
    entry.checksum = static_cast<std::uint32_t>(number(offset + 16, 4));
    entry.method = static_cast<unsigned>(number(offset + 10, 2));
    entry.is_encrypted = (number(offset + 8, 2) & 1) != 0;
    entry.is_folder = entry.name.ends_with('/');
    // The upper half of the attributes is the mode, if the archive is from a Unix.
    const std::uint64_t type = number(offset + 5, 1) == kUnix ? number(offset + 40, 2) & kTypeBits : 0;
    entry.is_special = type != 0 && type != kRegular && type != kFolder;
    entry.stored = contents(lengths);
    offset = extra + extra_size + number(offset + 32, 2);
    return entry;
  }

 private:
  struct Lengths {
    std::uint64_t size, compressed, local;
  };

  // Lengths that do not fit into 32 bits are in an extra field.
  void read_64(std::uint64_t extra, std::uint64_t extra_end, Lengths& lengths) const {
    while (extra + 4 <= extra_end) {
      std::uint64_t at = extra + 4;
      if (number(extra, 2) == kExtra64) {
        for (std::uint64_t* value : {&lengths.size, &lengths.compressed, &lengths.local}) {
          if (*value != kIsIn64) continue;
          *value = number(at, 8);
          at += 8;
        }
      }
      extra += 4 + number(extra + 2, 2);
    }
  }

  [[nodiscard]] std::string_view contents(const Lengths& lengths) const {
    if (number(lengths.local, 4) != kLocalSignature) fail("not a ZIP file");
    const std::uint64_t names = number(lengths.local + 26, 2) + number(lengths.local + 28, 2);
    return slice(lengths.local + kLocalSize + names, lengths.compressed);
  }

  std::string_view bytes_;
};

/// zlib's state for a raw deflate stream.
class Inflater {
 public:
  explicit Inflater(std::string_view from) {
    stream_.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(from.data()));
    left_ = from.size();
    if (::inflateInit2(&stream_, -MAX_WBITS) != Z_OK) throw std::bad_alloc();
  }
  ~Inflater() { ::inflateEnd(&stream_); }
  Inflater(const Inflater&) = delete;
  Inflater& operator=(const Inflater&) = delete;

  /// The next bytes, at most as many as the buffer has; none at the end. Throws InputError if the stream is damaged.
  [[nodiscard]] std::string_view next(std::string& buffer) {
    stream_.next_out = reinterpret_cast<Bytef*>(buffer.data());
    stream_.avail_out = static_cast<uInt>(buffer.size());
    while (stream_.avail_out > 0 && !at_end_) {
      const uInt given = static_cast<uInt>(std::min<std::uint64_t>(left_, kPiece));
      stream_.avail_in = given;
      const int status = ::inflate(&stream_, Z_NO_FLUSH);
      left_ -= given - stream_.avail_in;
      at_end_ = status == Z_STREAM_END;
      if (status == Z_MEM_ERROR) throw std::bad_alloc();
      if (!at_end_ && (status != Z_OK || (left_ == 0 && stream_.avail_out > 0))) throw InputError("it is damaged");
    }
    return {buffer.data(), buffer.size() - stream_.avail_out};
  }

  static constexpr std::size_t kPiece = std::size_t{256} << 10;

 private:
  z_stream stream_{};
  std::uint64_t left_ = 0;
  bool at_end_ = false;
};

}  // namespace

std::vector<ZipEntry> zip_entries(std::string_view bytes, std::size_t most) {
  const ZipReader reader(bytes);
  const ZipReader::Directory directory = reader.find_directory();
  if (directory.count > most)
    throw InputError(fmt::format("it has {} files; expected at most {}", directory.count, most));
  std::vector<ZipEntry> entries;
  std::uint64_t offset = directory.offset;
  for (std::uint64_t i = 0; i < directory.count; ++i) entries.push_back(reader.entry_at(offset));
  return entries;
}

void unpack_entry(const ZipEntry& entry, const std::function<void(std::string_view)>& write) {
  if (entry.is_encrypted) throw InputError("it is encrypted");
  if (entry.method != kZipStored && entry.method != kZipDeflated) {
    throw InputError(fmt::format("it is compressed by method {}; expected 'store' or 'deflate'", entry.method));
  }
  std::uint64_t size = 0;
  uLong checksum = ::crc32(0, nullptr, 0);
  const auto pass_on = [&](std::string_view piece) {
    size += piece.size();
    if (size > entry.size) throw InputError("it has more bytes than the archive says");
    checksum = ::crc32(checksum, reinterpret_cast<const Bytef*>(piece.data()), static_cast<uInt>(piece.size()));
    write(piece);
    end_if_stopped();
  };
  if (entry.method == kZipStored) {
    for (std::size_t at = 0; at < entry.stored.size(); at += Inflater::kPiece) {
      pass_on(entry.stored.substr(at, Inflater::kPiece));
    }
  } else {
    Inflater inflater(entry.stored);
    std::string buffer(Inflater::kPiece, '\0');
    for (std::string_view piece = inflater.next(buffer); !piece.empty(); piece = inflater.next(buffer)) pass_on(piece);
  }
  if (size != entry.size) throw InputError("it has fewer bytes than the archive says");
  if (checksum != entry.checksum) throw InputError("it is damaged: its checksum differs");
}

std::map<std::string, std::string_view, std::less<>> stored_files(std::string_view bytes) {
  std::map<std::string, std::string_view, std::less<>> files;
  for (const ZipEntry& entry : zip_entries(bytes)) {
    if (entry.method == kZipStored && !entry.is_encrypted && entry.stored.size() == entry.size) {
      files.emplace(entry.name, entry.stored);
    }
  }
  return files;
}

namespace {

// APPNOTE.TXT (PKWARE), 4.3: the records.
constexpr std::uint32_t kLocalHeader = 0x04034b50, kDirectoryHeader = 0x02014b50, kDirectoryEnd = 0x06054b50;
constexpr std::uint16_t kVersion = 20;           ///< 2.0, the first with deflate
constexpr std::uint16_t kUtf8Names = 0x0800;     ///< a flag
constexpr std::uint16_t kFirstDay = 0x0021;      ///< 1980-01-01
constexpr std::uint16_t kPaddingField = 0x1986;  ///< the extra field that USD's own archives are padded with
constexpr std::size_t kLocalBytes = 30, kExtraHeaderBytes = 4;
constexpr std::size_t kLargest = std::numeric_limits<std::uint32_t>::max();

std::string deflated(const std::string& bytes) {
  z_stream stream{};
  constexpr int kMemoryLevel = 8;
  if (::deflateInit2(&stream, Z_DEFAULT_COMPRESSION, Z_DEFLATED, -MAX_WBITS, kMemoryLevel, Z_DEFAULT_STRATEGY) != Z_OK)
    throw std::bad_alloc();
  std::string packed(::deflateBound(&stream, static_cast<uLong>(bytes.size())), '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
  stream.avail_in = static_cast<uInt>(bytes.size());
  stream.next_out = reinterpret_cast<Bytef*>(packed.data());
  stream.avail_out = static_cast<uInt>(packed.size());
  const int status = ::deflate(&stream, Z_FINISH);
  packed.resize(stream.total_out);
  ::deflateEnd(&stream);
  if (status != Z_STREAM_END) throw std::bad_alloc();  // the output has room for every input
  return packed;
}

/// The bytes of an extra field after which the contents are aligned. A field has at least its header.
std::size_t padding_before(std::size_t contents, std::size_t alignment) {
  std::size_t padding = (alignment - contents % alignment) % alignment;
  while (padding > 0 && padding < kExtraHeaderBytes) padding += alignment;
  return padding;
}

void append_padding(std::string& archive, std::size_t bytes) {
  if (bytes == 0) return;
  append_little_endian(archive, kPaddingField);
  append_little_endian(archive, static_cast<std::uint16_t>(bytes - kExtraHeaderBytes));
  archive.append(bytes - kExtraHeaderBytes, '\0');
}

/// What the header of a file and its entry in the directory have in common.
std::string encode_description(const PackedFile& file, std::size_t stored_bytes) {
  std::string text;
  const auto checksum = ::crc32(::crc32(0, nullptr, 0), reinterpret_cast<const Bytef*>(file.bytes.data()),
                                static_cast<uInt>(file.bytes.size()));
  for (const std::uint16_t field :
       {kVersion, kUtf8Names, static_cast<std::uint16_t>(file.deflate ? kZipDeflated : kZipStored), std::uint16_t{0},
        kFirstDay}) {
    append_little_endian(text, field);
  }
  for (const std::size_t field : {static_cast<std::size_t>(checksum), stored_bytes, file.bytes.size()}) {
    append_little_endian(text, static_cast<std::uint32_t>(field));
  }
  append_little_endian(text, static_cast<std::uint16_t>(file.name.size()));
  return text;
}

void append_entry(std::string& directory, const std::string& description, const std::string& name, std::size_t offset) {
  append_little_endian(directory, kDirectoryHeader);
  append_little_endian(directory, kVersion);
  directory += description;
  constexpr std::size_t kOtherBytes = 12;  // lengths of extra field and comment, disk, attributes
  directory.append(kOtherBytes, '\0');
  append_little_endian(directory, static_cast<std::uint32_t>(offset));
  directory += name;
}

}  // namespace

std::string make_zip_archive(std::span<const PackedFile> files, std::size_t alignment) {
  std::string archive, directory;
  for (const PackedFile& file : files) {
    if (file.bytes.size() > kLargest) throw Error(file.name + ": too large for a ZIP archive; expected at most 4 GB");
    const std::string contents = file.deflate ? deflated(file.bytes) : file.bytes;
    const std::size_t offset = archive.size();
    const std::size_t padding = padding_before(offset + kLocalBytes + file.name.size(), alignment);
    const std::string description = encode_description(file, contents.size());
    append_little_endian(archive, kLocalHeader);
    archive += description;
    append_little_endian(archive, static_cast<std::uint16_t>(padding));
    archive += file.name;
    append_padding(archive, padding);
    archive += contents;
    append_entry(directory, description, file.name, offset);
  }
  if (archive.size() + directory.size() > kLargest) throw Error("too large for a ZIP archive; expected at most 4 GB");
  const std::size_t begin = archive.size();
  archive += directory;
  append_little_endian(archive, kDirectoryEnd);
  append_little_endian(archive, std::uint32_t{0});  // disks
  for (int i = 0; i < 2; ++i) append_little_endian(archive, static_cast<std::uint16_t>(files.size()));
  append_little_endian(archive, static_cast<std::uint32_t>(directory.size()));
  append_little_endian(archive, static_cast<std::uint32_t>(begin));
  append_little_endian(archive, std::uint16_t{0});  // a comment
  return archive;
}

}  // namespace p2mpp
