#include "eval/model_facts.h"

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

TEST(ModelFacts, JsonSaysWhichModel) {
  const auto json = to_json(kModel);
  EXPECT_EQ(json["name"], "chairs");
  EXPECT_EQ(json["semantics"], "tf");
  EXPECT_EQ(json["weights_from"], "a checkpoint");
  EXPECT_EQ(json["views"], (std::vector<std::size_t>{0, 6, 7}));
  EXPECT_EQ(json["folder"], "models/chairs");
}

TEST(ModelFacts, TheCommentSaysModelAndFrame) {
  const std::string comment = mesh_comment(kModel, Frame::kWorld);
  EXPECT_EQ(comment, "p2mpp " + std::string(p2mpp_version()) + ", model chairs (tf), frame world");
  EXPECT_NE(mesh_comment(kModel, Frame::kCamera0), comment);
}

}  // namespace
}  // namespace p2mpp
