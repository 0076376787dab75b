#include "refinement/photo_gradient.h"

#include <gtest/gtest.h>

#include "fit/fit_surface.h"
#include "refinement/pitted_ball.h"

namespace p2mpp {
namespace {

/// What two neighbouring photographs say about a mesh.
VertexAgreement compared(const testing::BallPhotographs& photographs, const TriangleMesh& mesh) {
  const FitSurface surface(mesh.vertices.size(), mesh.triangles);
  const std::vector<Eigen::Vector3f> normals = vertex_normals(surface, mesh.vertices);
  const ReducedView one = reduced(MaskView(photographs.mask(0)), 1), other = reduced(MaskView(photographs.mask(1)), 1);
  const SurfaceRaster in_one = rasterise(mesh.vertices, mesh.triangles, one.camera, one.size);
  const SurfaceRaster in_other = rasterise(mesh.vertices, mesh.triangles, other.camera, other.size);
  VertexAgreement found(mesh.vertices.size());
  compare_views({normals, mesh.triangles}, {&one, &in_one}, {&other, &in_other}, 0.003F, found);
  return found;
}

/// The pit at a vertex, if it is one that both photographs see well.
double pit_at(const Eigen::Vector3f& vertex) {
  const Eigen::Vector3d direction = vertex.cast<double>().normalized();
  return testing::kBallRadius - testing::pitted_radius(direction);
}

TEST(PhotoGradientTest, PointsFromTheBallIntoItsPits) {
  const testing::BallPhotographs photographs(16);
  const TriangleMesh mesh = testing::plain_ball();
  const VertexAgreement found = compared(photographs, mesh);
  std::size_t deep = 0, inward = 0;
  for (std::size_t i = 0; i < mesh.vertices.size(); ++i) {
    if (found.pixels(i) < 1 || found.curvature(i) <= 0 || pit_at(mesh.vertices[i]) < 0.5 * testing::kPit) continue;
    ++deep;
    const float way = found.slope(i) / found.curvature(i);
    inward += way < 0 && way > -2 * static_cast<float>(testing::kPit) ? 1 : 0;
  }
  ASSERT_GT(deep, 100U);
  EXPECT_GT(static_cast<double>(inward), 0.85 * static_cast<double>(deep));
}

TEST(PhotoGradientTest, TheTrueSurfaceAgreesAndStays) {
  const testing::BallPhotographs photographs(16);
  TriangleMesh truth = testing::plain_ball();
  for (Eigen::Vector3f& vertex : truth.vertices) {
    vertex *= static_cast<float>(testing::pitted_radius(vertex.cast<double>().normalized())) / vertex.norm();
  }
  const VertexAgreement found = compared(photographs, truth), of_ball = compared(photographs, testing::plain_ball());
  EXPECT_GT(found.mean(), 0.97);
  EXPECT_LT(of_ball.mean(), found.mean() - 0.02);
  double sum = 0, weights = 0;
  for (std::size_t i = 0; i < truth.vertices.size(); ++i) {
    sum += std::fabs(static_cast<double>(found.slope(i)));
    weights += static_cast<double>(found.curvature(i));
  }
  EXPECT_LT(sum / weights, 0.1 * testing::kPit);
}

}  // namespace
}  // namespace p2mpp
