#include <gtest/gtest.h>

#include <vector>

#include "cli/support/usage.h"

namespace p2mpp::cli {
namespace {

const std::vector<std::string> kCommands = {"predict", "eval", "bench", "metrics", "info", "completion"};

TEST(Suggest, GivesTheNearWordOrNothing) {
  EXPECT_EQ(suggest("predcit", kCommands), "predict");
  EXPECT_EQ(suggest("bnech", kCommands), "bench");
  EXPECT_EQ(suggest("metric", kCommands), "metrics");
  EXPECT_EQ(suggest("inof", kCommands), "info");
  EXPECT_EQ(suggest("frobnicate", kCommands), "");
  EXPECT_EQ(suggest("xyz", kCommands), "");
  EXPECT_EQ(suggest("", kCommands), "");
  EXPECT_EQ(suggest("predict", {}), "");
  EXPECT_EQ(did_you_mean("evla", kCommands), "; did you mean 'eval'?");
  EXPECT_EQ(did_you_mean("render", kCommands), "");
}

}  // namespace
}  // namespace p2mpp::cli
