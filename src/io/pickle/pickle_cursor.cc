#include "io/pickle/pickle_cursor.h"

#include <fmt/format.h>

#include "base/little_endian.h"
#include "p2mpp/error.h"

namespace p2mpp::pickle {

std::string_view Cursor::take(std::uint64_t count) {
  if (count > bytes_.size() - offset_) fail("is cut off");
  const std::string_view taken = bytes_.substr(offset_, count);
  offset_ += count;
  return taken;
}

std::uint64_t Cursor::unsigned_number(std::size_t byte_count) { return little_endian(take(byte_count)); }

std::string_view Cursor::line() {
  const std::size_t end = bytes_.find('\n', offset_);
  if (end == std::string_view::npos) fail("is cut off");
  const std::string_view text = bytes_.substr(offset_, end - offset_);
  offset_ = end + 1;
  return text;
}

void Cursor::fail(const std::string& problem) const {
  throw InputError(fmt::format("{}: {}; expected {}", name_, problem, expected_));
}

}  // namespace p2mpp::pickle
