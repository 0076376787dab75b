#include "model/model_json.h"

#include <gtest/gtest.h>

#include <functional>
#include <nlohmann/json.hpp>

#include "p2mpp/error.h"

namespace p2mpp {
namespace {

using Json = nlohmann::json;

const std::filesystem::path kPath = "somewhere/model.json";

Json good_sizes() {
  return {{"hidden", 192},
          {"drb_hidden", 96},
          {"stage1_cnn", {{"channels", std::vector<int>(18, 16)}, {"kernels", std::vector<int>(18, 3)}}},
          {"stage2_cnn", {{"channels", std::vector<int>(8, 32)}, {"kernels", std::vector<int>(8, 5)}}},
          {"gcn_layers", {14, 14, 15}},
          {"drb_blocks", 2},
          {"drb_layers", 6},
          {"vertices", {156, 618, 2466}},
          {"hypotheses", 43}};
}

Json good_manifest() {
  return {{"format", "p2mpp-model"},
          {"version", 1},
          {"name", "example"},
          {"semantics", "design_b"},
          {"image_size", 224},
          {"view_indices", {0, 6, 7}},
          {"sizes", good_sizes()},
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
  const ModelInfo info = parse_model_json(kPath, good_manifest().dump());
  EXPECT_EQ(info.name, "example");
  EXPECT_EQ(info.semantics, Semantics::kDesignB);
  EXPECT_EQ(info.weights_from, "random seed 1");
  EXPECT_EQ(info.view_indices, (std::vector<std::size_t>{0, 6, 7}));
  EXPECT_EQ(info.folder, "somewhere");
  EXPECT_EQ(info.sha256.at("stage2.pt"), "bb");
  EXPECT_EQ(info.format_version, 1);
  Json newest = good_manifest();
  newest["version"] = kNewestModelFormat;
  EXPECT_EQ(parse_model_json(kPath, newest.dump()).format_version, 2);
}

TEST(ModelJson, WithoutTrainedViewsAModelIsOfShapeNetsRenderings) {
  const TrainedViews views = parse_model_json(kPath, good_manifest().dump()).trained_views;
  EXPECT_EQ(views.cameras, TrainedViews::Cameras::kPublished);
  EXPECT_EQ(views.distance, (std::array{0.65, 0.9}));
  EXPECT_EQ(views.elevation_deg, (std::array{25.0, 30.0}));
}

TEST(ModelJson, ReadsTheTrainedViews) {
  Json manifest = good_manifest();
  manifest["trained_views"] = {{"cameras", "pinhole"}, {"distance", {0.65, 3}}, {"elevation_deg", {-10, 60}}};
  const TrainedViews views = parse_model_json(kPath, manifest.dump()).trained_views;
  EXPECT_EQ(views.cameras, TrainedViews::Cameras::kPinhole);
  EXPECT_EQ(views.distance, (std::array{0.65, 3.0}));
  EXPECT_EQ(views.elevation_deg, (std::array{-10.0, 60.0}));
}

TEST(ModelJson, TheTypicalOverlapMayBeLeftOut) {
  Json manifest = good_manifest();
  EXPECT_FALSE(parse_model_json(kPath, manifest.dump()).trained_views.typical_iou);
  manifest["trained_views"] = {{"cameras", "published"}, {"distance", {0.65, 0.9}}, {"elevation_deg", {25, 30}}};
  EXPECT_FALSE(parse_model_json(kPath, manifest.dump()).trained_views.typical_iou);
  manifest["trained_views"]["typical_iou"] = {0.87, 0.06};
  EXPECT_EQ(parse_model_json(kPath, manifest.dump()).trained_views.typical_iou, (std::array{0.87, 0.06}));
}

TEST(ModelJson, WrongTrainedViewsAreNamed) {
  const auto message = [](const std::string& views) {
    std::string text = good_manifest().dump();
    text.insert(1, "\"trained_views\": " + views + ", ");
    return message_of([&] { static_cast<void>(parse_model_json(kPath, text)); });
  };
  EXPECT_NE(message(R"([])").find("\"cameras\" is missing"), std::string::npos);
  EXPECT_NE(message(R"({"cameras": "fish"})").find("expected published or pinhole"), std::string::npos);
  EXPECT_NE(message(R"({"cameras": "pinhole", "distance": [1], "elevation_deg": [0, 1]})").find("\"distance\" is"),
            std::string::npos);
  EXPECT_NE(message(R"({"cameras": "pinhole", "distance": [2, 1], "elevation_deg": [0, 1]})").find("lowest"),
            std::string::npos);
  EXPECT_NE(message(R"({"cameras": "pinhole", "distance": [0, 1], "elevation_deg": [0, 1]})").find("positive"),
            std::string::npos);
  for (const char* iou : {"[87, 6]", "[0, 0.1]", "[0.8, -0.1]"}) {
    const std::string views = R"({"cameras": "pinhole", "distance": [1, 2], "elevation_deg": [0, 1], "typical_iou": )";
    EXPECT_NE(message(views + iou + "}").find("expected mean and standard deviation"), std::string::npos) << iou;
  }
}

TEST(ModelJson, ReadsTheNetworksSizes) {
  const NetworkSizes sizes = parse_model_json(kPath, good_manifest().dump()).sizes;
  EXPECT_EQ(sizes.hidden, 192);
  EXPECT_EQ(sizes.drb_hidden, 96);
  EXPECT_EQ(sizes.stage1_cnn.channels, std::vector<std::int64_t>(18, 16));
  EXPECT_EQ(sizes.stage2_cnn.kernels, std::vector<std::int64_t>(8, 5));
  EXPECT_EQ(sizes.gcn_layers, (std::vector<std::int64_t>{14, 14, 15}));
  EXPECT_EQ(sizes.drb_blocks, 2);
  EXPECT_EQ(sizes.drb_layers, 6);
  EXPECT_EQ(sizes.vertices, (std::vector<std::int64_t>{156, 618, 2466}));
  EXPECT_EQ(sizes.hypotheses, 43);
}

TEST(ModelJson, RefusesSizesThatNoNetworkHas) {
  const auto refuses = [](const char* key, const Json& value, const std::string& expected) {
    Json changed = good_manifest();
    changed["sizes"][key] = value;
    const std::string message = message_of([&] { static_cast<void>(parse_model_json(kPath, changed.dump())); });
    EXPECT_NE(message.find(expected), std::string::npos) << message;
  };
  const Json sizes = good_sizes();
  for (const auto& [key, value] : sizes.items()) refuses(key.c_str(), nullptr, "is missing or of the wrong type");
  refuses("hidden", 0, "\"hidden\" holds 0; expected 1 to ");
  refuses("drb_layers", 1, "\"drb_layers\" holds 1; expected 2 to ");
  refuses("hypotheses", 1 << 30, "\"hypotheses\" holds 1073741824");
  refuses("gcn_layers", {14, 14, -15}, "\"gcn_layers\" holds -15");
  refuses("gcn_layers", {14, 14}, "\"gcn_layers\" names 2 blocks; expected 3");
  refuses("vertices", Json::array(), "expected 1 to 6");
  refuses("hidden", 192.5, "\"hidden\" is missing or of the wrong type");
  refuses("drb_blocks", true, "\"drb_blocks\" is missing or of the wrong type");
  refuses("stage1_cnn", sizes["stage2_cnn"], "\"stage1_cnn\" has 8 channels and 8 kernels; expected 18 each");
}

TEST(ModelJson, ImagesHaveThreeChannelsUnlessItSaysFour) {
  Json manifest = good_manifest();
  EXPECT_EQ(parse_model_json(kPath, manifest.dump()).sizes.image_channels, 3);
  manifest["sizes"]["image_channels"] = 3;
  EXPECT_EQ(parse_model_json(kPath, manifest.dump()).sizes.image_channels, 3);
  manifest["sizes"]["image_channels"] = 4;
  for (const char* semantics : {"tf", "design_b"}) {
    manifest["semantics"] = semantics;
    EXPECT_EQ(message_of([&] { static_cast<void>(parse_model_json(kPath, manifest.dump())); }),
              std::string("somewhere/model.json: \"image_channels\" is 4 with the semantics ") + semantics +
                  "; expected 3: only clean has a mask");
  }
  manifest["semantics"] = "clean";
  EXPECT_EQ(parse_model_json(kPath, manifest.dump()).sizes.image_channels, 4);
  for (const Json& wrong : {Json(2), Json(5), Json(4.0), Json(-4), Json("4"), Json(nullptr), Json::array({4})}) {
    manifest["sizes"]["image_channels"] = wrong;
    const std::string message = message_of([&] { static_cast<void>(parse_model_json(kPath, manifest.dump())); });
    EXPECT_NE(message.find("\"image_channels\" is"), std::string::npos) << wrong;
    EXPECT_NE(message.find("expected 3 or 4"), std::string::npos) << wrong;
  }
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
  refuses("version", 3, "newer than this program");
  refuses("version", 0, "does not exist");
  refuses("semantics", "tensorflow", "expected tf, design_b or clean");
  refuses("image_size", 256, "expected 224");
  refuses("view_indices", {0, -1}, "holds -1");
  refuses("version", 4294967297, "newer than this program");
  refuses("version", 1.5, "\"version\" is missing or of the wrong type");
  refuses("version", true, "\"version\" is missing or of the wrong type");
  refuses("image_size", 224.5, "\"image_size\" is missing or of the wrong type");
  refuses("view_indices", {0, 1.5}, "\"view_indices\" is missing or of the wrong type");
  refuses("view_indices", {0, 18446744073709551615U}, "holds 18446744073709551615; expected at most");
  refuses("view_indices", Json::array(), "\"view_indices\" is []; expected 2 to 64 different numbers");
  refuses("view_indices", {0}, "\"view_indices\" is [0]; expected 2 to 64 different numbers");
  refuses("view_indices", {0, 0, 0}, "\"view_indices\" is [0,0,0]; expected 2 to 64 different numbers");
}

TEST(ModelJson, RefusesSizesThatContradictEachOther) {
  const auto message = [](const char* key, const Json& value) {
    Json changed = good_manifest();
    changed["sizes"][key] = value;
    return message_of([&] { static_cast<void>(parse_model_json(kPath, changed.dump())); });
  };
  EXPECT_EQ(message("stage1_channels", {16, 16, 16, 16}), "");
  EXPECT_EQ(
      message("stage1_channels", {9, 16, 16, 16}),
      "somewhere/model.json: \"stage1_channels\" is [9,16,16,16]; expected [16,16,16,16], as the other sizes say");
  EXPECT_NE(message("stage2_channels", {32, 32}).find("expected [32,32,32]"), std::string::npos);
}

TEST(ModelJson, IsCalibratedForFp8OnlyWhereItSaysSo) {
  Json manifest = good_manifest();
  EXPECT_TRUE(parse_model_json(kPath, manifest.dump()).fp8_largest_inputs.empty());
  manifest["fp8_largest_inputs"] = {{1.5, 2, 3, 4, 5, 6}, {7, 8, 9, 10, 11, 12.25}};
  EXPECT_EQ(parse_model_json(kPath, manifest.dump()).fp8_largest_inputs,
            (std::vector<std::vector<float>>{{1.5F, 2, 3, 4, 5, 6}, {7, 8, 9, 10, 11, 12.25F}}));
}

TEST(ModelJson, ReadsWhatTheCalibrationWrites) {
  const std::filesystem::path models = P2MPP_TEST_MODELS;
  const std::vector<std::vector<float>> found = read_model_info(models / "small-clean").fp8_largest_inputs;
  ASSERT_EQ(found.size(), 2U);
  for (const std::vector<float>& block : found) EXPECT_EQ(block.size(), 6U);
  EXPECT_NE(found[0], found[1]);
  EXPECT_TRUE(read_model_info(models / "golden-clean").fp8_largest_inputs.empty());
}

TEST(ModelJson, RefusesFp8CalibrationsOfAnotherNetworkAndMagnitudesThatNothingHas) {
  const auto refuses = [](const std::string& largest_inputs, const std::string& expected) {
    std::string text = good_manifest().dump();
    text.insert(1, "\"fp8_largest_inputs\": " + largest_inputs + ", ");
    const std::string message = message_of([&] { static_cast<void>(parse_model_json(kPath, text)); });
    EXPECT_NE(message.find("somewhere/model.json: \"fp8_largest_inputs\" " + expected), std::string::npos) << message;
  };
  const auto second_block = [](const std::string& layers) { return "[[1, 2, 3, 4, 5, 6], [" + layers + "]]"; };
  refuses("null", "is missing or of the wrong type");
  refuses("[1, 2, 3, 4, 5, 6]", "is missing or of the wrong type");
  refuses("[]", "has 0 blocks; expected 2");
  refuses("[[1, 2, 3, 4, 5, 6]]", "has 1 blocks; expected 2");
  refuses(second_block("1, 2, 3, 4, 5"), "has a block of 5 layers; expected 6");
  refuses(second_block("1, 2, 3, 4, 5, 6, 7"), "has a block of 7 layers; expected 6");
  refuses(second_block("1, 2, 3, 4, 5, 0"), "holds 0; expected numbers above 0");
  refuses(second_block("1, 2, 3, 4, 5, -0.5"), "holds -0.5; expected numbers above 0");
  refuses(second_block("1, 2, 3, 4, 5, 1e-300"), "holds 1e-300; expected numbers above 0");
  refuses(second_block("1, 2, 3, 4, 5, 1e300"), "holds something that is not a finite number");
  refuses(second_block("1, 2, 3, 4, 5, null"), "holds something that is not a finite number");
}

TEST(ModelJson, RefusesAKeyThatIsNamedTwice) {
  std::string text = good_manifest().dump();
  text.insert(1, "\"version\": 2, ");
  EXPECT_EQ(
      message_of([&] { static_cast<void>(parse_model_json(kPath, text)); }),
      "somewhere/model.json: has the key \"version\" twice in an object; expected the file that p2mpp-export wrote");
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
           R"({"hypotheses": [[0, 0, 1e3000]], "support": [[0]]})",
           R"({"hypotheses": [[0, 0, 0]], "support": [[null]]})",
       }) {
    EXPECT_THROW(static_cast<void>(parse_local_graph(kPath, text)), InputError) << text;
  }
}

}  // namespace
}  // namespace p2mpp
