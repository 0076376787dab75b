// Colours of materials, faces and pictures as other programs write them.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "base/little_endian.h"
#include "io/image/picture_format.h"
#include "io/mesh/mesh_file.h"
#include "p2mpp/mesh_texture.h"
#include "support/pixels.h"
#include "support/temporary_folder.h"

namespace p2mpp {
namespace {

/// A square of four vertices and two triangles, with a grey picture beside it.
class MeshMaterials : public ::testing::Test {
 protected:
  MeshMaterials() {
    folder.write("grey.png", encode_picture(uniform(4, 4, {230, 230, 230, 255}), PictureFormat::kPng));
    folder.write("red.png", encode_picture(uniform(4, 4, {204, 26, 26, 255}), PictureFormat::kPng));
    std::string bytes;
    for (const auto& place : {Eigen::Vector3f(0, 0, 0), {1, 0, 0}, {1, 1, 0}, {0, 1, 0}})
      append_little_endian(bytes, place);
    for (const int corner : {0, 1, 2, 0, 2, 3}) append_little_endian(bytes, static_cast<std::uint16_t>(corner));
    for (const float uv : {0.2F, 0.2F, 0.8F, 0.2F, 0.8F, 0.8F, 0.2F, 0.8F}) {
      append_little_endian(bytes, std::bit_cast<std::uint32_t>(uv));
    }
    for (int i = 0; i < 4; ++i) append_little_endian(bytes, Eigen::Vector3f(0.6F, 0.01F, 0.01F));
    append_little_endian(bytes, Eigen::Vector3f(0.1F, 0.7F, 0.01F));  // for colours that are not one
    folder.write("a.bin", bytes);
  }

  /// The colour of a triangle's first corner.
  static Colour colour_of(const TriangleMesh& mesh, std::size_t triangle) {
    if (!mesh.texture) return mesh.colours.at(static_cast<std::size_t>(mesh.triangles[triangle][0]));
    return colour_at(mesh.texture->image, mesh.texture->corners[triangle][0]);
  }

  /// A glTF file of two primitives, with a triangle each.
  static nlohmann::json gltf(const nlohmann::json& first, const nlohmann::json& second) {
    const auto view = [](int offset, int length) {
      return nlohmann::json{{"buffer", 0}, {"byteOffset", offset}, {"byteLength", length}};
    };
    const auto accessor = [](int place, int type, int count, const char* kind, int offset = 0) {
      return nlohmann::json{
          {"bufferView", place}, {"componentType", type}, {"count", count}, {"type", kind}, {"byteOffset", offset}};
    };
    const auto primitive = [](int indices, const nlohmann::json& more) {
      nlohmann::json made = {{"attributes", {{"POSITION", 0}, {"TEXCOORD_0", 3}}}, {"indices", indices}};
      made.merge_patch(more);
      return made;
    };
    return {{"asset", {{"version", "2.0"}}},
            {"buffers", {{{"uri", "a.bin"}, {"byteLength", 152}}}},
            {"bufferViews", {view(0, 48), view(48, 12), view(60, 32), view(92, 60)}},
            {"accessors",
             {accessor(0, 5126, 4, "VEC3"), accessor(1, 5123, 3, "SCALAR"), accessor(1, 5123, 3, "SCALAR", 6),
              accessor(2, 5126, 4, "VEC2"), accessor(3, 5126, 4, "VEC3"), accessor(3, 5126, 4, "VEC3", 12)}},
            {"images", {{{"uri", "grey.png"}}, {{"uri", "a.bin"}}}},
            {"textures", {{{"source", 0}}, {{"extensions", {{"KHR_texture_basisu", {{"source", 1}}}}}}}},
            {"meshes", {{{"primitives", {primitive(1, first), primitive(2, second)}}}}},
            {"nodes", {{{"mesh", 0}}}}};
  }
  static nlohmann::json surface(const nlohmann::json& values) { return {{"pbrMetallicRoughness", values}}; }

  NotedMesh read(const nlohmann::json& file) const { return read_noted_mesh(folder.write("a.gltf", file.dump())); }

