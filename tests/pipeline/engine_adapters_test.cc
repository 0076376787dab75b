#include "pipeline/engine_adapters.h"

#include <gtest/gtest.h>

#include "engine/engine_options.h"
#include "engine/random_sample.h"
#include "p2mpp/error.h"

namespace p2mpp {
namespace {

EngineOptions tiny_options() {
  EngineOptions options;
  options.model = std::filesystem::path(P2MPP_TEST_MODELS) / "tiny-clean";
  options.device = "cpu";
  options.threads = 1;
  return options;
}

TEST(ReconstructorOf, GivesTheEnginesMesh) {
  Engine engine(tiny_options());
  const Reconstructor reconstructor = reconstructor_of(engine);
  const std::vector<Sample> samples = {random_sample(1, 3)};
  reconstructor.submit(samples);
  const std::vector<Outcome> outcomes = reconstructor.collect();
  ASSERT_EQ(outcomes.size(), 1U);
  EXPECT_EQ(outcomes[0].problem, "");
  const TriangleMesh mesh = reconstructor.mesh(samples[0], outcomes[0].reconstruction, Frame::kCamera0);
  EXPECT_EQ(mesh.vertices, engine.reconstruct(samples)[0].reconstruction.vertices());
  EXPECT_TRUE(check_mesh(mesh).ok());
}

}  // namespace
}  // namespace p2mpp
