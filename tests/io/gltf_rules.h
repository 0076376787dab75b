#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/little_endian.h"

namespace p2mpp::testing {

/// Holds a GLB against the rules of the glTF 2.0 specification that concern what it has in it, those that Khronos'
/// validator reports as errors and its warnings of objects that nothing uses. Every breach is a failure of the test.
class GltfRules {
 public:
  static void check(const std::string& bytes) { GltfRules().run(bytes); }

 private:
  static constexpr int kUnsignedByte = 5121, kUnsignedShort = 5123, kUnsignedInt = 5125, kFloat = 5126;
  static constexpr int kArrayBuffer = 34962, kElementArrayBuffer = 34963;

  void run(const std::string& bytes) {
    ASSERT_NO_FATAL_FAILURE(parse_chunks(bytes));
    check_keys(document_,
               {"asset", "scene", "scenes", "nodes", "meshes", "materials", "accessors", "bufferViews", "buffers",
                "animations", "images", "samplers", "textures"},
               "the document");
    EXPECT_EQ(document_.at("asset").at("version"), "2.0");
    expect_no_empty_arrays(document_);
    check_buffers();
    check_scene();
    for (const nlohmann::json& mesh : document_.at("meshes")) check_mesh(mesh);
    for (const nlohmann::json& animation : list("animations")) check_animation(animation);
    for (const char* kind : {"nodes", "meshes", "materials", "accessors", "bufferViews", "images", "textures"}) {
      EXPECT_EQ(used_[kind].size(), list(kind).size()) << "some " << kind << " are not used";
    }
  }

  void parse_chunks(const std::string& bytes) {
    ASSERT_GE(bytes.size(), 28U);
    EXPECT_EQ(bytes.substr(0, 4), "glTF");
    EXPECT_EQ(word(bytes, 4), 2U);
    EXPECT_EQ(word(bytes, 8), bytes.size());
    const std::size_t text_size = word(bytes, 12);
    EXPECT_EQ(text_size % 4, 0U);
    EXPECT_EQ(bytes.substr(16, 4), "JSON");
    const std::string text = bytes.substr(20, text_size);
    EXPECT_EQ(text.front(), '{');
    document_ = nlohmann::json::parse(text);  // only blanks may follow, and parse() takes nothing else
    const std::size_t binary_size = word(bytes, 20 + text_size);
    EXPECT_EQ(binary_size % 4, 0U);
    EXPECT_EQ(bytes.substr(24 + text_size, 4), std::string_view("BIN\0", 4));
    binary_ = bytes.substr(28 + text_size);
    ASSERT_EQ(binary_.size(), binary_size);
  }

  void check_buffers() {
    ASSERT_EQ(list("buffers").size(), 1U);
    check_keys(document_["buffers"][0], {"byteLength"}, "the buffer");
    const std::size_t length = document_["buffers"][0].at("byteLength");
    EXPECT_GE(length, 1U);
    EXPECT_LE(length, binary_.size());
    EXPECT_LT(binary_.size() - length, 4U);
    for (std::size_t i = length; i < binary_.size(); ++i) EXPECT_EQ(binary_[i], '\0') << "padding";
    for (const nlohmann::json& view : document_["bufferViews"]) {
      check_keys(view, {"buffer", "byteOffset", "byteLength", "target"}, "a buffer view");
      EXPECT_EQ(view.at("buffer"), 0);
      EXPECT_GE(view.at("byteLength"), 1);
      EXPECT_LE(view.value("byteOffset", 0U) + view.at("byteLength").get<std::size_t>(), length);
    }
  }

  void check_scene() {
    ASSERT_EQ(document_.at("scene"), 0);
    for (const nlohmann::json& scene : document_.at("scenes")) {
      for (const nlohmann::json& node : scene.at("nodes")) {
        const nlohmann::json& used = use("nodes", node);
        check_keys(used, {"mesh", "name", "translation"}, "a node");
        use("meshes", used.at("mesh"));
      }
    }
    for (const nlohmann::json& material : list("materials")) {
      const nlohmann::json& surface = material.at("pbrMetallicRoughness");
      ASSERT_EQ(surface.at("baseColorFactor").size(), 4U);
      for (const nlohmann::json& factor : surface["baseColorFactor"]) expect_factor(factor);
      expect_factor(surface.at("metallicFactor"));
      expect_factor(surface.at("roughnessFactor"));
      if (surface.contains("baseColorTexture")) check_texture(surface["baseColorTexture"]);
    }
  }

