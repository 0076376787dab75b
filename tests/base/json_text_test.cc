#include "base/json_text.h"

#include <gtest/gtest.h>

#include <limits>
#include <nlohmann/json.hpp>

namespace p2mpp {
namespace {

TEST(JsonText, KeepsTheOrderAndEndsInANewline) {
  EXPECT_EQ(json_text({{"z", 1}, {"a", "x"}}), "{\n  \"z\": 1,\n  \"a\": \"x\"\n}\n");
}

TEST(JsonText, IsValidWhateverAFileIsCalled) {
  const std::string text = json_text({{"name", "a\xff\"\n"}, {"value", std::numeric_limits<double>::quiet_NaN()}});
  const auto parsed = nlohmann::json::parse(text);
  EXPECT_EQ(parsed["name"], "a\xEF\xBF\xBD\"\n");
  EXPECT_TRUE(parsed["value"].is_null());
}

}  // namespace
}  // namespace p2mpp
