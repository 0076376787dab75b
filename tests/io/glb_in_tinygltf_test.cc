// Our GLB files read by another program; built if tinygltf is installed.
#define TINYGLTF_NO_STB_IMAGE_WRITE
#include <gtest/gtest.h>
#include <tiny_gltf.h>

#include "io/mesh/mesh_formats.h"
#include "p2mpp/metrics.h"
#include "support/test_meshes.h"

namespace p2mpp {
namespace {

tinygltf::Model load(const std::string& bytes) {
  tinygltf::TinyGLTF loader;
  tinygltf::Model model;
  std::string error, warning;
  EXPECT_TRUE(loader.LoadBinaryFromMemory(&model, &error, &warning,
                                          reinterpret_cast<const unsigned char*>(bytes.data()),
                                          static_cast<unsigned>(bytes.size())));
  EXPECT_EQ(error + warning, "");
  return model;
}

TriangleMesh sphere(float height) {
  TriangleMesh mesh = testing::icosphere(2);
  for (Eigen::Vector3f& vertex : mesh.vertices) vertex.y() *= height;
  mesh.normals = vertex_cloud(mesh).normals;
  return mesh;
}

TEST(GlbInTinygltf, ReadsTheMesh) {
  const TriangleMesh mesh = sphere(1);
  const tinygltf::Model model = load(format_glb(mesh, "tests"));
  ASSERT_EQ(model.meshes.size(), 1U);
  const tinygltf::Primitive& primitive = model.meshes[0].primitives.at(0);
  EXPECT_EQ(model.accessors.at(static_cast<std::size_t>(primitive.attributes.at("POSITION"))).count, 162U);
  EXPECT_EQ(model.accessors.at(static_cast<std::size_t>(primitive.attributes.at("NORMAL"))).count, 162U);
  EXPECT_EQ(model.accessors.at(static_cast<std::size_t>(primitive.indices)).count, 960U);
  const auto& accessor = model.accessors.at(static_cast<std::size_t>(primitive.attributes.at("POSITION")));
  const auto& view = model.bufferViews.at(static_cast<std::size_t>(accessor.bufferView));
  const unsigned char* data = model.buffers.at(0).data.data() + view.byteOffset;
  EXPECT_EQ(std::memcmp(data, mesh.vertices.data(), 12 * mesh.vertices.size()), 0);
}

TEST(GlbInTinygltf, ReadsTheAnimation) {
  const tinygltf::Model model = load(format_morphing_glb(sphere(1), sphere(2), 2, "tests"));
  EXPECT_EQ(model.meshes.at(0).primitives.at(0).targets.size(), 1U);
  ASSERT_EQ(model.animations.size(), 1U);
  EXPECT_EQ(model.animations[0].channels.at(0).target_path, "weights");
}

}  // namespace
}  // namespace p2mpp