  /// A picture in the file, whose bytes are what its type says.
  void check_texture(const nlohmann::json& use_of_texture) {
    const nlohmann::json& texture = use("textures", use_of_texture.at("index"));
    check_keys(texture, {"sampler", "source"}, "a texture");
    const nlohmann::json& image = use("images", texture.at("source"));
    check_keys(image, {"bufferView", "mimeType"}, "an image");
    const nlohmann::json& view = use("bufferViews", image.at("bufferView"));
    EXPECT_FALSE(view.contains("target"));
    const std::string bytes = binary_.substr(view.at("byteOffset"), view.at("byteLength"));
    EXPECT_TRUE(bytes.starts_with(image.at("mimeType") == "image/png" ? "\x89PNG" : "\xFF\xD8\xFF"));
    const nlohmann::json& sampler = document_.at("samplers").at(texture.at("sampler").get<std::size_t>());
    EXPECT_EQ(sampler.at("wrapS"), 10497);
    EXPECT_EQ(sampler.at("minFilter"), 9987);
  }

  static void expect_factor(const nlohmann::json& factor) {
    EXPECT_GE(factor.get<double>(), 0);
    EXPECT_LE(factor.get<double>(), 1);
  }

  void check_mesh(const nlohmann::json& mesh) {
    check_keys(mesh, {"primitives", "weights", "name"}, "a mesh");
    for (const nlohmann::json& primitive : mesh.at("primitives")) {
      check_keys(primitive, {"attributes", "indices", "material", "targets", "mode", "extras"}, "a primitive");
      EXPECT_EQ(primitive.value("mode", 4), 4);
      use("materials", primitive.at("material"));
      const std::size_t count = check_attributes(primitive.at("attributes"), true);
      check_indices(primitive.at("indices"), count);
      const nlohmann::json targets = primitive.value("targets", nlohmann::json::array());
      for (const nlohmann::json& target : targets) EXPECT_EQ(check_attributes(target, false), count);
      EXPECT_EQ(mesh.value("weights", nlohmann::json::array()).size(), targets.size());
    }
  }

  /// How many vertices have them. A target's normals are differences.
  std::size_t check_attributes(const nlohmann::json& attributes, bool are_unit) {
    check_keys(attributes, {"POSITION", "NORMAL", "TEXCOORD_0", "COLOR_0"}, "the attributes");
    const std::vector<float> positions = floats(attributes.at("POSITION"), "VEC3", kArrayBuffer, true);
    const std::vector<float> normals = floats(attributes.at("NORMAL"), "VEC3", kArrayBuffer, false);
    EXPECT_EQ(normals.size(), positions.size());
    for (std::size_t i = 0; are_unit && i + 2 < normals.size(); i += 3) {
      EXPECT_NEAR(std::hypot(normals[i], normals[i + 1], normals[i + 2]), 1, 5e-4) << "normal " << i / 3;
    }
    if (attributes.contains("TEXCOORD_0")) {
      EXPECT_EQ(floats(attributes["TEXCOORD_0"], "VEC2", kArrayBuffer, false).size() / 2, positions.size() / 3);
    }
    if (attributes.contains("COLOR_0")) {
      EXPECT_EQ(bytes_of(attributes["COLOR_0"], "VEC4", kArrayBuffer).size() / 8, positions.size() / 3);
      EXPECT_EQ(document_["accessors"][attributes["COLOR_0"].get<std::size_t>()].at("normalized"), true);
    }
    return positions.size() / 3;
  }

  void check_indices(const nlohmann::json& index, std::size_t vertex_count) {
    const std::string_view bytes = bytes_of(index, "SCALAR", kElementArrayBuffer);
    const int type = document_["accessors"][index.get<std::size_t>()]["componentType"];
    EXPECT_NE(type, kFloat);
    const std::size_t size = component_bytes(type);
    EXPECT_EQ(bytes.size() / size % 3, 0U);
    const std::uint64_t restart = (std::uint64_t{1} << (8 * size)) - 1;
    for (std::size_t i = 0; i < bytes.size(); i += size) {
      const std::uint64_t vertex = little_endian(bytes.substr(i, size));
      ASSERT_LT(vertex, vertex_count);
      ASSERT_NE(vertex, restart);
    }
  }

  void check_animation(const nlohmann::json& animation) {
    check_keys(animation, {"name", "samplers", "channels"}, "an animation");
    std::set<std::size_t> samplers;
    for (const nlohmann::json& channel : animation.at("channels")) {
      samplers.insert(channel.at("sampler").get<std::size_t>());
      EXPECT_EQ(channel.at("target").at("path"), "weights");
      const nlohmann::json& node = document_["nodes"].at(channel["target"].at("node").get<std::size_t>());
      const nlohmann::json& mesh = document_["meshes"].at(node.at("mesh").get<std::size_t>());
      const nlohmann::json& sampler = animation.at("samplers").at(channel["sampler"].get<std::size_t>());
      const std::vector<float> times = floats(sampler.at("input"), "SCALAR", 0, true);
      EXPECT_GE(times.front(), 0);
      EXPECT_EQ(std::ranges::adjacent_find(times, std::ranges::greater_equal()), times.end());
      const std::vector<float> weights = floats(sampler.at("output"), "SCALAR", 0, false);
      EXPECT_EQ(weights.size(), times.size() * mesh.at("primitives").at(0).at("targets").size());
      EXPECT_EQ(sampler.value("interpolation", "LINEAR"), "LINEAR");
    }
    EXPECT_EQ(samplers.size(), animation.at("samplers").size());
  }

