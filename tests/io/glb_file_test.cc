#include <gtest/gtest.h>

#include <array>
#include <bit>
#include <limits>
#include <nlohmann/json.hpp>

#include "base/little_endian.h"
#include "io/glb_parts.h"
#include "io/gltf_rules.h"
#include "io/mesh/mesh_file.h"
#include "io/mesh/mesh_formats.h"
#include "p2mpp/metrics.h"
#include "support/mutations.h"
#include "support/temporary_folder.h"
#include "support/test_meshes.h"

namespace p2mpp {
namespace {

using testing::with_normals;

std::uint32_t word_at(std::string_view bytes, std::size_t place) {
  return static_cast<std::uint32_t>(little_endian(bytes.substr(place, 4)));
}

/// A GLB that keeps the specification's rules, taken apart.
struct Glb : testing::GlbParts {
  explicit Glb(const std::string& bytes) : GlbParts(testing::taken_apart(bytes)) { testing::GltfRules::check(bytes); }

  [[nodiscard]] const nlohmann::json& primitive() const { return document["meshes"][0]["primitives"][0]; }

  [[nodiscard]] std::string_view bytes_of(const nlohmann::json& accessor) const {
    const nlohmann::json& view = document["bufferViews"][accessor["bufferView"].get<std::size_t>()];
    return std::string_view(binary).substr(view["byteOffset"], view["byteLength"]);
  }

  [[nodiscard]] Points vectors(const nlohmann::json& index) const {
    const nlohmann::json& accessor = document["accessors"][index.get<std::size_t>()];
    const std::string_view bytes = bytes_of(accessor);
    Points points;
    for (std::size_t i = 0; i < bytes.size(); i += 12) {
      points.emplace_back(std::bit_cast<float>(word_at(bytes, i)), std::bit_cast<float>(word_at(bytes, i + 4)),
                          std::bit_cast<float>(word_at(bytes, i + 8)));
    }
    return points;
  }

