#include "finish/certificate.h"

#include <limits>

#include "finish/solids.h"
#include "p2mpp/error.h"
#include "support/messages.h"

namespace p2mpp {
namespace {

using testing::box;
using testing::join;
using testing::turned_over;

TriangleMesh moved_by(TriangleMesh mesh, const Eigen::Vector3f& way) {
  for (Eigen::Vector3f& vertex : mesh.vertices) vertex += way;
  return mesh;
}

TEST(Certificate, MeasuresABox) {
  const MeshCertificate found = certify(box({0, 0, 0}, {4, 3, 2}, 3));
  EXPECT_TRUE(found.sound()) << found.problem();
  EXPECT_EQ(found.faces, 108U);
  EXPECT_EQ(found.bodies, 1U);
  EXPECT_EQ(found.voids, 0U);
  EXPECT_NEAR(found.volume.value(), 24, 1e-5);
  EXPECT_NEAR(found.area, 52, 1e-5);
  EXPECT_EQ(found.size, Eigen::Vector3d(4, 3, 2));
  if (!RayScene::tracer().empty()) {
    EXPECT_NEAR(found.wall.value().thickness, 2, 1e-4);
  }
}

TEST(Certificate, FindsWhatIsOpen) {
  TriangleMesh mesh = box({0, 0, 0}, {1, 1, 1});
  mesh.triangles.pop_back();
  const MeshCertificate found = certify(mesh);
  EXPECT_FALSE(found.closed());
  EXPECT_TRUE(found.manifold() && found.oriented());
  EXPECT_EQ(found.open_edges, 3U);
  EXPECT_FALSE(found.volume || found.wall);
  EXPECT_HOLDS(found.problem(), "3 edges with one face; expected a closed surface");
}

TEST(Certificate, VerticesOfOnePlaceAreOne) {
  const TriangleMesh mesh = box({0, 0, 0}, {1, 1, 1}, 2);
  const MeshCertificate found = certify(testing::torn(mesh));
  EXPECT_TRUE(found.sound()) << found.problem();
  EXPECT_EQ(found.vertices, mesh.vertices.size());
}

TEST(Certificate, FindsWhatIsNotManifold) {
  const MeshCertificate edge = certify(join(box({0, 0, 0}, {1, 1, 1}), box({1, 1, 0}, {2, 2, 1})));
  EXPECT_EQ(edge.crowded_edges, 1U) << "two boxes share an edge";
  EXPECT_FALSE(edge.manifold());
  const MeshCertificate corner = certify(join(box({0, 0, 0}, {1, 1, 1}), box({1, 1, 1}, {2, 2, 2})));
  EXPECT_EQ(corner.crowded_edges, 0U);
  EXPECT_EQ(corner.crowded_vertices, 1U) << "two boxes share a corner";
  EXPECT_HOLDS(corner.problem(), "1 vertices where surfaces touch");
}

TEST(Certificate, FindsWindings) {
  const TriangleMesh cube = box({0, 0, 0}, {1, 1, 1});
  TriangleMesh mixed = cube;
  std::swap(mixed.triangles[5][0], mixed.triangles[5][1]);
  EXPECT_EQ(certify(mixed).turned_edges, 3U);
  const MeshCertificate inside_out = certify(turned_over(cube));
  EXPECT_FALSE(inside_out.oriented());
  EXPECT_HOLDS(inside_out.problem(), "1 bodies that are inside out");
  const TriangleMesh other = moved_by(cube, {3, 0, 0});
  EXPECT_EQ(certify(join(cube, turned_over(other))).inverted, 1U);
}

TEST(Certificate, CountsBodiesAndVoids) {
  const TriangleMesh shell = join(box({0, 0, 0}, {4, 4, 4}), turned_over(box({1, 1, 1}, {3, 3, 3})));
  const MeshCertificate hollow = certify(shell);
  EXPECT_TRUE(hollow.sound()) << hollow.problem();
  EXPECT_EQ(hollow.bodies, 1U);
  EXPECT_EQ(hollow.voids, 1U);
  EXPECT_NEAR(hollow.volume.value(), 64 - 8, 1e-4);
  if (!RayScene::tracer().empty()) {
    EXPECT_NEAR(hollow.wall.value().thickness, 1, 1e-4);
  }
  const TriangleMesh in_void = box({1.75F, 1.75F, 1.75F}, {2.25F, 2.25F, 2.25F});
  EXPECT_EQ(certify(join(shell, in_void)).bodies, 2U);
  EXPECT_EQ(certify(join(box({0, 0, 0}, {4, 4, 4}), in_void)).buried, 1U);
}

TEST(Certificate, FindsIntersectionsAndFacesWithoutArea) {
  const MeshCertificate crossing = certify(join(box({0, 0, 0}, {2, 2, 2}), box({1, 1, 1}, {3, 3, 3})));
  EXPECT_GT(crossing.intersecting_faces, 0U);
  EXPECT_FALSE(crossing.sound());
  TriangleMesh flat = box({0, 0, 0}, {1, 1, 1});
  flat.vertices.insert(flat.vertices.end(), {{5, 0, 0}, {6, 0, 0}, {7, 0, 0}});
  flat.triangles.push_back({8, 9, 10});
  flat.triangles.push_back({0, 0, 1});
  EXPECT_EQ(certify(flat).degenerate_faces, 2U);
}

TEST(Certificate, RefusesWhatIsNoMesh) {
  EXPECT_REFUSED(certify({{{0, 0, 0}}, {}}), "0 triangles");
  EXPECT_REFUSED(certify({{{0, 0, 0}, {1, 0, 0}, {0, std::numeric_limits<float>::quiet_NaN(), 0}}, {{0, 1, 2}}}),
                 "not finite");
  EXPECT_REFUSED(certify({{{0, 0, 0}, {1, 0, 0}}, {{0, 1, 2}}}), "a vertex that does not exist");
}

}  // namespace
}  // namespace p2mpp
