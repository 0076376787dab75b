#pragma once

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>

namespace p2mpp {

/// The JSON that a page's script reads.
inline nlohmann::json page_data(const std::string& page) {
  const std::string begin = R"(<script type="application/json" id="data">)";
  const std::size_t at = page.find(begin) + begin.size();
  return nlohmann::json::parse(page.substr(at, page.find("</script>", at) - at));
}

/// Whether a page would ask the network for anything.
inline void expect_self_contained(const std::string& page) {
  for (const char* part : {"<link", "src=\"http", "href=\"http", "@import", "url(http"}) {
    EXPECT_EQ(page.find(part), std::string::npos) << part;
  }
}

}  // namespace p2mpp