  [[nodiscard]] std::vector<Triangle> triangles() const {
    const nlohmann::json& accessor = document["accessors"][primitive()["indices"].get<std::size_t>()];
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

TEST(Glb, HoldsTheMeshAndItsNormals) {
  for (const int subdivisions : {0, 2}) {
    const TriangleMesh mesh = with_normals(testing::icosphere(subdivisions));
    const Glb glb(format_glb(mesh, "the tests"));
    EXPECT_EQ(glb.document["asset"]["version"], "2.0");
    EXPECT_EQ(glb.document["asset"]["generator"], "the tests");
    EXPECT_EQ(glb.vectors(glb.primitive()["attributes"]["POSITION"]), mesh.vertices);
    EXPECT_EQ(glb.triangles(), mesh.triangles);
  }
}

TEST(Glb, GivesEveryVertexANormal) {
  const TriangleMesh mesh{{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {5, 5, 5}}, {{0, 1, 2}}};
  testing::GltfRules::check(format_glb(with_normals(mesh), ""));
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
  const nlohmann::json& target = glb.primitive()["targets"][0];
  const Points moved = glb.vectors(target["POSITION"]);
  for (std::size_t i = 0; i < moved.size(); ++i) EXPECT_EQ(from.vertices[i] + moved[i], to.vertices[i]);
  EXPECT_EQ(glb.vectors(target["NORMAL"]).size(), from.vertices.size());
  EXPECT_EQ(glb.document["meshes"][0]["weights"], nlohmann::json::array({0.0}));
  const nlohmann::json& animation = glb.document["animations"][0];
  EXPECT_EQ(animation["channels"][0]["target"]["path"], "weights");
  const nlohmann::json& times = glb.document["accessors"][animation["samplers"][0]["input"].get<std::size_t>()];
  EXPECT_EQ(times["max"], nlohmann::json::array({3.0}));
  const nlohmann::json& weights = glb.document["accessors"][animation["samplers"][0]["output"].get<std::size_t>()];
  EXPECT_EQ(weights["count"], times["count"]);
}

TriangleMesh parsed_glb(const std::string& bytes) { return parse_gltf(bytes, "file.glb"); }

std::string sphere_glb(int subdivisions = 1) {
  return format_glb(with_normals(testing::icosphere(subdivisions)), "tests");
}

/// The sphere's file with another JSON chunk.
template <typename Change>
std::string changed(const Change& change, int subdivisions = 1) {
  testing::GlbParts parts = testing::taken_apart(sphere_glb(subdivisions));
  change(parts.document);
  return testing::put_together(std::move(parts));
}

/// With another value at a place of the JSON.
std::string with(const char* place, const nlohmann::json& value) {
  return changed([&](nlohmann::json& document) { document[nlohmann::json::json_pointer(place)] = value; });
}

TEST(ParseGlb, GivesTheMeshThatWasWritten) {
  for (const int subdivisions : {0, 2, 7}) {  // 163,842 vertices have 32-bit indices
    const TriangleMesh mesh = testing::icosphere(subdivisions), back = parsed_glb(sphere_glb(subdivisions));
    EXPECT_EQ(back.vertices, mesh.vertices);
    EXPECT_EQ(back.triangles, mesh.triangles);
    EXPECT_EQ(back.normals.size(), mesh.vertices.size());
  }
  EXPECT_EQ(parsed_glb(sphere_glb() + "0123").triangles, testing::icosphere(1).triangles) << "bytes at the end";
}

TEST(ParseGlb, ReadsInterleavedArraysAndBytesAsIndices) {
  const TriangleMesh mesh = testing::icosphere(1);
  // Vertices 2 k of the same bytes, read with a stride of two vertices; the indices' low and high bytes one by one.
  const TriangleMesh every_second = parsed_glb(changed([](nlohmann::json& document) {
    document["bufferViews"][0]["byteStride"] = 24;
    document["accessors"][0]["count"] = 21;
    document["accessors"][1]["count"] = 21;
    document["accessors"][2]["componentType"] = 5121;
    document["accessors"][2]["count"] = 3;
  }));
  ASSERT_EQ(every_second.vertices.size(), 21U);
  for (std::size_t i = 0; i < 21; ++i) EXPECT_EQ(every_second.vertices[i], mesh.vertices[2 * i]);
  EXPECT_EQ(every_second.triangles, (std::vector<Triangle>{{mesh.triangles[0][0], 0, mesh.triangles[0][1]}}));
}

/// The sphere's vertices, each through `place`.
template <typename Place>
void expect_places(const TriangleMesh& found, const Place& place) {
  const TriangleMesh sphere = testing::icosphere(1);
  ASSERT_EQ(found.vertices.size(), sphere.vertices.size());
  for (std::size_t i = 0; i < found.vertices.size(); ++i) {
    EXPECT_LT((found.vertices[i] - place(sphere.vertices[i])).norm(), 1e-6F);
  }
}

TEST(ParseGlb, AppliesTheTransformsOfNodes) {
  const TriangleMesh sphere = testing::icosphere(1);
  for (const nlohmann::json& identity :
       {nlohmann::json{{"mesh", 0}, {"matrix", {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1}}},
        nlohmann::json{{"mesh", 0}, {"translation", {0, 0, 0}}, {"rotation", {0, 0, 0, 1}}}}) {
    EXPECT_EQ(parsed_glb(with("/nodes/0", identity)).vertices, sphere.vertices);
  }
  expect_places(parsed_glb(with("/nodes", nlohmann::json::array({{{"children", {1}}, {"translation", {10, 0, 0}}},
                                                                 {{"mesh", 0}, {"scale", {2, 3, 4}}},
                                                                 {{"camera", 0}, {"translation", {7, 5, 4}}}}))),
                [](const Eigen::Vector3f& v) { return Eigen::Vector3f(2 * v.x() + 10, 3 * v.y(), 4 * v.z()); });
  // A quarter turn around z, then one along x.
  const TriangleMesh turned =
      parsed_glb(with("/nodes/0", {{"mesh", 0}, {"matrix", {0, 1, 0, 0, -1, 0, 0, 0, 0, 0, 1, 0, 1, 0, 0, 1}}}));
  expect_places(turned, [](const Eigen::Vector3f& v) { return Eigen::Vector3f(1 - v.y(), v.x(), v.z()); });
  for (std::size_t i = 0; i < turned.normals.size(); ++i) {
    EXPECT_GT(turned.normals[i].dot(turned.vertices[i] - Eigen::Vector3f(1, 0, 0)), 0.99F);
  }
  const TriangleMesh mirrored = parsed_glb(with("/nodes/0", {{"mesh", 0}, {"scale", {-1, 2, 1}}}));
  EXPECT_GT(signed_volume(mirrored), 0);
  for (std::size_t i = 0; i < mirrored.normals.size(); ++i) {
    EXPECT_GT(mirrored.normals[i].dot(mirrored.vertices[i]), 0.5F);
  }
}

TEST(ParseGlb, JoinsMeshesAndPrimitives) {
  const TriangleMesh sphere = testing::icosphere(1);
  // Two primitives with half of the triangles each share their vertices.
  const TriangleMesh halves = parsed_glb(changed([](nlohmann::json& document) {
    nlohmann::json second = document["accessors"][2];
    document["accessors"][2]["count"] = second["count"] = 120;
    second["byteOffset"] = 240;
    document["accessors"].push_back(second);
    nlohmann::json primitive = document["meshes"][0]["primitives"][0];
    primitive["indices"] = 3;
    document["meshes"][0]["primitives"].push_back(primitive);
  }));
  EXPECT_EQ(halves.vertices, sphere.vertices);
  EXPECT_EQ(halves.triangles, sphere.triangles);
  const TriangleMesh twice = parsed_glb(changed([](nlohmann::json& document) {
    document["scenes"][0]["nodes"] = {0, 1};
    document["nodes"].push_back({{"mesh", 0}, {"translation", {5, 0, 0}}});
  }));
  EXPECT_EQ(twice.vertices.size(), 84U);
  EXPECT_EQ(twice.triangles.size(), 160U);
  EXPECT_EQ(twice.triangles[80][0], sphere.triangles[0][0] + 42);
}

TEST(ParseGlb, ReadsTrianglesWithoutIndicesAndInStrips) {
  const auto triangles = [](int mode) {
    return parsed_glb(changed([&](nlohmann::json& document) {
             nlohmann::json& primitive = document["meshes"][0]["primitives"][0];
             primitive["mode"] = mode;
             primitive.erase("indices");
             for (const int accessor : {0, 1}) document["accessors"][accessor]["count"] = 6;
           }))
        .triangles;
  };
  EXPECT_EQ(triangles(4), (std::vector<Triangle>{{0, 1, 2}, {3, 4, 5}}));
  EXPECT_EQ(triangles(5), (std::vector<Triangle>{{0, 1, 2}, {1, 3, 2}, {2, 3, 4}, {3, 5, 4}}));
  EXPECT_EQ(triangles(6), (std::vector<Triangle>{{0, 1, 2}, {0, 2, 3}, {0, 3, 4}, {0, 4, 5}}));
}

TEST(ParseGlb, ReadsQuantizedPositions) {
  // The bytes of the sphere's floats as whole numbers: two a float.
  const std::string bytes = changed([](nlohmann::json& document) {
    document["extensionsRequired"] = {"KHR_mesh_quantization"};
    document["accessors"][0]["componentType"] = 5123;
    document["accessors"][0]["normalized"] = true;
    document["bufferViews"][0]["byteStride"] = 12;
    document["nodes"][0]["scale"] = {65535, 65535, 65535};
  });
  const TriangleMesh mesh = parsed_glb(bytes), sphere = testing::icosphere(1);
  for (std::size_t i = 0; i < mesh.vertices.size(); ++i) {
    const auto x = std::bit_cast<std::uint32_t>(sphere.vertices[i].x());
    EXPECT_NEAR(mesh.vertices[i].x(), x & 0xFFFFU, 0.01);
    EXPECT_NEAR(mesh.vertices[i].y(), x >> 16U, 0.01);
  }
}

TEST(ParseGlb, ReadsBuffersInUrisAndBesideTheFile) {
  const TemporaryFolder folder;
  const std::string glb = sphere_glb();
  const testing::GlbParts parts = testing::taken_apart(glb);
  nlohmann::json document = parts.document;
  const std::string binary = parts.binary.substr(0, document["buffers"][0]["byteLength"]);
  document["buffers"][0]["uri"] = "the%20data.bin";
  folder.write("the data.bin", binary);
  EXPECT_EQ(read_mesh(folder.write("a.gltf", document.dump())).triangles, testing::icosphere(1).triangles);
  EXPECT_REFUSED(parsed_glb(document.dump()), "a buffer cannot be read: 'the%20data.bin' is in another file");
  document["buffers"][0]["uri"] = "../data.bin";
  EXPECT_REFUSED(read_mesh(folder.write("a.gltf", document.dump())), "leaves the folder");
  document["buffers"][0]["uri"] = "data:application/octet-stream;base64,AAAA";
  EXPECT_REFUSED(parsed_glb(document.dump()), "a buffer view lies outside of the buffer");
  document["buffers"][0]["uri"] = "data:application/octet-stream;base64,A*AA";
  EXPECT_REFUSED(parsed_glb(document.dump()), "its base64 is damaged");
}

// Few bytes can name the same array again and again.
TEST(ParseGlb, RefusesMoreVerticesThanItsSizeCanMean) {
  const auto repeat = [](nlohmann::json& document) {
    document["scenes"][0]["nodes"].clear();
    document["nodes"].clear();
    for (int i = 0; i < 1000; ++i) {
      document["scenes"][0]["nodes"].push_back(i);
      document["nodes"].push_back({{"mesh", 0}, {"translation", {i, 0, 0}}});
    }
  };
  EXPECT_REFUSED(parsed_glb(changed(repeat, 5)), "has too many triangles for a file of its size");
}

/// One element of the positions is a normal; the others are as they were, or zero without a buffer view.
TEST(ParseGlb, ReadsSparseArrays) {
  const auto parsed_with = [](const auto& change) {
    return parsed_glb(changed([&](nlohmann::json& document) {
      nlohmann::json& positions = document["accessors"][0];
      positions["sparse"] = {
          {"count", 1}, {"indices", {{"bufferView", 2}, {"componentType", 5123}}}, {"values", {{"bufferView", 1}}}};
      change(positions);
    }));
  };
  const TriangleMesh sphere = testing::icosphere(1), patched = parsed_with([](nlohmann::json&) {}),
                     zeros = parsed_with([](nlohmann::json&positions) { positions.erase("bufferView"); });
  const auto place = static_cast<std::size_t>(sphere.triangles[0][0]);
  for (std::size_t i = 0; i < sphere.vertices.size(); ++i) {
    EXPECT_EQ(patched.vertices[i], i == place ? patched.normals[0] : sphere.vertices[i]);
    EXPECT_EQ(zeros.vertices[i], i == place ? zeros.normals[0] : Eigen::Vector3f(0, 0, 0));
  }
  const auto damaged = [&](const char* key, const nlohmann::json& value) {
    return parsed_with(
        [&](nlohmann::json& positions) { positions["sparse"][nlohmann::json::json_pointer(key)] = value; });
  };
  EXPECT_REFUSED(damaged("/count", 43), "a sparse accessor is damaged");
  EXPECT_REFUSED(damaged("/indices/componentType", 5126), "a sparse accessor is damaged");
  EXPECT_REFUSED(damaged("/values/byteOffset", 600), "an accessor lies outside of its buffer view");
  EXPECT_REFUSED(parsed_glb(changed([](nlohmann::json& document) {
                   document["accessors"][0].erase("bufferView");
                   document["accessors"][0]["count"] = 5'000'000;
                 })),
                 "an accessor has too many elements without a buffer view");
}

/// EXT_mesh_gpu_instancing: the sphere at each of its own vertices.
TEST(ParseGlb, ReadsInstances) {
  const TriangleMesh sphere = testing::icosphere(1);
  const nlohmann::json extension = {{"EXT_mesh_gpu_instancing", {{"attributes", {{"TRANSLATION", 0}}}}}};
  const TriangleMesh mesh = parsed_glb(changed([&](nlohmann::json& document) {
    document["extensionsRequired"] = {"EXT_mesh_gpu_instancing"};
    document["nodes"][0]["extensions"] = extension;
    document["nodes"][0]["scale"] = {2, 2, 2};
  }));
  ASSERT_EQ(mesh.triangles.size(), 42U * 80);
  for (std::size_t i = 0; i < mesh.vertices.size(); ++i) {
    EXPECT_LT((mesh.vertices[i] - 2 * (sphere.vertices[i / 42] + sphere.vertices[i % 42])).norm(), 1e-5F);
  }
}

TEST(ParseGlb, RefusesDamagedFiles) {
  const std::string good = sphere_glb();
  EXPECT_REFUSED(parsed_glb(""), "file.glb: is not a glTF file; expected a glTF 2.0 file with a mesh of triangles");
  EXPECT_REFUSED(parsed_glb("glTF"), "is cut off");
  EXPECT_REFUSED(parsed_glb(good.substr(0, 200)), "has 200 bytes where its header says");
  std::string version_1 = good;
  version_1[4] = 1;
  EXPECT_REFUSED(parsed_glb(version_1), "is of glTF version 1");
  std::string damaged = good;
  damaged[21] = '}';
  EXPECT_REFUSED(parsed_glb(damaged), "its JSON is damaged");
}

TEST(ParseGlb, RefusesWhatItWouldGetWrong) {
  EXPECT_REFUSED(parsed_glb(with("/nodes/0/scale", {2, 2})), "\"scale\" is not a list of 3 numbers");
  EXPECT_REFUSED(parsed_glb(with("/nodes/0/children", nlohmann::json::array({0}))), "a node is in the scene twice");
  EXPECT_REFUSED(parsed_glb(with("/meshes/0/primitives/0/mode", 7)), "a primitive is of an unknown mode");
  EXPECT_REFUSED(parsed_glb(with("/meshes/0/primitives/0/mode", 1)), "has no triangle");
  EXPECT_REFUSED(parsed_glb(with("/accessors/0/type", "VEC2")), "an accessor has the wrong type");
  EXPECT_REFUSED(parsed_glb(with("/accessors/2/componentType", 5122)), "its indices are not whole numbers");
  EXPECT_REFUSED(parsed_glb(with("/extensionsRequired", {"ACME_geometry"})), "requires the extension 'ACME_geometry'");
  EXPECT_REFUSED(parsed_glb(with("/accessors/1/count", 3)),
                 "the number of normals differs from the number of vertices");
  EXPECT_REFUSED(parsed_glb(with("/bufferViews/0/buffer", 1)), "an index of \"buffers\" is out of range");
}

TEST(ParseGlb, RefusesWhatLiesOutside) {
  EXPECT_REFUSED(parsed_glb(with("/accessors/0/count", 43)), "an accessor lies outside of its buffer view");
  EXPECT_REFUSED(parsed_glb(with("/accessors/0/count", -1)), "\"count\" is not a number in the valid range");
  EXPECT_REFUSED(parsed_glb(with("/accessors/0/byteOffset", 4)), "an accessor lies outside of its buffer view");
  EXPECT_REFUSED(parsed_glb(with("/bufferViews/2/byteLength", 1 << 20)), "a buffer view lies outside of the buffer");
  EXPECT_REFUSED(parsed_glb(with("/bufferViews/0/byteStride", 8)), "a buffer view's elements overlap");
  EXPECT_REFUSED(parsed_glb(with("/accessors/0/bufferView", 7)), "an index of \"bufferViews\" is out of range");
  EXPECT_REFUSED(parsed_glb(with("/accessors/2/count", 239)), "its indices do not make triangles");
  EXPECT_REFUSED(parsed_glb(changed([](nlohmann::json& document) {
                   for (const int accessor : {0, 1}) document["accessors"][accessor]["count"] = 41;
                 })),
                 "a triangle names vertex 41 of 41");
  TriangleMesh mesh = testing::icosphere(0);
  mesh.vertices[3].y() = std::numeric_limits<float>::infinity();
  mesh.normals = mesh.vertices;
  EXPECT_REFUSED(parsed_glb(format_glb(mesh, "")), "a vertex is not finite");
}

TEST(ParseGlb, SurvivesMutations) { EXPECT_GT(survive_mutations(sphere_glb(0), 20'000, 12, parsed_glb), 100); }

}  // namespace

}  // namespace p2mpp
