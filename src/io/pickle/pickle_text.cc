#include <charconv>
#include <cstdint>

#include "io/pickle/pickle_machine.h"

namespace p2mpp::pickle {
namespace {

constexpr std::uint32_t kMaxCodePoint = 0x10FFFF;

/// Parses exactly `digits` hexadecimal digits at the front.
std::optional<std::uint32_t> hexadecimal(std::string_view text, std::size_t digits) {
  std::uint32_t value = 0;
  const std::string_view number = text.substr(0, digits);
  const auto [end, error] = std::from_chars(number.data(), number.data() + number.size(), value, 16);
  if (number.size() != digits || error != std::errc() || end != number.data() + digits) return std::nullopt;
  return value;
}

void append_utf8(std::string& text, std::uint32_t code) {
  const auto append_byte = [&text](std::uint32_t byte) { text += static_cast<char>(byte); };
  if (code < 0x80) return append_byte(code);
  if (code < 0x800) {
    append_byte(0xC0 | code >> 6);
  } else {
    if (code < 0x10000) {
      append_byte(0xE0 | code >> 12);
    } else {
      append_byte(0xF0 | code >> 18);
      append_byte(0x80 | (code >> 12 & 0x3F));
    }
    append_byte(0x80 | (code >> 6 & 0x3F));
  }
  append_byte(0x80 | (code & 0x3F));
}

std::optional<char> plain_escape(char c) {
  switch (c) {
    case '\\':
    case '\'':
    case '"':
      return c;
    case 'n':
      return '\n';
    case 'r':
      return '\r';
    case 't':
      return '\t';
    default:
      return std::nullopt;
  }
}

}  // namespace

std::optional<std::string> from_repr(std::string_view quoted) {
  if (quoted.size() < 2 || quoted.front() != quoted.back() || (quoted.front() != '\'' && quoted.front() != '"')) {
    return std::nullopt;
  }
  std::string result;
  for (std::string_view rest = quoted.substr(1, quoted.size() - 2); !rest.empty();) {
    if (rest.front() != '\\') {
      result += rest.front();
      rest.remove_prefix(1);
    } else if (rest.starts_with("\\x")) {
      const std::optional<std::uint32_t> byte = hexadecimal(rest.substr(2), 2);
      if (!byte) return std::nullopt;
      result += static_cast<char>(*byte);
      rest.remove_prefix(4);
    } else {
      const std::optional<char> escaped = rest.size() < 2 ? std::nullopt : plain_escape(rest[1]);
      if (!escaped) return std::nullopt;
      result += *escaped;
      rest.remove_prefix(2);
    }
  }
  return result;
}

std::optional<std::string> from_raw_unicode_escape(std::string_view text) {
  std::string result;
  while (!text.empty()) {
    const std::size_t digits = text.starts_with("\\u") ? 4 : text.starts_with("\\U") ? 8 : 0;
    if (digits == 0) {
      append_utf8(result, static_cast<unsigned char>(text.front()));
      text.remove_prefix(1);
      continue;
    }
    const std::optional<std::uint32_t> code = hexadecimal(text.substr(2), digits);
    if (!code || *code > kMaxCodePoint) return std::nullopt;
    append_utf8(result, *code);
    text.remove_prefix(2 + digits);
  }
  return result;
}

std::optional<std::string> latin1_from_utf8(std::string_view text) {
  std::string result;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto lead = static_cast<unsigned char>(text[i]);
    if (lead < 0x80) {
      result += text[i];
      continue;
    }
    if ((lead != 0xC2 && lead != 0xC3) || ++i == text.size()) return std::nullopt;
    const auto next = static_cast<unsigned char>(text[i]);
    if ((next & 0xC0) != 0x80) return std::nullopt;
    result += static_cast<char>((lead & 3) << 6 | (next & 0x3F));
  }
  return result;
}

}  // namespace p2mpp::pickle
