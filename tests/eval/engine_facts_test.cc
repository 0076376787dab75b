#include "eval/engine_facts.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "base/environment.h"

namespace p2mpp {
namespace {

const ModelInfo kModel{.name = "chairs",
                       .semantics = Semantics::kTf,
                       .weights_from = "a checkpoint",
                       .view_indices = {0, 6, 7},
                       .folder = "models/chairs"};

TEST(ModelFacts, SayWhichModelAndProgram) {
  const auto json = to_json(kModel);
  EXPECT_EQ(json["name"], "chairs");
  EXPECT_EQ(json["semantics"], "tf");
  EXPECT_EQ(json["weights_from"], "a checkpoint");
  EXPECT_EQ(json["views"], (std::vector<std::size_t>{0, 6, 7}));
  EXPECT_EQ(json["folder"], "models/chairs");
  EXPECT_EQ(mesh_comment(kModel), "p2mpp " + std::string(p2mpp_version()) + ", model chairs (tf)");
}

TEST(BatchReport, TellsWhatWasMeasured) {
  const BatchChoice choice{
      .batch = 2, .trials = {{1, 50, 1000}, {2, 80.5, 2000}, {4, 81, 4000}}, .reason = "4 gain less than 5%"};
  EXPECT_EQ(describe(choice), "2 (measured; 4 gain less than 5%)");
  const auto json = to_json(choice);
  EXPECT_EQ(json["mode"], "auto");
  EXPECT_EQ(json["chosen"], 2);
  EXPECT_EQ(json["reason"], "4 gain less than 5%");
  ASSERT_EQ(json["trials"].size(), 3U);
  EXPECT_EQ(json["trials"][1].dump(), R"({"batch":2,"samples_per_second":80.5,"memory_bytes":2000})");
}

TEST(BatchReport, TellsWhatWasGiven) {
  const BatchChoice choice{.batch = 16, .trials = {}, .reason = {}};
  EXPECT_EQ(describe(choice), "16");
  EXPECT_EQ(to_json(choice).dump(), R"({"mode":"given","chosen":16})");
}

}  // namespace

}  // namespace p2mpp
