#include "base/version.h"

#include <gtest/gtest.h>

#include <regex>
#include <string>

namespace p2mpp {
namespace {

TEST(Version, IsThreeNumbers) {
  EXPECT_TRUE(std::regex_match(std::string(p2mpp_version()), std::regex("\\d+\\.\\d+\\.\\d+"))) << p2mpp_version();
}

TEST(Version, TheCommitIsAHashOrUnknown) {
  EXPECT_TRUE(std::regex_match(std::string(p2mpp_commit()), std::regex("unknown|[0-9a-f]{7,40}(-dirty)?")))
      << p2mpp_commit();
}

}  // namespace
}  // namespace p2mpp
