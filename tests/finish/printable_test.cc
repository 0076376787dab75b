#include "finish/printable.h"

#include <Eigen/Geometry>
#include <cmath>

#include "finish/certificate.h"
#include "finish/plane_cut.h"
#include "finish/solid_parts.h"
#include "finish/solids.h"
#include "finish/wall_thickness.h"
#include "p2mpp/error.h"
#include "p2mpp/mesh_texture.h"
#include "support/messages.h"
#include "support/ray_tracer.h"

namespace p2mpp {
namespace {

using testing::box;
using testing::icosphere;
using testing::join;
using testing::scaled;
using testing::torus;
using testing::turned_over;

/// Area of the faces on the ground.
double ground_area(const TriangleMesh& mesh) {
  double sum = 0;
  for (const Triangle& triangle : mesh.triangles) {
    std::array<Eigen::Vector3d, 3> at;
    for (std::size_t i = 0; i < 3; ++i) at[i] = mesh.vertices[static_cast<std::size_t>(triangle[i])].cast<double>();
    if (at[0].z() == 0 && at[1].z() == 0 && at[2].z() == 0) sum += (at[1] - at[0]).cross(at[2] - at[0]).norm() / 2;
  }
  return sum;
}

TEST(FlatBase, ASphereStandsOnADisc) {
  const TriangleMesh sphere = scaled(icosphere(4), 10);
  const FlatBase found = with_flat_base(sphere, 2.0);
  const MeshCertificate certificate = certify(found.mesh);
  EXPECT_TRUE(certificate.sound()) << certificate.problem();
  EXPECT_NEAR(found.cut, 2, 1e-5);
  EXPECT_NEAR(certificate.size.z(), 18, 0.01);
  const double disc = std::numbers::pi * (100 - 64);  // a circle at 8 from the middle
  EXPECT_NEAR(found.area, disc, 0.02 * disc);
  EXPECT_NEAR(ground_area(found.mesh), found.area, 1e-3 * disc);
  const double cap = std::numbers::pi * 4 * (30 - 2) / 3;
  EXPECT_NEAR(certificate.volume.value(), certify(sphere).volume.value() - cap, 0.02 * cap);
}

TEST(FlatBase, FindsItsDepth) {
  const FlatBase sphere = with_flat_base(scaled(icosphere(4), 10), {});
  EXPECT_GT(sphere.cut, 0.4);
  EXPECT_LE(sphere.cut, 0.04 * 20 + 0.1);
  const FlatBase cube = with_flat_base(box({1, 2, 3}, {3, 6, 9}, 4), {});
  EXPECT_EQ(cube.cut, 0);
  EXPECT_NEAR(cube.area, 8, 1e-4);
  EXPECT_NEAR(ground_area(cube.mesh), 8, 1e-4);
  EXPECT_TRUE(certify(cube.mesh).sound()) << certify(cube.mesh).problem();
  EXPECT_NEAR(certify(cube.mesh).volume.value(), 48, 1e-3);
}

TEST(FlatBase, ARoughUndersideBecomesFlat) {
  TriangleMesh block = box({0, 0, 0}, {20, 20, 10}, 8);
  for (Eigen::Vector3f& vertex : block.vertices) {
    if (vertex.z() == 0) vertex.z() = 0.5F + 0.5F * std::sin(2 * vertex.x()) * std::cos(3 * vertex.y());
  }
  const FlatBase found = with_flat_base(block, {});
  EXPECT_GT(found.cut, 0.4);
  EXPECT_LE(found.cut, 1.2);
  EXPECT_GT(found.area, 0.75 * 400);
  EXPECT_TRUE(certify(found.mesh).sound()) << certify(found.mesh).problem();
}

TEST(FlatBase, OutlinesHaveHolesAndParts) {
  // Lying, the section is a ring; standing, below the hole it is one ellipse; in the middle, two discs.
  const TriangleMesh lying = torus(24, 12);
  for (const int up : {0, 1, 2}) {
    TriangleMesh turned = lying;
    for (Eigen::Vector3f& vertex : turned.vertices) std::swap(vertex[up], vertex[2]);
    if (up != 2) turned = turned_over(turned);
    const double height = certify(turned).size.z();
    for (const double share : {0.05, 0.5, 0.71}) {
      const FlatBase found = with_flat_base(turned, share * height);
      const MeshCertificate certificate = certify(found.mesh);
      EXPECT_TRUE(certificate.sound()) << up << ' ' << share << ' ' << certificate.problem();
      EXPECT_NEAR(ground_area(found.mesh), found.area, 1e-3 * found.area);
    }
  }
}

TEST(FlatBase, TextureAndColoursAreCutWithIt) {
  TriangleMesh mesh = icosphere(3);
  auto texture = std::make_shared<MeshTexture>();
  texture->image = {1, 1, {1, 2, 3, 255}};
  for (const Triangle& triangle : mesh.triangles) {
    auto& corners = texture->corners.emplace_back();
    for (std::size_t i = 0; i < 3; ++i) {
      const Eigen::Vector3f& at = mesh.vertices[static_cast<std::size_t>(triangle[i])];
      corners[i] = {at.x(), at.z() + 1};  // linear in space, so that it can be compared after the cut
    }
  }
  mesh.texture = texture;
  for (const Eigen::Vector3f& at : mesh.vertices) {
    mesh.colours.push_back({static_cast<std::uint8_t>(std::lround(127 + 100 * at.x())), 0, 0});
  }
  const FlatBase found = with_flat_base(mesh, 0.3);
  ASSERT_TRUE(found.mesh.texture);
  ASSERT_EQ(found.mesh.texture->corners.size(), found.mesh.triangles.size());
  ASSERT_EQ(found.mesh.colours.size(), found.mesh.vertices.size());
  for (std::size_t t = 0; t < found.mesh.triangles.size(); ++t) {
    bool is_base = true;
    for (const std::int32_t v : found.mesh.triangles[t]) {
      is_base = is_base && found.mesh.vertices[static_cast<std::size_t>(v)].z() == 0;
    }
    for (std::size_t i = 0; i < 3 && !is_base; ++i) {
      const Eigen::Vector3f& at = found.mesh.vertices[static_cast<std::size_t>(found.mesh.triangles[t][i])];
      EXPECT_NEAR(found.mesh.texture->corners[t][i].x(), at.x(), 1e-4);
      EXPECT_NEAR(found.mesh.texture->corners[t][i].y(), at.z() + 0.3F, 1e-4);
    }
  }
  for (std::size_t v = 0; v < found.mesh.vertices.size(); ++v) {
    EXPECT_NEAR(found.mesh.colours[v][0], 127 + 100 * found.mesh.vertices[v].x(), 1.5);
  }
}

TEST(FlatBase, RefusesACutOfAll) {
  EXPECT_REFUSED(with_flat_base(icosphere(1), 5.0), "expected more than the 5 that the base cuts off");
}

using ThickWalls = RayTracerTest;

TEST_F(ThickWalls, APlateGrowsToTheWall) {
  for (const int parts : {1, 8}) {
    TriangleMesh plate = box({-20, -0.3F, 5}, {20, 0.3F, 25}, parts);
    const TriangleMesh thick = with_thick_walls(plate, 1.2);
    const MeshCertificate found = certify(thick);
    EXPECT_TRUE(found.sound()) << found.problem();
    EXPECT_NEAR(found.size.y(), 1.2, 0.02) << parts;
    EXPECT_NEAR(found.size.x(), 40, 0.05) << parts;
    EXPECT_NEAR(found.wall.value().thickness, 1.2, 0.02);
  }
}

TEST_F(ThickWalls, AShellKeepsItsShapeElsewhere) {
  // A thin wing on a block: only the wing grows.
  const TriangleMesh sphere = scaled(icosphere(4), 10);
  EXPECT_EQ(with_thick_walls(sphere, 1.2).vertices, sphere.vertices);
  const TriangleMesh disc = scaled(icosphere(4), {10, 10, 0.3F});
  const TriangleMesh thick = with_thick_walls(disc, 1.2);
  EXPECT_TRUE(certify(thick).sound()) << certify(thick).problem();
  EXPECT_NEAR(certify(thick).size.z(), 1.2, 0.05);
  EXPECT_NEAR(certify(thick).size.x(), 20, 1.3);
}

TEST_F(ThickWalls, WallsThatAreCloseDoNotMeet) {
  const TriangleMesh plates = join(box({0, 0, 0}, {10, 0.4F, 10}, 4), box({0, 0.6F, 0}, {10, 1, 10}, 4));
  const TriangleMesh thick = with_thick_walls(plates, 1.2);
  EXPECT_TRUE(certify(thick).sound()) << certify(thick).problem();
  EXPECT_EQ(certify(thick).bodies, 2U);
}

TEST(Printable, FillsHollowsAndStandsOnTheGround) {
  const TriangleMesh shell = join(join(box({0, 0, 7}, {4, 4, 11}, 2), turned_over(box({1, 1, 8}, {3, 3, 10}))),
                                  box({1.75F, 1.75F, 8.75F}, {2.25F, 2.25F, 9.25F}));
  const PrintableMesh filled = make_printable(shell, {});
  const MeshCertificate found = certify(filled.mesh);
  EXPECT_TRUE(found.sound()) << found.problem();
  EXPECT_EQ(filled.filled_voids, 1U);
  EXPECT_EQ(found.bodies, 1U);
  EXPECT_EQ(found.voids + found.buried, 0U);
  EXPECT_NEAR(found.volume.value(), 64, 1e-3);
  float lowest = 1;
  for (const Eigen::Vector3f& vertex : filled.mesh.vertices) lowest = std::min(lowest, vertex.z());
  EXPECT_EQ(lowest, 0);
  const PrintableMesh kept = make_printable(shell, {.keep_voids = true});
  EXPECT_EQ(certify(kept.mesh).voids, 1U);
  EXPECT_EQ(certify(kept.mesh).bodies, 2U);
}

TEST(Printable, RefusesWhatIsNoSolid) {
  TriangleMesh open = box({0, 0, 0}, {1, 1, 1});
  open.triangles.pop_back();
  EXPECT_REFUSED(make_printable(open, {}), "3 edges with one face; expected a closed surface");
}

}  // namespace
}  // namespace p2mpp