  TemporaryFolder folder;
};

const nlohmann::json kPicture = {{"index", 0}};
const nlohmann::json kRedFactor = {0.6, 0.01, 0.01, 1};
constexpr Colour kRed = {203, 25, 25};

/// glTF 2.0, 3.9.2: texture, factor and colours of vertices are multiplied, in linear light.
TEST_F(MeshMaterials, GltfMultipliesPicturesByFactorsAndColours) {
  nlohmann::json file = gltf({{"material", 0}}, {{"material", 1}});
  file["materials"] = {surface({{"baseColorTexture", kPicture}, {"baseColorFactor", {0.25, 0.25, 0.25, 1}}}),
                       surface({{"baseColorTexture", kPicture}, {"baseColorFactor", kRedFactor}})};
  NotedMesh found = read(file);
  EXPECT_TRUE(found.notes.empty());
  EXPECT_EQ(colour_of(found.mesh, 0), (Colour{123, 123, 123}));
  EXPECT_EQ(colour_of(found.mesh, 1), (Colour{183, 22, 22}));

  file = gltf({{"material", 0}, {"attributes", {{"COLOR_0", 4}}}}, {{"material", 0}});
  file["materials"] = {surface({{"baseColorTexture", kPicture}})};
  found = read(file);
  EXPECT_TRUE(found.notes.empty());
  EXPECT_EQ(colour_of(found.mesh, 0), (Colour{183, 22, 22}));
  EXPECT_EQ(colour_of(found.mesh, 1), (Colour{230, 230, 230}));

  file["meshes"][0]["primitives"][0]["attributes"]["COLOR_0"] = 5;
  found = read(file);
  EXPECT_EQ(colour_of(found.mesh, 0), (Colour{230, 230, 230}));
  EXPECT_EQ(found.notes, std::vector<std::string>{"the colours of its vertices are not used beside its texture"});
}

TEST_F(MeshMaterials, GltfMultipliesColoursOfVerticesByFactors) {
  nlohmann::json file = gltf({{"material", 0}, {"attributes", {{"COLOR_0", 4}}}}, {{"material", 1}});
  file["materials"] = {surface({{"baseColorFactor", {0.5, 1, 1, 1}}}), surface({{"baseColorFactor", kRedFactor}})};
  const NotedMesh found = read(file);
  EXPECT_FALSE(found.mesh.texture);
  EXPECT_EQ(colour_of(found.mesh, 0), (Colour{149, 25, 25}));
  EXPECT_EQ(colour_of(found.mesh, 1), kRed);
}

TEST_F(MeshMaterials, GltfHasColoursWithoutAPicture) {
  nlohmann::json file = gltf({{"material", 0}}, {{"material", 0}});
  file["materials"] = {surface({{"baseColorFactor", kRedFactor}}), surface({{"baseColorFactor", {1, 1, 1, 1}}})};
  EXPECT_EQ(read(file).mesh.colours, std::vector<Colour>(4, kRed));
  file["meshes"][0]["primitives"][1]["material"] = 1;
  const TriangleMesh two = read(file).mesh;
  ASSERT_TRUE(two.texture);
  EXPECT_EQ(colour_of(two, 0), kRed);
  EXPECT_EQ(colour_of(two, 1), (Colour{255, 255, 255}));
  file["meshes"][0]["primitives"][0]["material"] = 1;  // white is no colour
  EXPECT_TRUE(read(file).mesh.colours.empty());
}

TEST_F(MeshMaterials, APictureOfAnUnknownKindIsANote) {
  nlohmann::json file = gltf({{"material", 0}}, {{"material", 0}});
  file["materials"] = {surface({{"baseColorTexture", {{"index", 1}}}})};
  const NotedMesh found = read(file);
  EXPECT_FALSE(found.mesh.texture);
  ASSERT_EQ(found.notes.size(), 1U);
  EXPECT_HOLDS(found.notes[0], "a picture is not used: image 1");
}

TEST_F(MeshMaterials, ObjHasColoursOfMaterialsWithoutPictures) {
  folder.write("a.mtl", "newmtl red\nkd 0.8 0.1 0.1\nnewmtl blue\nKD 0.1 0.1 0.8\n");
  const std::string square = "mtllib a.mtl\nv 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nusemtl red\nf 1 2 3\n";
  const TriangleMesh two = read_mesh(folder.write("a.obj", square + "usemtl blue\nf 1 3 4\n"));
  EXPECT_EQ(colour_of(two, 0), (Colour{204, 26, 26}));
  EXPECT_EQ(colour_of(two, 1), (Colour{26, 26, 204}));
  const TriangleMesh one = read_mesh(folder.write("a.obj", square + "f 1 3 4\n"));
  EXPECT_EQ(one.colours, std::vector<Colour>(4, Colour{204, 26, 26}));
}

TEST_F(MeshMaterials, ObjNamesItsPicturesInAnyCase) {
  folder.write("a.mtl", "NewMtl m\nMAP_KD grey.png\n");
  EXPECT_EQ(colour_of(read_mesh(folder.write("a.obj",
                                             "mtllib a.mtl\nusemtl m\nv 0 0 0\nv 1 0 0\nv 1 1 0\nvt 0.5 0.5\n"
                                             "f 1/1 2/1 3/1\n")),
                      0),
            (Colour{230, 230, 230}));
}

/// MeshLab, OpenMVS and Metashape write places of the faces' corners, Blender those of vertices.
TEST_F(MeshMaterials, PlyHasPicturesBesideIt) {
  const auto ply = [&](const std::string& of_vertices, const std::string& of_faces, const std::string& rows) {
    return read_noted_mesh(
        folder.write("a.ply",
                     "ply\nformat ascii 1.0\ncomment TextureFile D:\\scans\\grey.png\ncomment TextureFile red.png\n"
                     "element vertex 4\nproperty float x\nproperty float y\nproperty float z\n" +
                         of_vertices + "element face 1\nproperty list uchar int vertex_indices\n" + of_faces +
                         "end_header\n" + rows));
  };
  const NotedMesh wedges = ply("", "property list uchar float texcoord\nproperty int texnumber\n",
                               "0 0 0\n1 0 0\n1 1 0\n0 1 0\n4 0 1 2 3 8 .2 .3 .8 .2 .8 .8 .2 .8 1\n");
  ASSERT_TRUE(wedges.mesh.texture);
  EXPECT_EQ(wedges.mesh.texture->corners.size(), 2U);
  EXPECT_EQ(colour_of(wedges.mesh, 1), (Colour{204, 26, 26}));
  for (const char* names : {"s t", "u v", "texture_u texture_v"}) {
    const std::string both = names;
    const std::size_t blank = both.find(' ');
    const NotedMesh found =
        ply("property float " + both.substr(0, blank) + "\nproperty float " + both.substr(blank + 1) + "\n", "",
            "0 0 0 .2 .3\n1 0 0 .8 .2\n1 1 0 .8 .8\n0 1 0 .2 .8\n4 0 1 2 3\n");
    ASSERT_TRUE(found.mesh.texture) << names;
    EXPECT_EQ(colour_of(found.mesh, 0), (Colour{230, 230, 230}));
    EXPECT_LT((found.mesh.texture->corners[0][0] - Eigen::Vector2f(0.2F, 0.7F)).norm(), 1e-6F) << names;
  }
  std::filesystem::remove(folder.path() / "grey.png");
  const NotedMesh lost =
      ply("property float s\nproperty float t\n", "", "0 0 0 0 0\n1 0 0 0 0\n1 1 0 0 0\n0 1 0 0 0\n3 0 1 2\n");
  EXPECT_FALSE(lost.mesh.texture);
  EXPECT_HOLDS(lost.notes.at(0), "a picture is not used: ");
}

TEST_F(MeshMaterials, FacesHaveColours) {
  const TriangleMesh ply = read_mesh(folder.write(
      "a.ply",
      "ply\nformat ascii 1.0\nelement vertex 4\nproperty float x\nproperty float y\nproperty float z\nelement face 2\n"
      "property list uchar int vertex_indices\nproperty uchar red\nproperty uchar green\nproperty uchar blue\n"
      "end_header\n0 0 0\n1 0 0\n1 1 0\n0 1 0\n3 0 1 2 9 8 7\n3 0 2 3 1 2 3\n"));
  EXPECT_EQ(colour_of(ply, 0), (Colour{9, 8, 7}));
  EXPECT_EQ(colour_of(ply, 1), (Colour{1, 2, 3}));
  const TriangleMesh off = read_mesh(
      folder.write("a.off", "OFF\n4 3 0\n0 0 0\n1 0 0\n1 1 0\n0 1 0\n3 0 1 2 255 0 0\n3 0 2 3 0 255 0 255\n3 0 1 3\n"));
  EXPECT_EQ(colour_of(off, 0), (Colour{255, 0, 0}));
  EXPECT_EQ(colour_of(off, 1), (Colour{0, 255, 0}));
  EXPECT_EQ(colour_of(off, 2), (Colour{200, 200, 200}));
}

}  // namespace
}  // namespace p2mpp
