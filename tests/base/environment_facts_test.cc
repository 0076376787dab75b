#include "base/environment_facts.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>

namespace p2mpp {
namespace {

TEST(EnvironmentFacts, JsonAndFactsAgree) {
  Environment environment{.cpu = "A Processor",
                          .physical_cores = 8,
                          .hardware_threads = 16,
                          .instruction_set = "avx2",
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
