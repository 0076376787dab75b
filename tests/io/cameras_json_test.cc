#include "io/cameras_json.h"

#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <regex>

#include "p2mpp/error.h"
#include "support/mutations.h"
#include "support/temporary_folder.h"

namespace p2mpp {
namespace {

CamerasJson example() {
  CamerasJson cameras;
  for (int i = 0; i < 3; ++i) {
    CamerasJsonView view;
    view.image = "IMG_" + std::to_string(i) + ".jpg";
    view.mask = i == 1 ? "masks/1.png" : "";
    if (i == 1) view.background = {0, 127, 255};
    view.width = 4032;
    view.height = 3024;
    view.lens = {.fx = 3000.1 + i, .fy = 3001, .cx = 2016.5, .cy = 1512};
    if (i == 1) view.lens.coefficients = {0.1, 0, 1e-3, -1e-3, 0, 0, 0, 1.0 / 3};
    if (i == 2) view.lens.model = LensModel::kFisheye, view.lens.coefficients = {0.1, -0.2, 0.3, 0.4};
    if (i == 2)
      view.lens.extras = {{0.01, 0, 0.02}, {0.003, -0.004}, {1e-3, 0, 0, -2e-3}, {0.1, 0.2, 0.3, 0.4}, true, 0.001};
    const double angle = 0.3 * i;
    view.cam_from_world.rotation << std::cos(angle), 0, std::sin(angle), 0, 1, 0, -std::sin(angle), 0, std::cos(angle);
    view.cam_from_world.translation = {0.1, 0.2, 0.7 + i};
    view.upright = i == 2;
    view.use = i != 0;
    cameras.views.push_back(view);
  }
  cameras.source_from_world = {2.5, cameras.views[1].cam_from_world.rotation, {1, 2, 3}};
  cameras.metres_per_unit = 0.001;
  return cameras;
}

nlohmann::json example_json() { return nlohmann::json::parse(cameras_json_text(example())); }

TEST(CamerasJson, ReadsWhatItWrote) {
  const CamerasJson expected = example();
  const CamerasJson cameras = parse_cameras_json(cameras_json_text(expected), "cameras.json");
  ASSERT_EQ(cameras.views.size(), 3U);
  for (std::size_t i = 0; i < 3; ++i) {
    const CamerasJsonView &a = cameras.views[i], &b = expected.views[i];
    EXPECT_EQ(a.image, b.image);
    EXPECT_EQ(a.mask, b.mask);
    EXPECT_EQ(a.background, b.background);
    EXPECT_EQ(a.height, b.height);
    EXPECT_TRUE(a.lens == b.lens) << i;
    EXPECT_EQ(a.cam_from_world.rotation, b.cam_from_world.rotation);
    EXPECT_EQ(a.cam_from_world.translation, b.cam_from_world.translation);
    EXPECT_EQ(a.upright, b.upright);
    EXPECT_EQ(a.use, b.use);
  }
  EXPECT_EQ(cameras.source_from_world.scale, 2.5);
  EXPECT_EQ(cameras.source_from_world.translation, expected.source_from_world.translation);
  EXPECT_EQ(cameras.metres_per_unit, 0.001);
}

TEST(CamerasJson, UsesAllOfAFewByDefault) {
  nlohmann::json json = example_json();
  for (nlohmann::json& view : json["views"]) view.erase("use");
  json.erase("source_from_world");
  for (const CamerasJsonView& view : parse_cameras_json(json.dump(), "a").views) EXPECT_TRUE(view.use);
  while (json["views"].size() < 6) json["views"].push_back(json["views"][0]);
  EXPECT_REFUSED(parse_cameras_json(json.dump(), "a"), "a: views: 0 have \"use\": true; expected 2 to 64");
}

TEST(CamerasJson, NamesThePathOfWhatIsWrong) {
  const auto refused = [](const nlohmann::json& patch) {
    nlohmann::json json = example_json();
    for (const auto& [path, value] : patch.items()) {
      const nlohmann::json::json_pointer pointer(path);
      if (value == "erase") {
        json[pointer.parent_pointer()].erase(pointer.back());
      } else {
        json[pointer] = value;
      }
    }
    return message_of<InputError>([&] { static_cast<void>(parse_cameras_json(json.dump(), "f")); });
  };
  EXPECT_EQ(refused({{"/views/2/intrinsics/fx", "a"}}),
            "f: views[2].intrinsics.fx: is not a finite number; expected one");
  EXPECT_EQ(refused({{"/views/2/intrinsics/fx", 0}}), "f: views[2].intrinsics: fx is 0; expected a positive number");
  EXPECT_EQ(refused({{"/views/1/focal", 1}}).substr(0, 41), "f: views[1].focal: is not a known key; ex");
  EXPECT_EQ(refused({{"/views/1/distortion/k9", 1}}).substr(0, 30), "f: views[1].distortion.k9: is ");
  EXPECT_EQ(refused({{"/views/2/distortion/p1", 1}}),
            "f: views[2].distortion.p1: is not a coefficient of this model; expected k1 to k4");
  EXPECT_EQ(refused({{"/views/0/image", "erase"}}), "f: views[0].image: is missing; expected this key");
  EXPECT_EQ(refused({{"/views/0/cam_from_world/2/3", nullptr}}),
            "f: views[0].cam_from_world[2][3]: is not a finite number; expected one");
  EXPECT_EQ(refused({{"/views/0/cam_from_world/0/0", 2}}).substr(0, 54),
            "f: views[0].cam_from_world: its rotation is not orthon");
  EXPECT_EQ(refused({{"/views/1/background/2", 256}}),
            "f: views[1].background[2]: expected a whole number from 0 to 255");
  EXPECT_EQ(refused({{"/views/1/background", {1, 2}}}), "f: views[1].background: has 2 entries; expected 3");
  EXPECT_EQ(refused({{"/views/0/width", 20000}}), "f: views[0].width: expected a whole number from 2 to 16384");
  EXPECT_EQ(refused({{"/p2mpp_cameras", 2}}), "f: p2mpp_cameras: version 2 is not known; this p2mpp reads version 1");
  EXPECT_EQ(refused({{"/p2mpp_cameras", 2}, {"/new", 1}}).substr(0, 26), "f: p2mpp_cameras: version ");
  const std::string below = "; expected a file's name below the folder of this file";
  EXPECT_EQ(refused({{"/views/0/image", "a/../../b.png"}}),
            "f: views[0].image: 'a/../../b.png' leaves the folder" + below);
  EXPECT_EQ(refused({{"/views/0/image", "/b.png"}}), "f: views[0].image: '/b.png' is an absolute path" + below);
  EXPECT_EQ(refused({{"/views/1/mask", "../m.png"}}), "f: views[1].mask: '../m.png' leaves the folder" + below);
  EXPECT_EQ(refused({{"/views/0/image", ""}}), "f: views[0].image: '' is empty" + below);
  EXPECT_EQ(refused({{"/source_from_world/scale", -1}}).substr(0, 31), "f: source_from_world: scale is ");
  EXPECT_EQ(refused({{"/metres_per_unit", 0}}),
            "f: metres_per_unit: is not above zero; expected the length of a unit in metres");
  EXPECT_EQ(refused({{"/views/1/use", false}}), "f: views: 1 have \"use\": true; expected 2 to 64");
  EXPECT_REFUSED(parse_cameras_json("[]", "f"), "f: is not a JSON object");
  EXPECT_REFUSED(parse_cameras_json("{\"a\"", "f"), "f: not valid JSON at byte 5");
}

TEST(CamerasJson, SurvivesMutations) {
  const auto read = [](const std::string& text) { static_cast<void>(parse_cameras_json(text, "f")); };
  EXPECT_GT(survive_mutations(cameras_json_text(example()), 2000, 1, read), 20);
}

/// The schema and the reader know the same keys.
TEST(CamerasJson, HasTheSchemasKeys) {
  std::ifstream file(P2MPP_TEST_DATA "/../../docs/cameras.schema.json");
  const nlohmann::json schema = nlohmann::json::parse(file);
  const nlohmann::json& view = schema["properties"]["views"]["items"]["properties"];
  const nlohmann::json json = example_json();
  for (const auto& [key, value] : json["views"][1].items()) EXPECT_TRUE(view.contains(key)) << key;
  for (const auto& [key, value] : view.items()) {
    EXPECT_TRUE(json["views"][1].contains(key) || json["views"][2].contains(key)) << key;
  }
  for (const auto& [key, value] : json.items()) EXPECT_TRUE(schema["properties"].contains(key)) << key;
}

TEST(CamerasJson, RefusesTheNamesThatTheSchemaRefuses) {
  std::ifstream file(P2MPP_TEST_DATA "/../../docs/cameras.schema.json");
  const nlohmann::json schema = nlohmann::json::parse(file);
  const std::regex pattern(schema["$defs"]["name"]["pattern"].get<std::string>());
  for (const char* key : {"image", "mask"}) {
    EXPECT_EQ(schema["properties"]["views"]["items"]["properties"][key]["$ref"], "#/$defs/name");
  }
  for (const char* name :
       {"b.png", "a/b.png", "..a", "a/..b/c", "a..", "/b.png", "../b.png", "a/../b.png", "a/..", ".."}) {
    nlohmann::json json = example_json();
    json["views"][1]["mask"] = name;
    if (std::regex_search(name, pattern)) {
      EXPECT_NO_THROW(static_cast<void>(parse_cameras_json(json.dump(), "f"))) << name;
    } else {
      EXPECT_THROW(static_cast<void>(parse_cameras_json(json.dump(), "f")), InputError) << name;
    }
  }
}

}  // namespace
}  // namespace p2mpp
