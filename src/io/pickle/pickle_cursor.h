#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace p2mpp::pickle {

/// Reads a pickle's bytes front to back. Every method throws InputError naming the file where the
/// bytes end too early.
class Cursor {
 public:
  /// expected: what failures say was expected ("a pickle of NumPy arrays").
  Cursor(std::string_view bytes, const std::string& name, const char* expected)
      : bytes_(bytes), name_(name), expected_(expected) {}

  [[nodiscard]] std::string_view take(std::uint64_t count);
  [[nodiscard]] std::uint64_t unsigned_number(std::size_t byte_count);  ///< little-endian, at most 8 bytes
  [[nodiscard]] std::string_view line();                                ///< up to a newline, which is dropped

  /// Throws InputError("NAME: PROBLEM; expected EXPECTED").
  [[noreturn]] void fail(const std::string& problem) const;

 private:
  std::string_view bytes_;
  const std::string& name_;
  const char* expected_;
  std::size_t offset_ = 0;
};

}  // namespace p2mpp::pickle
