#include "base/text.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <string>
#include <vector>

#include "support/comma_locale.h"

namespace p2mpp {
namespace {

std::vector<std::string_view> lines_of(std::string_view text) {
  std::vector<std::string_view> lines;
  LineReader reader(text);
  for (std::string_view line; reader.next(line);) {
    lines.push_back(line);
    EXPECT_EQ(reader.number(), lines.size());
  }
  return lines;
}

using Lines = std::vector<std::string_view>;

TEST(LineReader, SplitsEveryKindOfLineEnd) {
  EXPECT_EQ(lines_of(""), Lines{});
  EXPECT_EQ(lines_of("\n"), Lines{""});
  EXPECT_EQ(lines_of("a\nb\n"), (Lines{"a", "b"}));
  EXPECT_EQ(lines_of("a\r\n\r\nb"), (Lines{"a", "", "b"}));
  EXPECT_EQ(lines_of("\xef\xbb\xbf"
                     "a\n"),
            Lines{"a"});
  EXPECT_EQ(lines_of("a\rb\r"), (Lines{"a", "b"}));
  EXPECT_EQ(lines_of("a\r\rb"), (Lines{"a", "", "b"}));
  EXPECT_EQ(lines_of("a\rb\nc"), (Lines{"a\rb", "c"}));
}

TEST(TakeColumn, GivesColumnsUntilNoneIsLeft) {
  std::string_view rest = "  one\ttwo \r";
  EXPECT_EQ(take_column(rest), "one");
  EXPECT_EQ(take_column(rest), "two");
  EXPECT_EQ(take_column(rest), "");
  EXPECT_EQ(take_column(rest), "");
  EXPECT_EQ(trimmed(" a b\t"), "a b");
  EXPECT_EQ(trimmed(" \t "), "");
  EXPECT_EQ(trimmed(without_comment("1 2 # three")), "1 2");
}

TEST(ParseFinite, ReadsDecimalNumbersAlone) {
  EXPECT_EQ(parse_finite("1.5"), 1.5);
  EXPECT_EQ(parse_finite("+1.5"), 1.5);
  EXPECT_EQ(parse_finite("-.5e1"), -5.0);
  EXPECT_EQ(parse_finite("1e-320"), 1e-320);
  for (const char* token : {"", "+", "-", "+-1", "1,5", "0x10", "1.5f", "nan", "inf", "-inf", "1e400", "1 2", "one"}) {
    EXPECT_FALSE(parse_finite(token)) << token;
  }
  const CommaLocale locale;
  EXPECT_EQ(parse_finite("1.5"), 1.5);
  EXPECT_FALSE(parse_finite("1,5"));
}

TEST(Printable, EscapesWhatDoesNotFitIntoALine) {
  EXPECT_EQ(printable("plain \xc3\xa9"), "plain \xc3\xa9");
  EXPECT_EQ(printable(std::string_view("a\0b\n\x1b\x7f", 6)), "a\\x00b\\x0a\\x1b\\x7f");
  EXPECT_EQ(printable("\xff\xc3"), "\\xff\\xc3");
  EXPECT_EQ(printable("\xed\xa0\x80\xc0\x80"), "\\xed\\xa0\\x80\\xc0\\x80");
  EXPECT_EQ(printable(std::string(10000, 'x'), 3), "xxx... (10000 characters)");
}

TEST(Printable, EscapesWhatSteersATerminal) {
  EXPECT_EQ(printable("a\xc2\x9b"
                      "31m"),
            "a\\u009b31m");
  EXPECT_EQ(printable("\xe2\x80\xaegnp.exe\xe2\x81\xa6\xd8\x9c"), "\\u202egnp.exe\\u2066\\u061c");
  EXPECT_EQ(printable("\xe2\x80\x93 \xe4\xb8\xad \xf0\x9f\x98\x80"), "\xe2\x80\x93 \xe4\xb8\xad \xf0\x9f\x98\x80");
  EXPECT_EQ(printable_lines("a\tb\n\x1b[2J\r"), "a\tb\n\\x1b[2J\\x0d");
  EXPECT_EQ(printable_json("{\n\"\xc2\x9b\xc3\xa9\xe2\x80\xae\x7f\": 1}"), "{\n\"\\u009b\xc3\xa9\\u202e\\u007f\": 1}");
}

TEST(LowerExtension, TakesTheLastOne) {
  EXPECT_EQ(lower_extension("a/b.tar.PNG"), ".png");
  EXPECT_EQ(lower_extension("a.b/c"), "");
}

TEST(NaturalLess, ComparesRunsOfDigitsAsNumbers) {
  std::vector<std::string> names{"plane10.png", "plane2.png", "plane1.png", "Plane3.png",
                                 "plane02.png", "plane.png",  "7"};
  std::sort(names.begin(), names.end(), natural_less);
  EXPECT_EQ(names, (std::vector<std::string>{"7", "Plane3.png", "plane.png", "plane1.png", "plane02.png", "plane2.png",
                                             "plane10.png"}));
}

TEST(NaturalLess, HandlesNumbersBeyondEveryInteger) {
  const std::string huge(400, '9');
  EXPECT_TRUE(natural_less("a" + huge, "a1" + huge));
  EXPECT_FALSE(natural_less("a1" + huge, "a" + huge));
  EXPECT_TRUE(natural_less("", "0"));
  EXPECT_FALSE(natural_less("0", "0"));
  EXPECT_TRUE(natural_less("0", "00") || natural_less("00", "0"));
}

TEST(NaturalLess, IsAStrictWeakOrder) {
  std::mt19937 random(1);
  std::vector<std::string> names;
  for (int i = 0; i < 60; ++i) {
    std::string name;
    for (std::size_t length = random() % 6; length > 0; --length) name += "01a.b"[random() % 5];
    names.push_back(name);
  }
  for (const std::string& a : names) {
    for (const std::string& b : names) {
      EXPECT_EQ(natural_less(a, b) || natural_less(b, a), a != b) << a << ' ' << b;
      EXPECT_FALSE(natural_less(a, b) && natural_less(b, a)) << a << ' ' << b;
      for (const std::string& c : names) {
        if (natural_less(a, b) && natural_less(b, c)) {
          EXPECT_TRUE(natural_less(a, c)) << a << ' ' << b << ' ' << c;
        }
      }
    }
  }
}

}  // namespace
}  // namespace p2mpp
