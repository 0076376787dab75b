#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "model/model.h"
#include "p2mpp/error.h"
#include "support/temporary_folder.h"

namespace p2mpp {
namespace {

const std::filesystem::path kPath = "somewhere/model.json";

nlohmann::json good_sizes() {
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

nlohmann::json good_manifest() {
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

ModelInfo parsed(const nlohmann::json& manifest) { return parse_model_json(kPath, manifest.dump()); }

/// The manifest with another value at a place.
nlohmann::json with(const std::string& place, const nlohmann::json& value) {
  nlohmann::json manifest = good_manifest();
  manifest[nlohmann::json::json_pointer(place)] = value;
  return manifest;
}

TEST(ModelJson, ReadsWhatTheExporterWrites) {
  const ModelInfo info = parsed(good_manifest());
  EXPECT_EQ(info.name, "example");
  EXPECT_EQ(info.semantics, Semantics::kDesignB);
  EXPECT_EQ(info.weights_from, "random seed 1");
  EXPECT_EQ(info.view_indices, (std::vector<std::size_t>{0, 6, 7}));
  EXPECT_EQ(info.folder, "somewhere");
  EXPECT_EQ(info.sha256.at("stage2.pt"), "bb");
  EXPECT_EQ(info.format_version, 1);
  nlohmann::json newest = good_manifest();
  newest["version"] = kNewestModelFormat;
  EXPECT_EQ(parsed(newest).format_version, 2);
}

TEST(ModelJson, WithoutTrainedViewsAModelIsOfShapeNetsRenderings) {
  const TrainedViews views = parsed(good_manifest()).trained_views;
  EXPECT_EQ(views.cameras, TrainedViews::Cameras::kPublished);
  EXPECT_EQ(views.distance, (std::array{0.65, 0.9}));
  EXPECT_EQ(views.elevation_deg, (std::array{25.0, 30.0}));
  EXPECT_FALSE(views.typical_iou);
}

TEST(ModelJson, ReadsTheTrainedViews) {
  nlohmann::json manifest = good_manifest();
  manifest["trained_views"] = {{"cameras", "pinhole"}, {"distance", {0.65, 3}}, {"elevation_deg", {-10, 60}}};
  const TrainedViews views = parsed(manifest).trained_views;
  EXPECT_EQ(views.cameras, TrainedViews::Cameras::kPinhole);
  EXPECT_EQ(views.distance, (std::array{0.65, 3.0}));
  EXPECT_EQ(views.elevation_deg, (std::array{-10.0, 60.0}));
  EXPECT_FALSE(views.typical_iou) << "may be left out";
  manifest["trained_views"]["typical_iou"] = {0.87, 0.06};
  EXPECT_EQ(parsed(manifest).trained_views.typical_iou, (std::array{0.87, 0.06}));
}

TEST(ModelJson, ReadsTheNetworksSizes) {
  const NetworkSizes sizes = parsed(good_manifest()).sizes;
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

TEST(ModelJson, ImagesHaveThreeChannelsUnlessItSaysFour) {
  nlohmann::json manifest = good_manifest();
  EXPECT_EQ(parsed(manifest).sizes.image_channels, 3);
  manifest["sizes"]["image_channels"] = 3;
  EXPECT_EQ(parsed(manifest).sizes.image_channels, 3);
  manifest["sizes"]["image_channels"] = 4;
  for (const char* semantics : {"tf", "design_b"}) {
    manifest["semantics"] = semantics;
    EXPECT_REFUSED(parsed(manifest), std::string("somewhere/model.json: \"image_channels\" is 4 with the semantics ") +
                                         semantics + "; expected 3: only clean has a mask");
  }
  manifest["semantics"] = "clean";
  EXPECT_EQ(parsed(manifest).sizes.image_channels, 4);
  for (const nlohmann::json& wrong : {nlohmann::json(2), nlohmann::json(5), nlohmann::json(4.0), nlohmann::json(-4),
                                      nlohmann::json("4"), nlohmann::json(nullptr), nlohmann::json::array({4})}) {
    manifest["sizes"]["image_channels"] = wrong;
    EXPECT_REFUSED(parsed(manifest), "\"image_channels\" is");
    EXPECT_REFUSED(parsed(manifest), "expected 3 or 4");
  }
}

TEST(ModelJson, TheMasksEvidenceNeedsAMask) {
  constexpr const char* kKey = "stage2_mask_evidence";
  nlohmann::json manifest = good_manifest();
  EXPECT_FALSE(parsed(manifest).sizes.stage2_mask_evidence);
  manifest["sizes"][kKey] = false;
  EXPECT_FALSE(parsed(manifest).sizes.stage2_mask_evidence);
  manifest["sizes"][kKey] = true;
  EXPECT_REFUSED(parsed(manifest),
                 "somewhere/model.json: \"stage2_mask_evidence\" is true with images of 3 channels; expected 4");
  manifest["semantics"] = "clean";
  manifest["sizes"]["image_channels"] = 4;
  EXPECT_TRUE(parsed(manifest).sizes.stage2_mask_evidence);
  for (const nlohmann::json& wrong : {nlohmann::json(1), nlohmann::json("true"), nlohmann::json(nullptr)}) {
    manifest["sizes"][kKey] = wrong;
    EXPECT_REFUSED(parsed(manifest), "\"stage2_mask_evidence\" is not true or false");
  }
}

TEST(ModelJson, NamesTheFileAndTheKeyThatIsMissingOrOfAnotherType) {
  const nlohmann::json whole = good_manifest();
  for (const auto& [key, value] : whole.items()) {
    nlohmann::json without = whole;
    without.erase(key);
    EXPECT_REFUSED(parsed(without), '"' + key + '"');
    EXPECT_REFUSED(parsed(without), "somewhere/model.json");
    for (const nlohmann::json& wrong :
         {nlohmann::json(nullptr), nlohmann::json({{"x", nlohmann::json::array({1})}}), nlohmann::json(-7.5)}) {
      EXPECT_THROW(static_cast<void>(parsed(with("/" + key, wrong))), InputError) << key << ' ' << wrong;
    }
  }
  const nlohmann::json sizes = good_sizes();
  for (const auto& [key, value] : sizes.items()) {
    EXPECT_REFUSED(parsed(with("/sizes/" + key, nullptr)), "is missing or of the wrong type");
  }
}

struct WrongValue {
  const char* place;
  nlohmann::json value;
  const char* message;
};

nlohmann::json pinhole(const nlohmann::json& distance, const nlohmann::json& iou = {0.8, 0.1}) {
  return {{"cameras", "pinhole"}, {"distance", distance}, {"elevation_deg", {0, 1}}, {"typical_iou", iou}};
}

nlohmann::json second_block(nlohmann::json layers) {
  return nlohmann::json::array({nlohmann::json{1, 2, 3, 4, 5, 6}, std::move(layers)});
}

TEST(ModelJson, RefusesValuesThatCannotBe) {
  for (const auto& [place, value, message] : std::initializer_list<WrongValue>{
           {"/version", 3, "newer than this program"},
           {"/version", 0, "does not exist"},
           {"/version", 4294967297, "newer than this program"},
           {"/version", 1.5, "\"version\" is missing or of the wrong type"},
           {"/version", true, "\"version\" is missing or of the wrong type"},
           {"/semantics", "tensorflow", "expected tf, design_b or clean"},
           {"/image_size", 256, "expected 224"},
           {"/view_indices", {0, -1}, "holds -1"},
           {"/view_indices", {0, 1.5}, "\"view_indices\" is missing or of the wrong type"},
           {"/view_indices", {0, 18446744073709551615U}, "holds 18446744073709551615; expected at most"},
           {"/view_indices", nlohmann::json::array(), "\"view_indices\" is []; expected 2 to 64 different numbers"},
           {"/view_indices", nlohmann::json::array({0}), "\"view_indices\" is [0]; expected 2 to 64 different numbers"},
           {"/view_indices", {0, 0, 0}, "\"view_indices\" is [0,0,0]; expected 2 to 64 different numbers"},
           {"/sizes/hidden", 0, "\"hidden\" holds 0; expected 1 to "},
           {"/sizes/drb_layers", 1, "\"drb_layers\" holds 1; expected 2 to "},
           {"/sizes/hypotheses", 1 << 30, "\"hypotheses\" holds 1073741824"},
           {"/sizes/gcn_layers", {14, 14, -15}, "\"gcn_layers\" holds -15"},
           {"/sizes/gcn_layers", {14, 14}, "\"gcn_layers\" names 2 blocks; expected 3"},
           {"/sizes/vertices", nlohmann::json::array(), "expected 1 to 6"},
           {"/sizes/stage1_cnn", good_sizes()["stage2_cnn"],
            "\"stage1_cnn\" has 8 channels and 8 kernels; expected 18 each"},
           {"/sizes/stage1_channels",
            {9, 16, 16, 16},
            "somewhere/model.json: \"stage1_channels\" is [9,16,16,16]; expected [16,16,16,16], as the other sizes "
            "say"},
           {"/sizes/stage2_channels", {32, 32}, "expected [32,32,32]"},
           {"/trained_views", nlohmann::json::array(), "\"cameras\" is missing"},
           {"/trained_views", {{"cameras", "fish"}}, "expected published or pinhole"},
           {"/trained_views", pinhole(nlohmann::json::array({1})), "\"distance\" is"},
           {"/trained_views", pinhole({2, 1}), "lowest"},
           {"/trained_views", pinhole({0, 1}), "positive"},
           {"/trained_views", pinhole({1, 2}, {87, 6}), "expected mean and standard deviation"},
           {"/trained_views", pinhole({1, 2}, {0, 0.1}), "expected mean and standard deviation"},
           {"/trained_views", pinhole({1, 2}, {0.8, -0.1}), "expected mean and standard deviation"},
           {"/fp8_largest_inputs", nullptr, "\"fp8_largest_inputs\" is missing or of the wrong type"},
           {"/fp8_largest_inputs", {1, 2, 3, 4, 5, 6}, "\"fp8_largest_inputs\" is missing or of the wrong type"},
           {"/fp8_largest_inputs", nlohmann::json::array(), "has 0 blocks; expected 2"},
           {"/fp8_largest_inputs", nlohmann::json::array({nlohmann::json{1, 2, 3, 4, 5, 6}}),
            "has 1 blocks; expected 2"},
           {"/fp8_largest_inputs", second_block({1, 2, 3, 4, 5}), "has a block of 5 layers; expected 6"},
           {"/fp8_largest_inputs", second_block({1, 2, 3, 4, 5, 6, 7}), "has a block of 7 layers; expected 6"},
           {"/fp8_largest_inputs", second_block({1, 2, 3, 4, 5, 0}), "holds 0; expected numbers above 0"},
           {"/fp8_largest_inputs", second_block({1, 2, 3, 4, 5, -0.5}), "holds -0.5; expected numbers above 0"},
           {"/fp8_largest_inputs", second_block({1, 2, 3, 4, 5, 1e-300}), "holds 1e-300; expected numbers above 0"},
           {"/fp8_largest_inputs", second_block({1, 2, 3, 4, 5, 1e300}), "holds something that is not a finite number"},
           {"/fp8_largest_inputs", second_block({1, 2, 3, 4, 5, nullptr}),
            "holds something that is not a finite number"}}) {
    EXPECT_REFUSED(parsed(with(place, value)), message);
  }
  EXPECT_NO_THROW(static_cast<void>(parsed(with("/sizes/stage1_channels", {16, 16, 16, 16}))));
}

TEST(ModelJson, IsCalibratedForFp8OnlyWhereItSaysSo) {
  nlohmann::json manifest = good_manifest();
  EXPECT_TRUE(parsed(manifest).fp8_largest_inputs.empty());
  manifest["fp8_largest_inputs"] = {{1.5, 2, 3, 4, 5, 6}, {7, 8, 9, 10, 11, 12.25}};
  EXPECT_EQ(parsed(manifest).fp8_largest_inputs,
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

TEST(ModelJson, RefusesAKeyThatIsNamedTwice) {
  std::string text = good_manifest().dump();
  text.insert(1, "\"version\": 2, ");
  EXPECT_REFUSED(
      parse_model_json(kPath, text),
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
