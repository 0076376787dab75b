#include "io/mesh/mesh_format.h"

#include <gtest/gtest.h>
#include <tiny_obj_loader.h>

#include <Eigen/Geometry>
#include <bit>
#include <sstream>

#include "base/little_endian.h"
#include "base/temporary_folder.h"
#include "geometry/test_meshes.h"
#include "io/mesh/mesh_file.h"
#include "p2mpp/error.h"

namespace p2mpp {
namespace {

const MeshEncoding kWithNormals{.comment = "a comment", .normals = true};

TriangleMesh sphere() {
  TriangleMesh mesh = testing::icosphere(2);
  for (Eigen::Vector3f& vertex : mesh.vertices) vertex = vertex * 0.3F + Eigen::Vector3f(0.1F, -0.2F, -0.8F);
  return mesh;
}

/// Of the sphere's vertices.
Eigen::Vector3f outward(const Eigen::Vector3f& vertex) {
  return (vertex - Eigen::Vector3f(0.1F, -0.2F, -0.8F)).normalized();
}

TEST(MeshFormat, NamesAreTheExtensions) {
  for (const MeshFormat format : kMeshFormats) EXPECT_EQ(mesh_format(to_string(format)), format);
  EXPECT_THROW(static_cast<void>(mesh_format("fbx")), UsageError);
}

TEST(MeshFormat, ObjWithNormalsIsWhatTinyobjloaderReads) {
  std::istringstream text(encode_mesh(sphere(), MeshFormat::kObj, kWithNormals));
  tinyobj::attrib_t attributes;
  std::vector<tinyobj::shape_t> shapes;
  std::vector<tinyobj::material_t> materials;
  std::string warning, error;
  ASSERT_TRUE(tinyobj::LoadObj(&attributes, &shapes, &materials, &warning, &error, &text)) << error;
  EXPECT_EQ(warning + error, "");
  ASSERT_EQ(attributes.normals.size(), attributes.vertices.size());
  for (std::size_t i = 0; i < attributes.vertices.size(); i += 3) {
    const Eigen::Vector3f vertex(attributes.vertices[i], attributes.vertices[i + 1], attributes.vertices[i + 2]);
    const Eigen::Vector3f normal(attributes.normals[i], attributes.normals[i + 1], attributes.normals[i + 2]);
    EXPECT_GT(normal.dot(outward(vertex)), 0.99F);
  }
  for (const tinyobj::index_t& index : shapes.at(0).mesh.indices) EXPECT_EQ(index.vertex_index, index.normal_index);
}

TEST(MeshFormat, ObjAndPlyComeBackTheSame) {
  const TemporaryFolder folder;
  const TriangleMesh mesh = sphere();
  for (const MeshFormat format : {MeshFormat::kObj, MeshFormat::kPly}) {
    for (const MeshEncoding& encoding : {MeshEncoding{}, kWithNormals}) {
      const std::string name = "mesh." + std::string(to_string(format));
      const TriangleMesh back = read_mesh(folder.write(name, encode_mesh(mesh, format, encoding)));
      EXPECT_EQ(back.vertices, mesh.vertices) << name;
      EXPECT_EQ(back.triangles, mesh.triangles) << name;
      if (format == MeshFormat::kPly) {
        ASSERT_EQ(back.normals.size(), encoding.normals ? mesh.vertices.size() : 0);
        for (std::size_t i = 0; i < back.normals.size(); ++i) {
          EXPECT_GT(back.normals[i].dot(outward(mesh.vertices[i])), 0.99F);
        }
      }
    }
  }
}

TEST(MeshFormat, GlbAndStlComeBack) {
  const TemporaryFolder folder;
  const TriangleMesh mesh = sphere();
  const TriangleMesh glb = read_mesh(folder.write("mesh.glb", encode_mesh(mesh, MeshFormat::kGlb, {})));
  EXPECT_EQ(glb.vertices, mesh.vertices);
  EXPECT_EQ(glb.triangles, mesh.triangles);
  ASSERT_EQ(glb.normals.size(), mesh.vertices.size());
  const TriangleMesh stl = read_mesh(folder.write("mesh.stl", encode_mesh(mesh, MeshFormat::kStl, {})));
  ASSERT_EQ(stl.vertices.size(), mesh.vertices.size());  // corners are joined again
  for (std::size_t t = 0; t < mesh.triangles.size(); ++t) {
    for (std::size_t corner = 0; corner < 3; ++corner) {
      EXPECT_EQ(stl.vertices[static_cast<std::size_t>(stl.triangles.at(t)[corner])],
                mesh.vertices[static_cast<std::size_t>(mesh.triangles[t][corner])]);
    }
  }
}

TEST(MeshFormat, XyzHoldsTheVertices) {
  const TemporaryFolder folder;
  const TriangleMesh mesh = sphere();
  EXPECT_EQ(read_mesh(folder.write("a.xyz", encode_mesh(mesh, MeshFormat::kXyz, {}))).vertices, mesh.vertices);
}

float float_at(std::string_view bytes, std::size_t place) {
  return std::bit_cast<float>(static_cast<std::uint32_t>(little_endian(bytes.substr(place, 4))));
}

Eigen::Vector3f vector_at(std::string_view bytes, std::size_t place) {
  return {float_at(bytes, place), float_at(bytes, place + 4), float_at(bytes, place + 8)};
}

TEST(MeshFormat, StlHoldsEachTrianglesCornersAndNormal) {
  const TriangleMesh mesh = sphere();
  const std::string bytes = encode_mesh(mesh, MeshFormat::kStl, {});
  ASSERT_EQ(bytes.size(), 84 + 50 * mesh.triangles.size());
  EXPECT_FALSE(bytes.starts_with("solid"));
  EXPECT_EQ(little_endian(std::string_view(bytes).substr(80, 4)), mesh.triangles.size());
  for (std::size_t t = 0; t < mesh.triangles.size(); ++t) {
    const std::size_t place = 84 + 50 * t;
    for (std::size_t corner = 0; corner < 3; ++corner) {
      EXPECT_EQ(vector_at(bytes, place + 12 + 12 * corner),
                mesh.vertices[static_cast<std::size_t>(mesh.triangles[t][corner])]);
    }
    const Eigen::Vector3f normal = vector_at(bytes, place), middle = vector_at(bytes, place + 12);
    EXPECT_NEAR(normal.norm(), 1, 1e-5);
    EXPECT_GT(normal.dot(outward(middle)), 0.9F);
  }
}

TEST(MeshFormat, StlOfATriangleWithoutAreaHasNoNormal) {
  const std::string bytes = encode_mesh({{{1, 1, 1}, {1, 1, 1}, {2, 2, 2}}, {{0, 1, 2}}}, MeshFormat::kStl, {});
  EXPECT_EQ(vector_at(bytes, 84), Eigen::Vector3f::Zero());
}

TEST(MeshFormat, CloudsHaveNoGlbAndNoStl) {
  const TriangleMesh cloud{{{1, 2, 3}}, {}};
  EXPECT_REFUSED(encode_mesh(cloud, MeshFormat::kGlb, {}), "without triangles; expected some to be written as glb");
  EXPECT_REFUSED(encode_mesh(cloud, MeshFormat::kStl, {}), "without triangles; expected some to be written as stl");
  EXPECT_FALSE(encode_mesh(cloud, MeshFormat::kPly, kWithNormals).empty());
}

}  // namespace
}  // namespace p2mpp
