#include "eval/environment.h"

#include <gtest/gtest.h>

#include <regex>

namespace p2mpp {
namespace {

TEST(Environment, SaysWhatAMeasurementDependsOn) {
  const Environment environment = describe_environment();
  EXPECT_FALSE(environment.cpu.empty());
  EXPECT_GE(environment.physical_cores, 1);
  EXPECT_GE(environment.hardware_threads, environment.physical_cores);
  EXPECT_FALSE(environment.cuda_driver.empty());
  EXPECT_TRUE(std::regex_search(environment.compiler, std::regex("(GCC|Clang) \\d+\\.\\d+"))) << environment.compiler;
  EXPECT_TRUE(std::regex_search(environment.libtorch, std::regex("^(2\\.\\d+|none \\()"))) << environment.libtorch;
  EXPECT_EQ(environment.version, p2mpp_version());
  EXPECT_EQ(environment.commit, p2mpp_commit());
}

}  // namespace
}  // namespace p2mpp
