#include "report/page.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "base/json_text.h"
#include "base/text.h"
#include "p2mpp/error.h"

namespace p2mpp {
namespace {

TEST(Page, FillsEveryPlaceOnce) {
  EXPECT_EQ(fill_page("a {{x}} b {{y}}{{x}}", {{"x", "1"}, {"y", "{{x}}"}}), "a 1 b {{x}}1");
  EXPECT_EQ(fill_page("no place", {}), "no place");
  EXPECT_EQ(fill_page("{{open", {}), "{{open");
  EXPECT_THROW(static_cast<void>(fill_page("{{missing}}", {{"x", "1"}})), Error);
}

TEST(Page, TextCannotBecomeMarkup) {
  EXPECT_EQ(markup_escaped("<b> & \"c\""), "&lt;b&gt; &amp; &quot;c&quot;");
  const std::string text = script_json({{"name", "</script><script>alert(1)//\xff<!--"}});
  EXPECT_EQ(text.find('<'), std::string::npos);
  EXPECT_EQ(Json::parse(text)["name"].get<std::string>().substr(0, 9), "</script>");
}

TEST(Page, Base64IsTheStandards) {
  // RFC 4648, section 10.
  EXPECT_EQ(base64(""), "");
  EXPECT_EQ(base64("f"), "Zg==");
  EXPECT_EQ(base64("fo"), "Zm8=");
  EXPECT_EQ(base64("foo"), "Zm9v");
  EXPECT_EQ(base64("foobar"), "Zm9vYmFy");
  EXPECT_EQ(base64("\xfb\xff\xfe"), "+//+");
  EXPECT_EQ(encode_base64(Points{{1, 0, 0}}), base64(std::string("\0\0\x80\x3f\0\0\0\0\0\0\0\0", 12)));
  EXPECT_EQ(encode_base64(std::vector<Triangle>{{1, 258, 0}}), base64(std::string("\1\0\0\0\2\1\0\0\0\0\0\0", 12)));
  EXPECT_TRUE(data_uri({2, 2, std::vector<std::uint8_t>(16, 255)}).starts_with("data:image/png;base64,iVBORw0KGgo"));
}

}  // namespace
}  // namespace p2mpp
