#include "base/json_text.h"

#include <gtest/gtest.h>

#include <functional>
#include <limits>
#include <nlohmann/json.hpp>

#include "base/thread_scopes.h"
#include "p2mpp/error.h"
#include "support/growth.h"
#include "support/messages.h"

namespace p2mpp {
namespace {

TEST(JsonText, IsValidWhateverAFileIsCalled) {
  EXPECT_EQ(json_text({{"z", 1}, {"a", "x"}}), "{\n  \"z\": 1,\n  \"a\": \"x\"\n}\n");
  const std::string text = json_text({{"name", "a\xff\"\n"}, {"value", std::numeric_limits<double>::quiet_NaN()}});
  const auto parsed = nlohmann::json::parse(text);
  EXPECT_EQ(parsed["name"], "a\xEF\xBF\xBD\"\n");
  EXPECT_TRUE(parsed["value"].is_null());
}

std::string refusal(std::string_view text) {
  return refusal_by([&] { static_cast<void>(parse_json(text)); });
}

TEST(ParseJson, RefusesWhatReadersUnderstandInDifferentWays) {
  EXPECT_EQ(parse_json(R"({"a": {"b": 1}, "c": [{"b": 2}, {"b": 3}], "b": 4})")["c"][1]["b"], 3);
  EXPECT_EQ(refusal(R"({"a": [{"b": 1, "c": 2, "b": 1}]})"), "has the key \"b\" twice in an object");
  EXPECT_EQ(refusal(R"({"a": 1, "\u0061": 1})"), "has the key \"a\" twice in an object");
  EXPECT_EQ(refusal(R"({"a")"), "not valid JSON at byte 5");
  EXPECT_EQ(refusal(std::string(64, '[') + std::string(64, ']')), "");
  EXPECT_EQ(refusal(std::string(65, '[') + std::string(65, ']')), "nests more than 64 deep");
  EXPECT_EQ(refusal(std::string(10'000'000, '[')), "nests more than 64 deep");
  EXPECT_EQ(refusal("1e999"), "holds a number that no double can be");
  EXPECT_EQ(parse_ordered_json(R"({"z": 1, "a": 2})").dump(), R"({"z":1,"a":2})");
}

std::string repeated(int count, const std::function<std::string(int)>& part) {
  std::string text = part(0);
  for (int i = 1; i < count; ++i) text += "," + part(i);
  return text;
}

TEST(ParseJson, TakesATimeInProportionToTheText) {
  const auto list = [](int count) { return "[" + repeated(count, [](int) { return "{}"; }) + "]"; };
  const auto object = [](int count) {
    return "{" + repeated(count, [](int i) { return "\"" + std::to_string(i) + "\": {}"; }) + "}";
  };
  constexpr int kFew = 10'000, kTimes = 10;
  for (const auto& text_of : {std::function<std::string(int)>(list), std::function<std::string(int)>(object)}) {
    const std::string few = text_of(kFew), many = text_of(kTimes * kFew);
    for (const bool ordered : {false, true}) {
      const auto parse = [ordered](const std::string& text) {
        if (ordered) {
          static_cast<void>(parse_ordered_json(text));
        } else {
          static_cast<void>(parse_json(text));
        }
      };
      EXPECT_LT(growth([&] { parse(few); }, [&] { parse(many); }),
                2.5 * kTimes);  // it is 100 if all are looked through
    }
  }
}

TEST(ParseJson, EndsWhenItIsStopped) {
  int questions = 0;
  const StopQuestion stop = [&] { return ++questions > 100; };
  const StopScope scope(&stop);
  const std::string text = "[" + repeated(1000, [](int) { return "[]"; }) + "]";
  EXPECT_THROW(static_cast<void>(parse_json(text)), Stopped);
}

}  // namespace
}  // namespace p2mpp
