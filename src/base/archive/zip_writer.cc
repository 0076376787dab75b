#include "base/archive/zip_writer.h"

#include <zlib.h>

#include <cstdint>
#include <limits>
#include <new>

#include "base/archive/zip_file.h"
#include "base/little_endian.h"
#include "p2mpp/error.h"

namespace p2mpp {
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
std::string description_of(const PackedFile& file, std::size_t stored_bytes) {
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

std::string zip_archive_of(std::span<const PackedFile> files, std::size_t alignment) {
  std::string archive, directory;
  for (const PackedFile& file : files) {
    if (file.bytes.size() > kLargest) throw Error(file.name + ": too large for a ZIP archive; expected at most 4 GB");
    const std::string contents = file.deflate ? deflated(file.bytes) : file.bytes;
    const std::size_t offset = archive.size();
    const std::size_t padding = padding_before(offset + kLocalBytes + file.name.size(), alignment);
    const std::string description = description_of(file, contents.size());
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