  /// An accessor's numbers, all finite; its bounds, which it must have where they are asked for, are those of the data.
  std::vector<float> floats(const nlohmann::json& index, const std::string& type, int target, bool with_bounds) {
    const std::string_view bytes = bytes_of(index, type, target);
    const nlohmann::json& accessor = document_["accessors"][index.get<std::size_t>()];
    EXPECT_EQ(accessor["componentType"], kFloat);
    std::vector<float> numbers;
    for (std::size_t i = 0; i < bytes.size(); i += 4) numbers.push_back(std::bit_cast<float>(word(bytes, i)));
    EXPECT_TRUE(std::ranges::all_of(numbers, [](float number) { return std::isfinite(number); }));
    EXPECT_EQ(accessor.contains("min"), accessor.contains("max"));
    EXPECT_TRUE(accessor.contains("min") || !with_bounds);
    if (accessor.contains("min")) expect_bounds(accessor, numbers, type == "VEC3" ? 3 : 1);
    return numbers;
  }

  static void expect_bounds(const nlohmann::json& accessor, const std::vector<float>& numbers, std::size_t components) {
    ASSERT_EQ(accessor["min"].size(), components);
    ASSERT_EQ(accessor["max"].size(), components);
    for (std::size_t component = 0; component < components; ++component) {
      float low = std::numeric_limits<float>::max(), high = -low;
      for (std::size_t i = component; i < numbers.size(); i += components) {
        low = std::min(low, numbers[i]);
        high = std::max(high, numbers[i]);
      }
      EXPECT_EQ(accessor["min"][component].get<float>(), low);
      EXPECT_EQ(accessor["max"][component].get<float>(), high);
    }
  }

  /// The bytes that an accessor names: inside its view, aligned, and its view bound as its use asks for.
  std::string_view bytes_of(const nlohmann::json& index, const std::string& type, int target) {
    const nlohmann::json& accessor = use("accessors", index);
    check_keys(accessor, {"bufferView", "byteOffset", "componentType", "count", "type", "min", "max", "normalized"},
               "an accessor");
    EXPECT_EQ(accessor.at("type"), type);
    const std::size_t component = component_bytes(accessor.at("componentType"));
    const std::map<std::string, std::size_t> components = {{"SCALAR", 1}, {"VEC2", 2}, {"VEC3", 3}, {"VEC4", 4}};
    const std::size_t size = component * components.at(type), count = accessor.at("count");
    EXPECT_GE(count, 1U);
    const nlohmann::json& view = use("bufferViews", accessor.at("bufferView"));
    EXPECT_EQ(view.value("target", 0), target);
    const std::size_t inner = accessor.value("byteOffset", 0U), begin = view.value("byteOffset", 0U) + inner;
    EXPECT_EQ(begin % (target == kArrayBuffer ? 4 : component), 0U) << "alignment";
    EXPECT_EQ(inner % component, 0U);
    EXPECT_LE(inner + count * size, view.at("byteLength").get<std::size_t>());
    return std::string_view(binary_).substr(begin, count * size);
  }

  static std::size_t component_bytes(int type) {
    EXPECT_TRUE(type == kUnsignedByte || type == kUnsignedShort || type == kUnsignedInt || type == kFloat) << type;
    return type == kUnsignedByte ? 1 : type == kUnsignedShort ? 2 : 4;
  }

  static std::uint32_t word(std::string_view bytes, std::size_t place) {
    return static_cast<std::uint32_t>(little_endian(bytes.substr(place, 4)));
  }

  static void check_keys(const nlohmann::json& object, const std::set<std::string>& known, const std::string& what) {
    for (const auto& [key, value] : object.items()) EXPECT_TRUE(known.contains(key)) << what << " has " << key;
  }

  static void expect_no_empty_arrays(const nlohmann::json& json) {
    EXPECT_FALSE(json.is_array() && json.empty());
    if (!json.is_structured()) return;
    for (const nlohmann::json& value : json) expect_no_empty_arrays(value);
  }

  nlohmann::json list(const char* kind) const { return document_.value(kind, nlohmann::json::array()); }

  const nlohmann::json& use(const char* kind, const nlohmann::json& index) {
    used_[kind].insert(index.get<std::size_t>());
    return document_.at(kind).at(index.get<std::size_t>());
  }

  nlohmann::json document_;
  std::string binary_;
  std::map<std::string, std::set<std::size_t>> used_;
};

}  // namespace p2mpp::testing
