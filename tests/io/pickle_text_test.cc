#include <gtest/gtest.h>

#include "io/pickle/pickle_machine.h"

namespace p2mpp::pickle {
namespace {

TEST(FromRepr, UndoesPythonsReprAndNothingElse) {
  EXPECT_EQ(from_repr("''"), "");
  EXPECT_EQ(from_repr(R"('a\'b"\\\n\r\t\x00\xff')"), std::string("a'b\"\\\n\r\t\0\xff", 10));
  EXPECT_EQ(from_repr(R"("it's")"), "it's");
  for (const char* text : {"", "'", "abc", "'a\"", R"('\x0')", R"('\xzz')", R"('\q')", R"('\')"}) {
    EXPECT_EQ(from_repr(text), std::nullopt) << text;
  }
}

TEST(FromRawUnicodeEscape, GivesUtf8) {
  EXPECT_EQ(from_raw_unicode_escape("a\xe9\\u005c\\u000a\\n"), "a\xc3\xa9\\\n\\n");
  EXPECT_EQ(from_raw_unicode_escape("\\u20ac\\U0001f600"), "\xe2\x82\xac\xf0\x9f\x98\x80");
  EXPECT_EQ(from_raw_unicode_escape("\\u20a"), std::nullopt);
  EXPECT_EQ(from_raw_unicode_escape("\\U00110000"), std::nullopt);
  EXPECT_EQ(from_raw_unicode_escape("\\u+123"), std::nullopt);
}

TEST(Latin1FromUtf8, GivesOneByteACharacter) {
  EXPECT_EQ(latin1_from_utf8(std::string_view("a\0\xc2\x80\xc3\xbf", 6)), std::string("a\0\x80\xff", 4));
  for (const char* text : {"\xc4\x80", "\xe2\x82\xac", "\xc3", "\xc3z", "\x80", "\xff"}) {
    EXPECT_EQ(latin1_from_utf8(text), std::nullopt);
  }
}

TEST(Latin1FromUtf8, UndoesTheEncodingOfEveryByte) {
  std::string bytes;
  for (int byte = 0; byte < 256; ++byte) bytes += static_cast<char>(byte);
  std::string escapable = bytes;
  escapable.erase(escapable.find('\\'), 1);
  const std::optional<std::string> utf8 = from_raw_unicode_escape(escapable);
  ASSERT_TRUE(utf8);
  EXPECT_EQ(latin1_from_utf8(*utf8), escapable);
}

}  // namespace
}  // namespace p2mpp::pickle
