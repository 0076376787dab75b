#include "base/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <compare>
#include <cstdint>
#include <vector>

#include "base/thread_scopes.h"

namespace p2mpp {
namespace {

constexpr std::string_view kBlanks = " \t\r\v\f";
constexpr std::size_t kMaxDisplayedPath = 1024;

bool is_continuation(char c) { return (static_cast<unsigned char>(c) & 0xC0) == 0x80; }

/// Bytes of the UTF-8 character at the front, 0 if there is none.
std::size_t utf8_length(std::string_view text) {
  const auto lead = static_cast<unsigned char>(text.front());
  if (lead < 0x80) return 1;
  const std::size_t length = lead >= 0xF0 ? 4 : lead >= 0xE0 ? 3 : 2;
  if (lead < 0xC2 || lead > 0xF4 || text.size() < length) return 0;
  for (std::size_t i = 1; i < length; ++i) {
    if (!is_continuation(text[i])) return 0;
  }
  const auto second = static_cast<unsigned char>(text[1]);
  const bool overlong = (lead == 0xE0 && second < 0xA0) || (lead == 0xF0 && second < 0x90);
  const bool surrogate = lead == 0xED && second > 0x9F;
  return overlong || surrogate || (lead == 0xF4 && second > 0x8F) ? 0 : length;
}

/// The code point of a whole UTF-8 character.
std::uint32_t code_point(std::string_view character) {
  const auto lead = static_cast<unsigned char>(character.front());
  constexpr std::array<std::uint32_t, 5> kLeadBits = {0, 0x7f, 0x1f, 0x0f, 0x07};
  std::uint32_t point = lead & kLeadBits[character.size()];
  for (const char next : character.substr(1)) point = point << 6U | (static_cast<unsigned char>(next) & 0x3fU);
  return point;
}

/// Whether a character controls a terminal instead of being shown: C0, DEL, C1, line separators, and the marks,
/// embeddings, overrides and isolates of Unicode's bidirectional algorithm.
bool controls_a_terminal(std::uint32_t point) {
  const auto in = [point](std::uint32_t first, std::uint32_t last) { return point >= first && point <= last; };
  return point < 0x20 || in(0x7f, 0x9f) || point == 0x61c || in(0x200e, 0x200f) || in(0x2028, 0x202e) ||
         in(0x2066, 0x2069);
}

/// Appends the first character of `rest`, escaped if it controls a terminal or is not UTF-8, and removes it.
void move_escaped(std::string_view& rest, std::string& result) {
  const std::size_t length = utf8_length(rest);
  const std::string_view character = rest.substr(0, std::max<std::size_t>(length, 1));
  const std::uint32_t point = length == 0 ? static_cast<unsigned char>(character.front()) : code_point(character);
  if (length == 0 || (controls_a_terminal(point) && point < 0x80)) {
    result += fmt::format("\\x{:02x}", point);
  } else if (controls_a_terminal(point)) {
    result += fmt::format("\\u{:04x}", point);
  } else {
    result += character;
  }
  rest.remove_prefix(character.size());
}

bool is_digit(char c) { return c >= '0' && c <= '9'; }

/// Removes a run of digits, or one other character, from the front and returns it.
std::string_view take_piece(std::string_view& rest) {
  std::size_t length = 1;
  if (is_digit(rest.front())) {
    while (length < rest.size() && is_digit(rest[length])) ++length;
  }
  const std::string_view piece = rest.substr(0, length);
  rest.remove_prefix(length);
  return piece;
}

std::strong_ordering compare_pieces(std::string_view a, std::string_view b) {
  if (!is_digit(a.front()) || !is_digit(b.front())) return a <=> b;
  a.remove_prefix(std::min(a.find_first_not_of('0'), a.size()));
  b.remove_prefix(std::min(b.find_first_not_of('0'), b.size()));
  if (a.size() != b.size()) return a.size() <=> b.size();
  return a <=> b;
}

}  // namespace

std::string_view without_byte_order_mark(std::string_view text) {
  constexpr std::string_view kMark = "\xef\xbb\xbf";
  return text.starts_with(kMark) ? text.substr(kMark.size()) : text;
}

LineReader::LineReader(std::string_view text)
    : text_(text), offset_(text.size() - without_byte_order_mark(text).size()) {
  if (text.find('\n') == std::string_view::npos) line_end_ = '\r';
}

bool LineReader::next(std::string_view& line) {
  if (number_ % 64 == 0) end_if_stopped();
  if (offset_ >= text_.size()) return false;
  const std::size_t end = std::min(text_.find(line_end_, offset_), text_.size());
  line = text_.substr(offset_, end - offset_);
  if (line.ends_with('\r')) line.remove_suffix(1);
  offset_ = end + 1;
  ++number_;
  return true;
}

std::string_view take_column(std::string_view& rest) {
  const std::size_t begin = std::min(rest.find_first_not_of(kBlanks), rest.size());
  const std::size_t end = std::min(rest.find_first_of(kBlanks, begin), rest.size());
  const std::string_view column = rest.substr(begin, end - begin);
  rest.remove_prefix(end);
  return column;
}

std::string_view without_comment(std::string_view line) { return line.substr(0, line.find('#')); }

std::string_view trimmed(std::string_view line) {
  const std::size_t begin = line.find_first_not_of(kBlanks);
  if (begin == std::string_view::npos) return {};
  return line.substr(begin, line.find_last_not_of(kBlanks) - begin + 1);
}

std::optional<double> parse_finite(std::string_view token) {
  if (token.starts_with('+') && !token.starts_with("+-")) token.remove_prefix(1);
  double value = 0;
  const char* const end = token.data() + token.size();
  const auto [stopped, error] = std::from_chars(token.data(), end, value);
  if (error != std::errc() || stopped != end || !std::isfinite(value)) return std::nullopt;
  return value;
}

std::string printable(std::string_view text, std::size_t max_length) {
  std::string result;
  for (std::string_view rest = text.substr(0, max_length); !rest.empty();) move_escaped(rest, result);
  if (text.size() > max_length) result += fmt::format("... ({} characters)", text.size());
  return result;
}

std::string printable_lines(std::string_view text) {
  std::string result;
  while (!text.empty()) {
    if (text.front() == '\n' || text.front() == '\t') {
      result += text.front();
      text.remove_prefix(1);
    } else {
      move_escaped(text, result);
    }
  }
  return result;
}

// In valid JSON these characters stand in strings only, but for the line ends between its parts.
std::string printable_json(std::string text) {
  const auto unsafe = [](char c) { return static_cast<unsigned char>(c) >= 0x7f; };
  if (std::ranges::none_of(text, unsafe)) return text;
  std::string result;
  for (std::string_view rest = text; !rest.empty();) {
    const std::string_view character = rest.substr(0, std::max<std::size_t>(utf8_length(rest), 1));
    const std::uint32_t point = code_point(character);
    if (point >= 0x7f && controls_a_terminal(point)) {
      result += fmt::format("\\u{:04x}", point);
    } else {
      result += character;
    }
    rest.remove_prefix(character.size());
  }
  return result;
}

void replace_all(std::string& text, std::string_view what, std::string_view by) {
  for (std::size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + by.size())) {
    text.replace(at, what.size(), by);
  }
}

