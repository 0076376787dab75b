#include "model/model_json.h"

#include <gtest/gtest.h>

#include <functional>
#include <nlohmann/json.hpp>

#include "p2mpp/error.h"

namespace p2mpp {
namespace {

using Json = nlohmann::json;

const std::filesystem::path kPath = "somewhere/model.json";

Json good_manifest() {
  return {{"format", "p2mpp-model"},
          {"version", 1},
          {"name", "example"},
          {"semantics", "design_b"},
          {"image_size", 224},
          {"view_indices", {0, 6, 7}},
          {"sizes", {{"vertices", {156, 618, 2466}}, {"hypotheses", 43}}},
          {"weights_from", "random seed 1"},
          {"files", {{"stage1.pt", {{"sha256", "aa"}}}, {"stage2.pt", {{"sha256", "bb"}}}}}};
}

std::string message_of(const std::function<void()>& action) {
  try {
    action();
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

TEST(ModelJson, ReadsWhatTheExporterWrites) {
  const ModelManifest manifest = parse_model_json(kPath, good_manifest().dump());
  EXPECT_EQ(manifest.info.name, "example");
  EXPECT_EQ(manifest.info.semantics, Semantics::kDesignB);
  EXPECT_EQ(manifest.info.weights_from, "random seed 1");
  EXPECT_EQ(manifest.info.view_indices, (std::vector<std::size_t>{0, 6, 7}));
  EXPECT_EQ(manifest.info.folder, "somewhere");
  EXPECT_EQ(manifest.vertex_counts, (std::vector<std::int64_t>{156, 618, 2466}));
  EXPECT_EQ(manifest.hypothesis_count, 43);
  EXPECT_EQ(manifest.sha256.at("stage2.pt"), "bb");
}

TEST(ModelJson, NamesTheFileAndTheKeyThatIsMissing) {
  const Json whole = good_manifest();
  for (const auto& [key, value] : whole.items()) {
    Json without = whole;
    without.erase(key);
    const std::string message = message_of([&] { static_cast<void>(parse_model_json(kPath, without.dump())); });
    EXPECT_NE(message.find("somewhere/model.json"), std::string::npos) << key;
    EXPECT_NE(message.find('"' + key + '"'), std::string::npos) << message;
  }
}

TEST(ModelJson, RefusesValuesOfTheWrongType) {
  const Json whole = good_manifest();
  for (const auto& [key, value] : whole.items()) {
    for (const Json& wrong : {Json(nullptr), Json({{"x", Json::array({1})}}), Json(-7.5)}) {
      Json changed = whole;
      changed[key] = wrong;
      EXPECT_THROW(static_cast<void>(parse_model_json(kPath, changed.dump())), InputError) << key << ' ' << wrong;
    }
  }
}

TEST(ModelJson, RefusesWhatItCannotKnow) {
  const auto refuses = [](const char* key, const Json& value, const std::string& expected) {
    Json changed = good_manifest();
    changed[key] = value;
    const std::string message = message_of([&] { static_cast<void>(parse_model_json(kPath, changed.dump())); });
    EXPECT_NE(message.find(expected), std::string::npos) << message;
  };
  refuses("version", 2, "newer than this program");
  refuses("version", 0, "does not exist");
  refuses("semantics", "tensorflow", "expected tf, design_b or clean");
  refuses("image_size", 256, "expected 224");
  refuses("view_indices", {0, -1}, "holds -1");
  refuses("sizes", {{"vertices", Json::array()}, {"hypotheses", 43}}, "expected 1 to 6");
}

TEST(ModelJson, EveryTruncationIsAnError) {
  const std::string text = good_manifest().dump();
  for (std::size_t length = 0; length < text.size(); ++length) {
    EXPECT_THROW(static_cast<void>(parse_model_json(kPath, text.substr(0, length))), InputError) << length;
  }
}

TEST(LocalGraph, ReadsHypothesesAndSupport) {
  const LocalGraph graph =
      parse_local_graph(kPath, R"({"hypotheses": [[0.5, 0, 0], [0, 0.25, 0]], "support": [[0.1, -1], [-0.5, 0.2]]})");
  ASSERT_EQ(graph.hypotheses.size(), 2U);
  EXPECT_EQ(graph.hypotheses[1], Eigen::Vector3f(0, 0.25F, 0));
  EXPECT_EQ(graph.support(0, 1), -1.0F);
  EXPECT_EQ(graph.support(1, 0), -0.5F);
}

TEST(LocalGraph, RefusesShapesAndNumbersThatDoNotFit) {
  for (const char* text : {
           R"({})",
           R"([])",
           R"(3)",
           R"({"hypotheses": [], "support": []})",
           R"({"hypotheses": [[0, 0, 0]], "support": [[0, 0]]})",
           R"({"hypotheses": [[0, 0, 0]], "support": [[0], [0]]})",
           R"({"hypotheses": [[0, 0]], "support": [[0]]})",
           R"({"hypotheses": [[0, 0, "x"]], "support": [[0]]})",
           R"({"hypotheses": [[0, 0, 1e300]], "support": [[0]]})",
           R"({"hypotheses": [[0, 0, 0]], "support": [[null]]})",
       }) {
    EXPECT_THROW(static_cast<void>(parse_local_graph(kPath, text)), InputError) << text;
  }
}

}  // namespace
}  // namespace p2mpp
