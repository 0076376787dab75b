#pragma once

#include <zlib.h>

#include <cstdint>
#include <string>
#include <vector>

#include "base/little_endian.h"

namespace p2mpp {

/// A file for zip_archive(). Fields that are not set follow from its bytes.
struct FileToPack {
  std::string name, bytes = {};
  bool deflate = false;
  std::uint16_t mode = 0100644;  ///< as in stat
  std::uint16_t flags = 0;
  std::uint16_t method = 0xffff;
  std::uint32_t size = 0xffffffff;  ///< that the directory says
};

/// A raw deflate stream.
inline std::string deflated(const std::string& bytes) {
  z_stream stream{};
  deflateInit2(&stream, 9, Z_DEFLATED, -MAX_WBITS, 8, Z_DEFAULT_STRATEGY);
  std::string out(deflateBound(&stream, bytes.size()), '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
  stream.avail_in = static_cast<uInt>(bytes.size());
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = static_cast<uInt>(out.size());
  deflate(&stream, Z_FINISH);
  out.resize(stream.total_out);
  deflateEnd(&stream);
  return out;
}

/// A ZIP archive as a Unix writes it.
inline std::string zip_archive(const std::vector<FileToPack>& files) {
  std::string archive, directory;
  for (const FileToPack& file : files) {
    const std::string stored = file.deflate ? deflated(file.bytes) : file.bytes;
    const auto local = static_cast<std::uint32_t>(archive.size());
    std::string facts;  // what both records have
    append_little_endian(facts, std::uint16_t{20});
    append_little_endian(facts, file.flags);
    append_little_endian(facts, file.method != 0xffff ? file.method : std::uint16_t(file.deflate ? 8 : 0));
    append_little_endian(facts, std::uint32_t{0});  // time and date
    append_little_endian(facts, static_cast<std::uint32_t>(::crc32(0, reinterpret_cast<const Bytef*>(file.bytes.data()),
                                                                   static_cast<uInt>(file.bytes.size()))));
    append_little_endian(facts, static_cast<std::uint32_t>(stored.size()));
    append_little_endian(facts, file.size != 0xffffffff ? file.size : static_cast<std::uint32_t>(file.bytes.size()));
    append_little_endian(facts, static_cast<std::uint16_t>(file.name.size()));
    append_little_endian(facts, std::uint16_t{0});
    archive += "PK\x03\x04" + facts + file.name + stored;
    directory += std::string("PK\x01\x02\x14\x03", 6) + facts + std::string(6, '\0');
    append_little_endian(directory, static_cast<std::uint32_t>(file.mode) << 16);
    append_little_endian(directory, local);
    directory += file.name;
  }
  const auto offset = static_cast<std::uint32_t>(archive.size());
  archive += directory + std::string("PK\x05\x06\0\0\0\0", 8);
  append_little_endian(archive, static_cast<std::uint16_t>(files.size()));
  append_little_endian(archive, static_cast<std::uint16_t>(files.size()));
  append_little_endian(archive, static_cast<std::uint32_t>(directory.size()));
  append_little_endian(archive, offset);
  append_little_endian(archive, std::uint16_t{0});
  return archive;
}

}  // namespace p2mpp
