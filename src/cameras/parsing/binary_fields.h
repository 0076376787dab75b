#pragma once

#include <fmt/format.h>

#include <bit>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/little_endian.h"
#include "p2mpp/error.h"

namespace p2mpp {

/// Little-endian fields of a binary file, one after the other, with the place for messages. Methods throw InputError,
/// "{name}: byte N: ...". `bytes` and `name` must outlive it.
class BinaryFields {
 public:
  BinaryFields(std::string_view bytes, const std::string& name) : bytes_(bytes), name_(name) {}

  [[nodiscard]] std::uint32_t u32() { return static_cast<std::uint32_t>(little_endian(take(4))); }
  [[nodiscard]] std::int32_t i32() { return static_cast<std::int32_t>(u32()); }
  [[nodiscard]] std::uint64_t u64() { return little_endian(take(8)); }
  [[nodiscard]] double number() { return std::bit_cast<double>(u64()); }
  [[nodiscard]] float single() { return std::bit_cast<float>(u32()); }

  /// A count of records of at least record_bytes each that the file has room for.
  [[nodiscard]] std::uint64_t count(const char* what, std::uint64_t record_bytes) {
    const std::string place = where();
    const std::uint64_t count = u64();
    if (count <= left() / record_bytes) return count;
    throw InputError(
        fmt::format("{}: declares {} {}, and {} bytes are left; expected at least {} for each (an incomplete file?)",
                    place, count, what, left(), record_bytes));
  }

  [[nodiscard]] std::string text() {
    const std::size_t end = bytes_.find('\0', at_);
    if (end == std::string_view::npos) {
      throw InputError(fmt::format("{}: the name has no end; expected a NUL after it", where()));
    }
    const std::string_view text = take(end - at_);
    skip(1);
    return std::string(text);
  }

  /// A text after its length of 8 bytes.
  [[nodiscard]] std::string counted_text() {
    const std::uint64_t length = count("letters", 1);
    return std::string(take(length));
  }

  void skip(std::uint64_t byte_count) { static_cast<void>(take(byte_count)); }

  void expect_end() const {
    if (left() == 0) return;
    throw InputError(fmt::format("{}: {} bytes follow the last record; expected none", where(), left()));
  }

  [[nodiscard]] std::string where() const { return fmt::format("{}: byte {}", name_, at_); }

 private:
  [[nodiscard]] std::uint64_t left() const { return bytes_.size() - at_; }

  std::string_view take(std::uint64_t byte_count) {
    if (byte_count > left()) {
      throw InputError(fmt::format("{}: the file ends here; expected {} more bytes", where(), byte_count));
    }
    const std::string_view taken = bytes_.substr(at_, byte_count);
    at_ += byte_count;
    return taken;
  }

  std::string_view bytes_;
  const std::string& name_;
  std::size_t at_ = 0;
};

}  // namespace p2mpp
