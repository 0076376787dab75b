#include <cmath>

#include "finish/certificate.h"
#include "finish/solids.h"
#include "results/prediction_files.h"
#include "support/ray_tracer.h"

namespace p2mpp {
namespace {

TEST(LevelFilesTest, KeepWithinTheirSize) {
  P2MPP_NEEDS_RAY_TRACER();
  TriangleMesh full = testing::icosphere(6);
  for (const Eigen::Vector3f& at : full.vertices) {
    const auto channel = [](float value) {
      return static_cast<std::uint8_t>(std::lround(127 + 100 * std::sin(9 * value)));
    };
    full.colours.push_back({channel(at.x()), channel(at.y()), channel(at.z())});
  }
  const auto bytes = [&](std::size_t faces, std::optional<std::size_t> most) {
    const LevelFiles made =
        level_files(full, faces, MeshFormat::kGlb, {.picture = PictureFormat::kJpeg}, "x.glb", most, 2);
    EXPECT_TRUE(certify(made.mesh).sound());
    return made.files.front().bytes.size();
  };
  const std::size_t all = bytes(full.triangles.size(), {});
  EXPECT_LE(bytes(full.triangles.size(), all / 2), all / 2);
  EXPECT_LE(bytes(full.triangles.size(), all / 20), all / 20);
  EXPECT_EQ(bytes(2000, all), bytes(2000, {}));
}

}  // namespace
}  // namespace p2mpp
