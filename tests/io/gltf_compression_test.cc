#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "base/little_endian.h"
#include "io/glb_parts.h"
#include "io/mesh/mesh_formats.h"
#include "p2mpp/metrics.h"
#include "support/messages.h"
#include "support/mutations.h"
#include "support/test_meshes.h"

#ifdef P2MPP_HAS_DRACO
#include <draco/compression/encode.h>
#endif
#ifdef P2MPP_HAS_MESHOPTIMIZER
#include <meshoptimizer.h>
#endif

// The libraries' own encoders make the files.

namespace p2mpp {
namespace {
using Parts = testing::GlbParts;
using testing::put_together;
using testing::taken_apart;

[[maybe_unused]] TriangleMesh parsed(const std::string& bytes) { return parse_gltf(bytes, "file.glb"); }

[[maybe_unused]] TriangleMesh given_mesh() { return testing::with_normals(testing::icosphere(2)); }

#ifdef P2MPP_HAS_MESHOPTIMIZER

/// A GLB with the given views compressed; `attributes` of them are the first ones, then there are triangles.
std::string packed_by_meshopt(const TriangleMesh& mesh) {
  Parts parts = taken_apart(format_glb(mesh, ""));
  std::string packed;
  for (std::size_t i = 0; i < parts.document["accessors"].size(); ++i) {
    const nlohmann::json& accessor = parts.document["accessors"][i];
    nlohmann::json& view = parts.document["bufferViews"][accessor["bufferView"].get<std::size_t>()];
    const std::string bytes = parts.binary.substr(view["byteOffset"], view["byteLength"]);
    const std::size_t count = accessor["count"], stride = bytes.size() / count;
    const bool is_indices = accessor["type"] == "SCALAR";
    std::string coded;
    if (is_indices) {
      std::vector<unsigned> indices;
      for (std::size_t k = 0; k < count; ++k)
        indices.push_back(static_cast<unsigned>(little_endian(std::string_view(bytes).substr(k * stride, stride))));
      coded.resize(meshopt_encodeIndexBufferBound(count, mesh.vertices.size()));
      coded.resize(meshopt_encodeIndexBuffer(reinterpret_cast<unsigned char*>(coded.data()), coded.size(),
                                             indices.data(), count));
    } else {
      coded.resize(meshopt_encodeVertexBufferBound(count, stride));
      coded.resize(meshopt_encodeVertexBuffer(reinterpret_cast<unsigned char*>(coded.data()), coded.size(),
                                              bytes.data(), count, stride));
    }
    packed.resize((packed.size() + 3) / 4 * 4, '\0');
    view["extensions"]["EXT_meshopt_compression"] = {{"buffer", 0},
                                                     {"byteOffset", packed.size()},
                                                     {"byteLength", coded.size()},
                                                     {"byteStride", stride},
                                                     {"count", count},
                                                     {"mode", is_indices ? "TRIANGLES" : "ATTRIBUTES"}};
    view["buffer"] = 1;
    packed += coded;
  }
  parts.document["buffers"].push_back(
      {{"byteLength", parts.binary.size()}, {"extensions", {{"EXT_meshopt_compression", {{"fallback", true}}}}}});
  parts.document["extensionsRequired"] = parts.document["extensionsUsed"] = {"EXT_meshopt_compression"};
  parts.binary = packed;
  parts.document["buffers"][0]["byteLength"] = packed.size();
  return put_together(parts);
}

/// Triangles begin at any of their corners.
std::vector<Triangle> from_their_least(std::vector<Triangle> triangles) {
  for (Triangle& triangle : triangles)
    std::rotate(triangle.begin(), std::ranges::min_element(triangle), triangle.end());
  return triangles;
}

TEST(MeshoptTest, IsReadAsWhatWasCompressed) {
  const TriangleMesh mesh = given_mesh(), found = parsed(packed_by_meshopt(mesh));
  EXPECT_EQ(found.vertices, mesh.vertices);
  EXPECT_EQ(from_their_least(found.triangles), from_their_least(mesh.triangles));
}

TEST(MeshoptTest, DamageIsRefused) {
  const std::string good = packed_by_meshopt(given_mesh());
  const auto changed = [&](const char* key, const nlohmann::json& value) {
    Parts parts = taken_apart(good);
    parts.document["bufferViews"][0]["extensions"]["EXT_meshopt_compression"][key] = value;
    return put_together(parts);
  };
  EXPECT_REFUSED(parsed(changed("mode", "TRIANGLES")), "file.glb: a view that is compressed with meshopt has elements");
  EXPECT_REFUSED(parsed(changed("mode", "NOTHING")), "elements of a wrong size");
  EXPECT_REFUSED(parsed(changed("count", 1 << 30)), "has too many elements for its size");
  EXPECT_REFUSED(parsed(changed("byteLength", 30)), "its compressed geometry (meshopt) is damaged");
  EXPECT_REFUSED(parsed(changed("byteOffset", 1 << 20)), "a buffer view lies outside of the buffer");
  EXPECT_REFUSED(parsed(changed("filter", "SHARP")), "meshopt's filter 'SHARP' is not known");
  EXPECT_GT(survive_mutations(good, 3000, 12, parsed), 10);
}

#endif
#ifdef P2MPP_HAS_DRACO

std::string packed_by_draco(const TriangleMesh& given) {
  Parts parts = taken_apart(format_glb(given, ""));
  draco::Mesh mesh;
  mesh.set_num_points(static_cast<std::uint32_t>(given.vertices.size()));
  mesh.SetNumFaces(given.triangles.size());
  for (std::uint32_t t = 0; t < given.triangles.size(); ++t) {
    draco::Mesh::Face face;
    for (std::size_t i = 0; i < 3; ++i) face[i] = static_cast<std::uint32_t>(given.triangles[t][i]);
    mesh.SetFace(draco::FaceIndex(t), face);
  }
  const auto add = [&](draco::GeometryAttribute::Type type, const Points& vectors) {
    draco::GeometryAttribute attribute;
    attribute.Init(type, nullptr, 3, draco::DT_FLOAT32, false, 12, 0);
    const int id = mesh.AddAttribute(attribute, true, static_cast<std::uint32_t>(vectors.size()));
    for (std::uint32_t i = 0; i < vectors.size(); ++i) {
      mesh.attribute(id)->SetAttributeValue(draco::AttributeValueIndex(i), vectors[i].data());
    }
    return mesh.attribute(id)->unique_id();
  };
  const auto positions = add(draco::GeometryAttribute::POSITION, given.vertices);
  const auto normals = add(draco::GeometryAttribute::NORMAL, given.normals);
  draco::Encoder encoder;
  encoder.SetAttributeQuantization(draco::GeometryAttribute::POSITION, 16);
  draco::EncoderBuffer coded;
  EXPECT_TRUE(encoder.EncodeMeshToBuffer(mesh, &coded).ok());
  for (nlohmann::json& accessor : parts.document["accessors"]) accessor.erase("bufferView");
  parts.document["bufferViews"] =
      nlohmann::json::array({{{"buffer", 0}, {"byteOffset", 0}, {"byteLength", coded.size()}}});
  parts.document["meshes"][0]["primitives"][0]["extensions"]["KHR_draco_mesh_compression"] = {
      {"bufferView", 0}, {"attributes", {{"POSITION", positions}, {"NORMAL", normals}}}};
  parts.document["extensionsRequired"] = {"KHR_draco_mesh_compression"};
  parts.binary.assign(coded.data(), coded.size());
  parts.document["buffers"][0]["byteLength"] = coded.size();
  return put_together(parts);
}

TEST(DracoTest, IsReadAsWhatWasCompressed) {
  const TriangleMesh mesh = given_mesh(), found = parsed(packed_by_draco(mesh));
  ASSERT_EQ(found.vertices.size(), mesh.vertices.size());
  ASSERT_EQ(found.triangles.size(), mesh.triangles.size());
  ASSERT_EQ(found.normals.size(), found.vertices.size());
  const double volume = std::fabs(compare_shapes(vertex_cloud(found), vertex_cloud(mesh), {}).chamfer_distance);
  EXPECT_LT(volume, 1e-8);
  for (const Triangle& triangle : found.triangles) {
    const auto at = [&](std::size_t i) { return found.vertices[static_cast<std::size_t>(triangle[i])]; };
    EXPECT_GT((at(1) - at(0)).cross(at(2) - at(0)).dot(at(0)), 0) << "outward";
  }
  for (std::size_t i = 0; i < found.vertices.size(); ++i) {
    EXPECT_GT(found.normals[i].dot(found.vertices[i].normalized()), 0.99F);
  }
}

TEST(DracoTest, DamageIsRefused) {
  const std::string good = packed_by_draco(given_mesh());
  const auto changed = [&](const char* pointer, const nlohmann::json& value) {
    Parts parts = taken_apart(good);
    parts.document[nlohmann::json::json_pointer(pointer)] = value;
    return put_together(parts);
  };
  const std::string stream = "/meshes/0/primitives/0/extensions/KHR_draco_mesh_compression/";
  EXPECT_REFUSED(parsed(changed("/bufferViews/0/byteLength", 40)),
                 "file.glb: its compressed geometry (Draco) is damaged");
  EXPECT_REFUSED(parsed(changed((stream + "attributes/POSITION").c_str(), 7)), "has other arrays than the file says");
  EXPECT_REFUSED(parsed(changed("/accessors/0/count", 3)), "has other arrays than the file says");
  EXPECT_REFUSED(parsed(changed((stream + "bufferView").c_str(), 9)), "an index of \"bufferViews\" is out of range");
  EXPECT_GT(survive_mutations(good, 3000, 12, parsed), 10);
}

#endif

#ifndef P2MPP_HAS_MESHOPTIMIZER
TEST(CompressionTest, WithoutALibraryTheFileIsRefusedByName) {
  nlohmann::json view = {{"buffer", 0}, {"byteLength", 4}};
  view["extensions"]["EXT_meshopt_compression"] = {{"buffer", 0}, {"byteLength", 4}, {"byteStride", 12}, {"count", 3}};
  nlohmann::json document = {
      {"asset", {{"version", "2.0"}}}, {"bufferViews", {view}}, {"buffers", {{{"byteLength", 4}}}}};
  document["accessors"] = {{{"bufferView", 0}, {"componentType", 5126}, {"count", 3}, {"type", "VEC3"}}};
  document["meshes"] = {{{"primitives", {{{"attributes", {{"POSITION", 0}}}}}}}};
  EXPECT_REFUSED(parsed(put_together({document, "abcd"})), "compressed with meshopt, which this build does not read");
}
#endif

}  // namespace
}  // namespace p2mpp
