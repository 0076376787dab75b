#include <string>
#include <string_view>

#include "cameras/named_files.h"

namespace p2mpp {
namespace {

/// The letters without accents of U+00C0 to U+017F, in that order. A blank stands for a character that stays.
constexpr std::string_view kPlainLatin =
    "aaaaaa ceeeeiiii nooooo  uuuuy  aaaaaa ceeeeiiii nooooo  uuuuy y"
    "aaaaaaccccccccdd  eeeeeeeeeegggggggghh  iiiiiiiii   jjkk llllll "
    "   nnnnnn   oooooo  rrrrrrsssssssstttt  uuuuuuuuuuuuwwyyyzzzzzz ";

/// The next character of UTF-8; bytes that are none stand for themselves.
char32_t next_character(std::string_view text, std::size_t& at) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char first = byte(at++);
  const int more = first >= 0xF0 ? 3 : first >= 0xE0 ? 2 : first >= 0xC0 ? 1 : 0;
  if (more == 0 || at + static_cast<std::size_t>(more) > text.size()) return first;
  char32_t value = first & (0x3F >> more);
  for (int i = 0; i < more; ++i) value = value << 6 | (byte(at++) & 0x3F);
  return value;
}

void append(std::string& text, char32_t value) {
  for (int shift = 18; shift >= 0; shift -= 6) {
    if (value >> shift != 0 || shift == 0) text += static_cast<char>(0x80 | (value >> shift & 0x3F));
  }
}

bool is_mark(char32_t value) {
  return (value >= 0x300 && value <= 0x36F) || value == 0x3099 || value == 0x309A;  // of Latin letters, and of kana
}

/// The kana without its voicing mark.
char32_t plain_kana(char32_t value) {
  const char32_t shift = value >= 0x30A1 && value <= 0x30FA ? 0x60 : 0;  // katakana lie behind hiragana
  const char32_t kana = value - shift;
  if (kana >= 0x304B && kana <= 0x3062) return kana - (kana - 0x304B) % 2 + shift;
  if (kana >= 0x3064 && kana <= 0x3069) return kana - (kana - 0x3064) % 2 + shift;
  if (kana >= 0x306F && kana <= 0x307D) return kana - (kana - 0x306F) % 3 + shift;
  return value;
}

void append_decomposed_hangul(std::string& text, char32_t syllable) {
  const char32_t index = syllable - 0xAC00;
  append(text, 0x1100 + index / 588);
  append(text, 0x1161 + index % 588 / 28);
  if (index % 28 != 0) append(text, 0x11A7 + index % 28);
}

}  // namespace

std::string folded(std::string_view text) {
  std::string result;
  for (std::size_t at = 0; at < text.size();) {
    const char32_t value = next_character(text, at);
    if (is_mark(value)) continue;
    if (value < 0x80) {
      result += static_cast<char>(value >= 'A' && value <= 'Z' ? value + 32 : value);
    } else if (value >= 0xC0 && value < 0xC0 + kPlainLatin.size() && kPlainLatin[value - 0xC0] != ' ') {
      result += kPlainLatin[value - 0xC0];
    } else if (value >= 0xAC00 && value <= 0xD7A3) {
      append_decomposed_hangul(result, value);
    } else {
      append(result, plain_kana(value));
    }
  }
  return result;
}

}  // namespace p2mpp