std::string markup_escaped(std::string_view text) {
  std::string result(text);
  replace_all(result, "&", "&amp;");
  replace_all(result, "<", "&lt;");
  replace_all(result, ">", "&gt;");
  replace_all(result, "\"", "&quot;");
  return result;
}

std::string display(const std::filesystem::path& path) { return printable(path.native(), kMaxDisplayedPath); }

std::string lower_case(std::string_view text) {
  std::string result(text);
  for (char& c : result) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  return result;
}

std::string lower_extension(const std::filesystem::path& path) { return lower_case(path.extension().string()); }

bool natural_less(std::string_view a, std::string_view b) {
  std::string_view rest_a = a;
  std::string_view rest_b = b;
  while (!rest_a.empty() && !rest_b.empty()) {
    const std::strong_ordering order = compare_pieces(take_piece(rest_a), take_piece(rest_b));
    if (order != 0) return order < 0;
  }
  if (rest_a.empty() != rest_b.empty()) return rest_a.empty();
  return a < b;
}

std::size_t edit_distance(std::string_view a, std::string_view b) {
  // Three rows of the table of distances between prefixes: the last but one, the last and the current one.
  std::vector<std::size_t> before_last(b.size() + 1);
  std::vector<std::size_t> last(b.size() + 1);
  std::vector<std::size_t> current(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) last[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    current[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t replaced = last[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
      current[j] = std::min({last[j] + 1, current[j - 1] + 1, replaced});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) {
        current[j] = std::min(current[j], before_last[j - 2] + 1);
      }
    }
    before_last.swap(last);
    last.swap(current);
  }
  return last[b.size()];
}

}  // namespace p2mpp
