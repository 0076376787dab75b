#include <array>
#include <cmath>
#include <memory>

#include "colours/uv_seams.h"
#include "finish/certificate.h"
#include "finish/levels.h"
#include "finish/solids.h"
#include "p2mpp/error.h"
#include "p2mpp/mesh_texture.h"
#include "support/messages.h"
#include "support/ray_tracer.h"

namespace p2mpp {
namespace {

using testing::box;
using testing::icosphere;
using testing::join;
using testing::torus;

TEST(FewerFaces, KeepsTheShapeAndItsTopology) {
  const TriangleMesh full = torus(120, 60);
  const MeshCertificate given = certify(full);
  const TriangleMesh reduced = with_fewer_faces(full, full.triangles.size() / 20);
  const MeshCertificate found = certify(reduced);
  EXPECT_TRUE(found.sound()) << found.problem();
  EXPECT_LE(found.faces, full.triangles.size() / 20);
  EXPECT_GT(found.faces, full.triangles.size() / 22);
  EXPECT_EQ(euler_characteristic(reduced), 0);
  EXPECT_NEAR(found.volume.value(), given.volume.value(), 0.01 * given.volume.value());
  EXPECT_NEAR(found.area, given.area, 0.01 * given.area);
  EXPECT_EQ(with_fewer_faces(full, full.triangles.size() / 20).vertices, reduced.vertices) << "deterministic";
}

TEST(FewerFaces, FlatSidesNeedFew) {
  const MeshCertificate found = certify(with_fewer_faces(box({0, 0, 0}, {4, 3, 2}, 12), 12));
  EXPECT_TRUE(found.sound()) << found.problem();
  EXPECT_EQ(found.faces, 12U);
  EXPECT_NEAR(found.volume.value(), 24, 1e-3);
}

TEST(FewerFaces, NearSurfacesDoNotMeet) {
  // Two shells, one in the other, which are nearer than their edges become long.
  const TriangleMesh inner = testing::scaled(icosphere(4), 0.99F);
  const TriangleMesh reduced = with_fewer_faces(join(icosphere(4), testing::turned_over(inner)), 200);
  const MeshCertificate found = certify(reduced);
  EXPECT_TRUE(found.sound()) << found.problem();
  EXPECT_EQ(found.voids, 1U);
}

TEST(FewerFaces, ALevelLooksTheSame) {
  P2MPP_NEEDS_RAY_TRACER();
  TriangleMesh full = icosphere(4);
  for (const Eigen::Vector3f& at : full.vertices) {
    const auto channel = [](float value) { return static_cast<std::uint8_t>(std::lround(127 + 100 * value)); };
    full.colours.push_back({channel(at.x()), channel(at.y()), channel(at.z())});
  }
  const TriangleMesh level = painted_level(level_surface(full, 400), full, {.size = 1024});
  EXPECT_LE(level.triangles.size(), 400U);
  ASSERT_TRUE(level.texture);
  ASSERT_EQ(level.texture->corners.size(), level.triangles.size());
  const Image& image = level.texture->image;
  for (std::size_t t = 0; t < level.triangles.size(); ++t) {
    Eigen::Vector3f middle = Eigen::Vector3f::Zero();
    Eigen::Vector2f uv = Eigen::Vector2f::Zero();
    for (std::size_t i = 0; i < 3; ++i) {
      middle += level.vertices[static_cast<std::size_t>(level.triangles[t][i])] / 3;
      uv += level.texture->corners[t][i] / 3;
    }
    const std::size_t x = static_cast<std::size_t>(uv.x() * static_cast<float>(image.width)),
                      y = static_cast<std::size_t>(uv.y() * static_cast<float>(image.height));
    const std::uint8_t* rgba = &image.rgba[4 * (y * static_cast<std::size_t>(image.width) + x)];
    middle.normalize();  // where the full surface is, along the normal
    for (int i = 0; i < 3; ++i) EXPECT_NEAR(rgba[i], 127 + 100 * middle[i], 4) << t;
  }
}

TEST(FewerFaces, ANormalMapHasTheNormalsOfTheFullSurface) {
  P2MPP_NEEDS_RAY_TRACER();
  TriangleMesh full = icosphere(5);
  full.colours.assign(full.vertices.size(), Colour{200, 100, 50});
  const TriangleMesh level = painted_level(level_surface(full, 80), full, {.size = 512});
  ASSERT_TRUE(level.texture);
  const Image& map = level.texture->normal_map;
  ASSERT_EQ(map.width, 512);
  const SeamedMesh seamed = split_at_seams(level);
  const std::vector<Eigen::Vector4f> tangents = make_tangents(seamed);
  double flat = 0;  // how far the faces' own normals are off, at most
  for (std::size_t t = 0; t < level.triangles.size(); ++t) {
    Eigen::Vector3f place = Eigen::Vector3f::Zero(), normal = place;
    Eigen::Vector4f tangent = Eigen::Vector4f::Zero();
    Eigen::Vector2f uv = Eigen::Vector2f::Zero();
    std::array<Eigen::Vector3f, 3> corners;
    for (std::size_t i = 0; i < 3; ++i) {
      const auto vertex = static_cast<std::size_t>(seamed.mesh.triangles[t][i]);
      const float share = i == 0 ? 0.6F : 0.2F;
      corners[i] = seamed.mesh.vertices[vertex];
      place += share * corners[i];
      normal += share * seamed.mesh.normals[vertex];
      tangent += share * tangents[vertex];
      uv += share * seamed.uvs[vertex];
    }
    const std::size_t x = static_cast<std::size_t>(uv.x() * 512), y = static_cast<std::size_t>(uv.y() * 512);
    const std::uint8_t* coded = &map.rgba[4 * (y * 512 + x)];
    const Eigen::Vector3f in_frame = Eigen::Vector3f(coded[0], coded[1], coded[2]) / 127.5F - Eigen::Vector3f::Ones();
    tangent.head<3>().normalize();
    normal.normalize();
    const Eigen::Vector3f found =
        in_frame.x() * tangent.head<3>() + in_frame.y() * make_bitangent(normal, tangent) + in_frame.z() * normal;
    EXPECT_GT(found.normalized().dot(place.normalized()), 0.999F) << t;
    const Eigen::Vector3f of_face = (corners[1] - corners[0]).cross(corners[2] - corners[0]).normalized();
    flat = std::max(flat, 1 - static_cast<double>(of_face.dot(place.normalized())));
  }
  EXPECT_GT(flat, 0.005);
}

TEST(FewerFaces, TangentsFollowThePicture) {
  TriangleMesh quad;
  quad.vertices = {{0, 0, 0}, {2, 0, 0}, {2, 2, 0}, {0, 2, 0}};
  quad.triangles = {{0, 1, 2}, {0, 2, 3}};
  quad.normals.assign(4, Eigen::Vector3f::UnitZ());
  for (const bool is_mirrored : {false, true}) {
    const float left = is_mirrored ? 1.0F : 0.0F, right = 1 - left;  // the picture's lower side is at y = 0
    auto texture = std::make_shared<MeshTexture>();
    texture->corners = {{{{left, 1}, {right, 1}, {right, 0}}}, {{{left, 1}, {right, 0}, {left, 0}}}};
    quad.texture = texture;
    for (const Eigen::Vector4f& tangent : make_tangents(split_at_seams(quad))) {
      EXPECT_EQ(tangent, Eigen::Vector4f(is_mirrored ? -1 : 1, 0, 0, is_mirrored ? -1 : 1));
      EXPECT_EQ(make_bitangent(Eigen::Vector3f::UnitZ(), tangent), Eigen::Vector3f::UnitY());
    }
  }
}

TEST(FewerFaces, SmallMeshesStayAndOpenOnesAreRefused) {
  const TriangleMesh cube = box({0, 0, 0}, {1, 1, 1});
  EXPECT_EQ(level_surface(cube, 200).vertices, cube.vertices);
  TriangleMesh open = cube;
  open.triangles.pop_back();
  EXPECT_REFUSED(level_surface(open, 4), "3 edges with one face");
}

}  // namespace
}  // namespace p2mpp
