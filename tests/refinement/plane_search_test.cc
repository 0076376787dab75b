#include "refinement/plane_search.h"

#include <gtest/gtest.h>

#include <random>

#include "base/numbers/median.h"
#include "fit/fit_surface.h"
#include "refinement/depth_agreement.h"
#include "refinement/pitted_ball.h"

namespace p2mpp {
namespace {

/// Neighbouring photographs of the ball without pits, and the planes that each finds with the others.
class MatchedBall {
 public:
  explicit MatchedBall(testing::Noise noise) : mesh_(testing::plain_ball()) {
    const testing::BallPhotographs photographs(16, noise);
    normals_ = vertex_normals(FitSurface(mesh_.vertices.size(), mesh_.triangles), mesh_.vertices);
    for (const std::size_t i : {0, 1, 2, 15, 14}) {
      views_.push_back(reduced(MaskView(photographs.mask(i)), 1));
      rasters_.push_back(rasterise(mesh_.vertices, mesh_.triangles, views_.back().camera, views_.back().size));
    }
    for (std::size_t i = 0; i < views_.size(); ++i) seen_.push_back({&views_[i], &rasters_[i]});
    for (std::size_t i = 0; i < views_.size(); ++i) {
      std::vector<SeenView> others = seen_;
      others.erase(others.begin() + static_cast<std::ptrdiff_t>(i));
      maps_.push_back(find_planes({normals_, mesh_.triangles}, seen_[i], others, kReach));
    }
  }

  /// Distances from the truth of what the first view sees: of the mesh, and of the planes where they are certain.
  [[nodiscard]] std::pair<std::vector<double>, std::vector<double>> errors() const {
    std::pair<std::vector<double>, std::vector<double>> found;
    const ReducedView& view = views_.front();
    for (std::size_t i = 0; i < view.brightness.size(); ++i) {
      if (!(maps_.front().costs[i] < 0.2F)) continue;
      const Eigen::Vector2f centre = pixel_centre<float>(i, static_cast<std::size_t>(view.size));
      const Eigen::Vector3f at(centre.x(), centre.y(), 1);
      const Eigen::Vector3f ray = view.camera.ray(at.x(), at.y());
      const auto truth = testing::pitted_ball(view.camera.centre.cast<double>(), ray.cast<double>().normalized());
      if (!truth) continue;
      const auto error = [&](float nearness) {
        const Eigen::Vector3f place = view.camera.centre + ray / nearness;
        return (place.cast<double>() - *truth).norm();
      };
      found.first.push_back(error(rasters_.front().nearness[i]));
      found.second.push_back(error(maps_.front().planes[i].dot(at)));
    }
    return found;
  }

  /// What all five say about the vertices.
  [[nodiscard]] VertexAgreement confirmed() const {
    VertexAgreement sum(mesh_.vertices.size());
    for (std::size_t i = 0; i < views_.size(); ++i) {
      std::vector<std::size_t> others;
      for (std::size_t k = 0; k < views_.size(); ++k) {
        if (k != i) others.push_back(k);
      }
      add_confirmed_depths({normals_, mesh_.triangles}, seen_, maps_, i, others, kReach, sum);
    }
    return sum;
  }
  [[nodiscard]] const Points& vertices() const { return mesh_.vertices; }

 private:
  static constexpr float kReach = 0.008F;
  TriangleMesh mesh_;
  std::vector<Eigen::Vector3f> normals_;
  std::vector<ReducedView> views_;
  std::vector<SurfaceRaster> rasters_;
  std::vector<SeenView> seen_;
  std::vector<PlaneMap> maps_;
};

/// Of a pattern that is painted on the ball.
const MatchedBall& patterned_ball() {
  static const MatchedBall ball(testing::Noise::kNone);
  return ball;
}

TEST(PlaneSearchTest, APlaneGivesDepthsOfItsPixelsAndItsNormal) {
  std::mt19937 random(3);
  std::uniform_real_distribution<float> uniform(-1, 1);
  Pinhole<float> camera;
  camera.focal = {300, 310};
  camera.principal_point = {120, 130};
  for (int i = 0; i < 100; ++i) {
    const Eigen::Vector3f place(uniform(random), uniform(random), 4 + uniform(random));
    const Eigen::Vector3f normal = Eigen::Vector3f(uniform(random), uniform(random), -1.5F).normalized();
    const Eigen::Vector3f plane = plane_through(camera, place, normal);
    const Eigen::Vector3f across = normal.unitOrthogonal(), other = place + 0.5F * uniform(random) * across;
    const Eigen::Vector2f pixel = camera.pixel_of(other);
    EXPECT_NEAR(plane.dot(Eigen::Vector3f(pixel.x(), pixel.y(), 1)) * other.z(), 1, 1e-4F);
    EXPECT_NEAR(plane_normal(camera, plane).normalized().dot(normal), -1, 1e-4F);
  }
}

TEST(PlaneSearchTest, FindsPitsThatTheMeshDoesNotHave) {
  const auto [of_mesh, of_planes] = patterned_ball().errors();
  ASSERT_GT(of_mesh.size(), 2000U);
  EXPECT_LT(upper_median(of_planes), 0.4 * upper_median(of_mesh));
}

TEST(PlaneSearchTest, SeveralViewsMoveVerticesIntoThePits) {
  const MatchedBall& ball = patterned_ball();
  const VertexAgreement found = ball.confirmed();
  std::vector<double> before, after;
  for (std::size_t i = 0; i < ball.vertices().size(); ++i) {
    if (!(found.curvature(i) > 1)) continue;
    const Eigen::Vector3d vertex = ball.vertices()[i].cast<double>();
    const double error = vertex.norm() - testing::pitted_radius(vertex.normalized());
    if (error < 0.5 * testing::kPit) continue;
    before.push_back(error);
    after.push_back(std::abs(error + static_cast<double>(found.slope(i) / found.curvature(i))));
  }
  ASSERT_GT(before.size(), 100U);
  EXPECT_LT(upper_median(after), 0.25 * upper_median(before));
}

TEST(PlaneSearchTest, ReflectionsConfirmNothing) {
  const MatchedBall ball(testing::Noise::kReflections);
  const VertexAgreement found = ball.confirmed();
  std::size_t confirmed = 0;
  for (std::size_t i = 0; i < ball.vertices().size(); ++i) confirmed += found.curvature(i) > 1 ? 1 : 0;
  EXPECT_EQ(confirmed, 0U);
}

}  // namespace
}  // namespace p2mpp
