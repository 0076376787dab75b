#include "finish/fewer_faces.h"

#include <cmath>

#include "finish/certificate.h"
#include "finish/levels.h"
#include "finish/solids.h"
#include "p2mpp/error.h"
#include "p2mpp/mesh_texture.h"
#include "support/messages.h"

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
  TriangleMesh inner = icosphere(4);
  for (Eigen::Vector3f& vertex : inner.vertices) vertex *= 0.99F;
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
  const TriangleMesh level = level_of_detail(full, 400);
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

TEST(FewerFaces, SmallMeshesStayAndOpenOnesAreRefused) {
  const TriangleMesh cube = box({0, 0, 0}, {1, 1, 1});
  EXPECT_EQ(level_of_detail(cube, 200).vertices, cube.vertices);
  TriangleMesh open = cube;
  open.triangles.pop_back();
  EXPECT_REFUSED(level_of_detail(open, 4), "3 edges with one face");
}

}  // namespace
}  // namespace p2mpp
