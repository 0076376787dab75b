#include "io/mesh/glb_file.h"

#include <gtest/gtest.h>

#include <array>
#include <bit>
#include <nlohmann/json.hpp>

#include "base/little_endian.h"
#include "geometry/test_meshes.h"
#include "io/gltf_rules.h"
#include "p2mpp/metrics.h"

namespace p2mpp {
namespace {

using Json = nlohmann::json;

std::uint32_t word_at(std::string_view bytes, std::size_t place) {
  return static_cast<std::uint32_t>(little_endian(bytes.substr(place, 4)));
}

/// A GLB that keeps the specification's rules, taken apart.
struct Glb {
  Json document;
  std::string binary;

  explicit Glb(const std::string& bytes) {
    testing::GltfRules::check(bytes);
    const std::size_t text_size = word_at(bytes, 12);
    document = Json::parse(bytes.substr(20, text_size));
    binary = bytes.substr(28 + text_size);
  }

  [[nodiscard]] const Json& primitive() const { return document["meshes"][0]["primitives"][0]; }

  [[nodiscard]] std::string_view bytes_of(const Json& accessor) const {
    const Json& view = document["bufferViews"][accessor["bufferView"].get<std::size_t>()];
    return std::string_view(binary).substr(view["byteOffset"], view["byteLength"]);
  }

  [[nodiscard]] Points vectors(const Json& index) const {
    const Json& accessor = document["accessors"][index.get<std::size_t>()];
    const std::string_view bytes = bytes_of(accessor);
    Points points;
    for (std::size_t i = 0; i < bytes.size(); i += 12) {
      points.emplace_back(std::bit_cast<float>(word_at(bytes, i)), std::bit_cast<float>(word_at(bytes, i + 4)),
                          std::bit_cast<float>(word_at(bytes, i + 8)));
    }
    return points;
  }

  [[nodiscard]] std::vector<Triangle> triangles() const {
    const Json& accessor = document["accessors"][primitive()["indices"].get<std::size_t>()];
    const std::size_t size = accessor["componentType"] == 5123 ? 2 : 4;
    const std::string_view bytes = bytes_of(accessor);
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
  }
}

TEST(Glb, GivesEveryVertexANormal) {
  TriangleMesh mesh{{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {5, 5, 5}}, {{0, 1, 2}}};
  const Glb glb(format_glb(with_normals(mesh), ""));
  for (const Eigen::Vector3f& normal : glb.vectors(glb.primitive()["attributes"]["NORMAL"]))
    EXPECT_EQ(normal.norm(), 1);
}

// 65,536 vertices: the last index would be the one that 16 bits reserve.
TEST(Glb, KeepsTheRulesAtTheEndOfShortIndices) {
  for (const std::size_t count : {65'535, 65'536}) {
    TriangleMesh mesh;
    for (std::size_t i = 0; i < count; ++i) mesh.vertices.emplace_back(static_cast<float>(i), i % 2, i % 3);
    mesh.triangles = {{0, 1, static_cast<std::int32_t>(count - 1)}};
    testing::GltfRules::check(format_glb(with_normals(mesh), ""));
  }
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
