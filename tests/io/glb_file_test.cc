#include "io/glb_file.h"

#include <gtest/gtest.h>

#include <array>
#include <bit>
#include <nlohmann/json.hpp>

#include "geometry/test_meshes.h"
#include "io/little_endian.h"
#include "p2mpp/metrics.h"

namespace p2mpp {
namespace {

using Json = nlohmann::json;

std::uint32_t word_at(std::string_view bytes, std::size_t place) {
  return static_cast<std::uint32_t>(little_endian(bytes.substr(place, 4)));
}

/// A GLB taken apart as the specification says.
struct Glb {
  Json document;
  std::string binary;

  explicit Glb(const std::string& bytes) {
    EXPECT_EQ(bytes.substr(0, 4), "glTF");
    EXPECT_EQ(word_at(bytes, 4), 2U);
    EXPECT_EQ(word_at(bytes, 8), bytes.size());
    const std::size_t text_size = word_at(bytes, 12);
    EXPECT_EQ(text_size % 4, 0U);
    EXPECT_EQ(bytes.substr(16, 4), "JSON");
    document = Json::parse(bytes.substr(20, text_size));
    const std::size_t binary_size = word_at(bytes, 20 + text_size);
    EXPECT_EQ(bytes.substr(24 + text_size, 4), std::string_view("BIN\0", 4));
    EXPECT_EQ(binary_size % 4, 0U);
    binary = bytes.substr(28 + text_size);
    EXPECT_EQ(binary.size(), binary_size);
    EXPECT_LE(document["buffers"][0]["byteLength"], binary_size);
  }

  [[nodiscard]] const Json& primitive() const { return document["meshes"][0]["primitives"][0]; }

  /// The bytes that an accessor names, checked to lie inside the buffer and to be aligned.
  [[nodiscard]] std::string_view bytes_of(const Json& accessor, std::size_t element_size) const {
    const Json& view = document["bufferViews"][accessor["bufferView"].get<std::size_t>()];
    const std::size_t offset = view["byteOffset"], length = view["byteLength"];
    EXPECT_EQ(offset % 4, 0U);
    EXPECT_EQ(length, element_size * accessor["count"].get<std::size_t>());
    EXPECT_LE(offset + length, document["buffers"][0]["byteLength"].get<std::size_t>());
    return std::string_view(binary).substr(offset, length);
  }

  [[nodiscard]] Points vectors(const Json& index) const {
    const Json& accessor = document["accessors"][index.get<std::size_t>()];
    EXPECT_EQ(accessor["type"], "VEC3");
    EXPECT_EQ(accessor["componentType"], 5126);
    const std::string_view bytes = bytes_of(accessor, 12);
    Points points;
    for (std::size_t i = 0; i < bytes.size(); i += 12) {
      points.emplace_back(std::bit_cast<float>(word_at(bytes, i)), std::bit_cast<float>(word_at(bytes, i + 4)),
                          std::bit_cast<float>(word_at(bytes, i + 8)));
    }
    if (accessor.contains("min")) {
      Eigen::Vector3f low = points.front(), high = low;
      for (const Eigen::Vector3f& point : points) {
        low = low.cwiseMin(point);
        high = high.cwiseMax(point);
      }
      for (std::size_t axis = 0; axis < 3; ++axis) {
        EXPECT_EQ(accessor["min"][axis].get<float>(), low[static_cast<int>(axis)]);
        EXPECT_EQ(accessor["max"][axis].get<float>(), high[static_cast<int>(axis)]);
      }
    }
    return points;
  }

  [[nodiscard]] std::vector<Triangle> triangles() const {
    const Json& accessor = document["accessors"][primitive()["indices"].get<std::size_t>()];
    const std::size_t size = accessor["componentType"] == 5123 ? 2 : 4;
    const std::string_view bytes = bytes_of(accessor, size);
    std::vector<Triangle> result;
    for (std::size_t i = 0; i < bytes.size(); i += 3 * size) {
      const auto index = [&](std::size_t k) {
        return static_cast<std::int32_t>(little_endian(bytes.substr(i + k * size, size)));
      };
      result.push_back({index(0), index(1), index(2)});
    }
    return result;
  }
};

TriangleMesh with_normals(TriangleMesh mesh) {
  mesh.normals = vertex_cloud(mesh).normals;
  return mesh;
}

TEST(Glb, HoldsTheMeshAndItsNormals) {
  for (const int subdivisions : {0, 2, 7}) {  // 163,842 vertices need 32-bit indices
    const TriangleMesh mesh = with_normals(testing::icosphere(subdivisions));
    const Glb glb(format_glb(mesh, "the tests"));
    EXPECT_EQ(glb.document["asset"]["version"], "2.0");
    EXPECT_EQ(glb.document["asset"]["generator"], "the tests");
    EXPECT_EQ(glb.vectors(glb.primitive()["attributes"]["POSITION"]), mesh.vertices);
    EXPECT_EQ(glb.triangles(), mesh.triangles);
    for (const Eigen::Vector3f& normal : glb.vectors(glb.primitive()["attributes"]["NORMAL"])) {
      EXPECT_NEAR(normal.norm(), 1, 1e-5);
    }
  }
}

TEST(Glb, GivesEveryVertexANormal) {
  TriangleMesh mesh{{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {5, 5, 5}}, {{0, 1, 2}}};
  const Glb glb(format_glb(with_normals(mesh), ""));
  for (const Eigen::Vector3f& normal : glb.vectors(glb.primitive()["attributes"]["NORMAL"]))
    EXPECT_EQ(normal.norm(), 1);
}

TEST(Glb, MorphsThereAndBack) {
  const TriangleMesh from = with_normals(testing::icosphere(1));
  TriangleMesh to = from;
  for (Eigen::Vector3f& vertex : to.vertices) vertex = vertex.cwiseProduct(Eigen::Vector3f(1, 2, 1));
  const Glb glb(format_morphing_glb(from, with_normals(to), 1.5F, ""));
  const Json& target = glb.primitive()["targets"][0];
  const Points moved = glb.vectors(target["POSITION"]);
  for (std::size_t i = 0; i < moved.size(); ++i) EXPECT_EQ(from.vertices[i] + moved[i], to.vertices[i]);
  EXPECT_EQ(glb.vectors(target["NORMAL"]).size(), from.vertices.size());
  EXPECT_EQ(glb.document["meshes"][0]["weights"], Json::array({0.0}));
  const Json& animation = glb.document["animations"][0];
  EXPECT_EQ(animation["channels"][0]["target"]["path"], "weights");
  const Json& times = glb.document["accessors"][animation["samplers"][0]["input"].get<std::size_t>()];
  EXPECT_EQ(times["max"], Json::array({3.0}));
  const Json& weights = glb.document["accessors"][animation["samplers"][0]["output"].get<std::size_t>()];
  EXPECT_EQ(weights["count"], times["count"]);
}

}  // namespace
}  // namespace p2mpp
