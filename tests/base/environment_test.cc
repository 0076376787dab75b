#include "base/environment.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <regex>
#include <set>
#include <string>

namespace p2mpp {
namespace {

TEST(Version, IsThreeNumbersAndTheCommitAHash) {
  EXPECT_TRUE(std::regex_match(std::string(p2mpp_version()), std::regex("\\d+\\.\\d+\\.\\d+"))) << p2mpp_version();
  EXPECT_TRUE(std::regex_match(std::string(p2mpp_commit()), std::regex("unknown|[0-9a-f]{7,40}(-dirty)?")))
      << p2mpp_commit();
}

TEST(Environment, SaysWhatAMeasurementDependsOn) {
  const Environment environment = describe_environment("2.11.0");
  EXPECT_FALSE(environment.cpu.empty());
  EXPECT_GE(environment.physical_cores, 1);
  EXPECT_GE(environment.hardware_threads, environment.physical_cores);
  EXPECT_FALSE(environment.cuda_driver.empty());
  EXPECT_TRUE(std::regex_match(environment.bf16, std::regex("[a-z0-9_]+, (faster|slower) than fp32: .+")))
      << environment.bf16;
  EXPECT_TRUE(std::regex_search(environment.compiler, std::regex("(GCC|Clang) \\d+\\.\\d+"))) << environment.compiler;
  EXPECT_EQ(environment.libtorch, "2.11.0");
  EXPECT_EQ(environment.version, p2mpp_version());
  EXPECT_EQ(environment.commit, p2mpp_commit());
}

TEST(EnvironmentFacts, JsonAndFactsAgree) {
  Environment environment{.cpu = "A Processor",
                          .physical_cores = 8,
                          .hardware_threads = 16,
                          .instruction_set = "avx2",
                          .bf16 = "avx2, slower than fp32: it has none",
                          .gpus = {"Card A", "Card B"},
                          .cuda_driver = "CUDA 13.0",
                          .operating_system = "Linux",
                          .version = "1.2.3",
                          .commit = "0123abc",
                          .compiler = "GCC 12",
                          .build_type = "Release",
                          .libtorch = "2.11.0"};
  const auto json = to_json(environment);
  std::set<std::string> names;
  for (const auto& [name, value] : environment_facts(environment)) {
    EXPECT_FALSE(value.empty()) << name;
    EXPECT_TRUE(names.insert(name).second) << name;
    if (name == "gpu") {
      EXPECT_EQ(value, "Card A; Card B");
    } else {
      EXPECT_EQ(json[name].is_string() ? json[name].get<std::string>() : json[name].dump(), value) << name;
    }
  }
  EXPECT_EQ(json["gpus"].size(), 2U);
  EXPECT_EQ(json.size(), names.size());
}

TEST(EnvironmentFacts, NoGpuIsSaid) {
  const auto facts = environment_facts(Environment{});
  EXPECT_NE(std::ranges::find(facts, std::pair<std::string, std::string>("gpu", "none")), facts.end());
}

}  // namespace
}  // namespace p2mpp
