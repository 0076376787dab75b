#include <gtest/gtest.h>

#include "report/page.h"
#include "report/page_data.h"
#include "support/messages.h"

namespace p2mpp {
namespace {

TEST(ServePage, IsOneFileThatNamesNoOtherHost) {
  const std::string page = serve_page(false, false);
  EXPECT_EQ(page.find("{{"), std::string::npos);
  EXPECT_EQ(page.find("http:"), std::string::npos);
  EXPECT_EQ(page.find("https:"), std::string::npos);
  EXPECT_HOLDS(page, "data-token=\"false\"");
  EXPECT_HOLDS(serve_page(true, true), "data-token=\"true\" data-finds-cameras=\"true\"");
  EXPECT_HOLDS(serve_page(false, false), "\"00.png\":\"89504e47");  // of a PNG
}

TEST(SampleCheckJson, HasAPictureAndAShareOfEachView) {
  Sample sample{"a", {}};
  for (const float azimuth : {0.0F, 90.0F}) {
    Image image{64, 64, std::vector<std::uint8_t>(std::size_t{64} * 64 * 4, 255)};
    for (std::size_t row = 20; row < 44; ++row) {
      for (std::size_t byte = 80; byte < 176; ++byte) image.rgba[row * 256 + byte] = byte % 4 == 3 ? 255 : 60;
    }
    sample.views.push_back(view_from_row(std::move(image), {azimuth, 10, 0, 0.8F, 0}));
  }
  const nlohmann::ordered_json json = sample_check_json(sample, {});
  ASSERT_EQ(json["views"].size(), 2U);
  EXPECT_NEAR(json["views"][1]["azimuth"].get<double>(), 90, 1e-3);
  EXPECT_LT(json["views"][0]["unexplained"].get<double>(), 0.05);
  EXPECT_EQ(json["views"][0]["picture"].get<std::string>().substr(0, 22), "data:image/png;base64,");
  std::ranges::fill(sample.views[1].image.rgba, std::uint8_t{255});
  const nlohmann::ordered_json empty = sample_check_json(sample, {});
  EXPECT_TRUE(empty["disagreement"].is_null());
  EXPECT_FALSE(empty["warnings"].empty());
}

}  // namespace
}  // namespace p2mpp
