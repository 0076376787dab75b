#include <atomic>
#include <functional>
#include <random>

#include "base/thread_scopes.h"
#include "capture/drawn_capture_folder.h"
#include "capture/sample_from_capture.h"
#include "check/sample_silhouettes.h"
#include "fit/self_intersections.h"
#include "p2mpp/fit.h"
#include "p2mpp/metrics.h"
#include "p2mpp/texture.h"
#include "support/drawn_masks.h"
#include "support/growth.h"
#include "support/ray_tracer.h"
#include "support/test_meshes.h"
#include "texture/painted_ball.h"

namespace p2mpp {
namespace {

/// Runs work that is given up at the n-th question, for n = 1, 2, 4, ..., until it is asked less often. It ends soon
/// each time, and is asked in total at least `least` times.
void expect_to_end(std::size_t least, const std::function<void()>& work) {
  std::atomic<std::size_t> asked = 0;
  for (std::size_t n = 1;; n *= 2) {
    asked = 0;
    std::atomic<double> ended = 0;
    const StopQuestion question = [&] {
      if (++asked < n) return false;
      double never = 0;
      ended.compare_exchange_strong(never, processor_seconds());
      return true;
    };
    const StopScope scope(&question);
    try {
      work();
      break;
    } catch (const Stopped&) {
      EXPECT_LT(processor_seconds() - ended, 0.2) << n;
    }
  }
  EXPECT_GE(asked, least);
}

Points random_points(std::size_t count) {
  std::mt19937 draw(1);
  std::uniform_real_distribution<float> place(-1, 1);
  Points points;
  for (std::size_t i = 0; i < count; ++i) points.emplace_back(place(draw), place(draw), place(draw));
  return points;
}

class StoppedLoopsTest : public DrawnCaptureFolder {
 protected:
  StoppedLoopsTest() : DrawnCaptureFolder(8, 5, "") {}
};

// As predict, import, check, refine and texture read it.
TEST_F(StoppedLoopsTest, AreThoseThatReadACapture) {
  SampleRequest request;
  request.fit = {FitViews::Kind::kAll};
  request.threads = 2;
  expect_to_end(50, [&] { static_cast<void>(sample_from_capture(drawn.capture, "chair", request)); });
}

TEST_F(StoppedLoopsTest, AreThoseThatCheckIt) {
  const Sample sample = sample_from_capture(drawn.capture, "chair", {}).sample;
  std::vector<Camera> cameras;
  for (const View& view : sample.views) cameras.push_back(view.camera);
  expect_to_end(4, [&] { static_cast<void>(silhouette_disagreement(sample, cameras)); });
}

TEST_F(StoppedLoopsTest, AreThoseThatRefineALargeMesh) {
  const TriangleMesh mesh = testing::scaled(testing::icosphere(4), 0.17F);  // 2,562 vertices
  std::vector<FitMask> masks = testing::box_masks(Eigen::Vector3d::Constant(0.13), 9);
  for (FitMask& mask : masks) {  // a pattern, which is matched
    for (std::size_t i = 0; i < mask.coverage.size(); ++i) mask.brightness.push_back(static_cast<std::uint8_t>(i * 37));
  }
  expect_to_end(50, [&] { static_cast<void>(fit_to_masks(mesh, masks, {.steps = 6, .guarded = true, .threads = 2})); });
}

TEST_F(StoppedLoopsTest, AreThoseThatDrawATexture) {
  P2MPP_NEEDS_RAY_TRACER();
  const BallPhotographs photographs(around(6), 96);
  const TriangleMesh mesh = ball_mesh(4);
  expect_to_end(20, [&] { static_cast<void>(texture_mesh(mesh, photographs, {.size = 256, .threads = 2})); });
}

TEST_F(StoppedLoopsTest, AreThoseOfMetrics) {
  const PointCloud one{random_points(100'000), {}}, other{testing::icosphere(6).vertices, {}};
  expect_to_end(30, [&] { static_cast<void>(compare_shapes(one, other)); });
}

TEST_F(StoppedLoopsTest, AreThoseThatSearchForIntersections) {
  const TriangleMesh mesh = testing::icosphere(6);  // 81,920 faces
  expect_to_end(50, [&] { static_cast<void>(find_self_intersections(mesh.vertices, mesh.triangles)); });
}

}  // namespace
}  // namespace p2mpp
