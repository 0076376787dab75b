// The network as plain loops, which p2mpp selftest goes by, against the reference that runs the models' own
// TorchScript.
#include "backends/self_check/plain_network.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "backends/clear_lookups.h"
#include "backends/difference.h"
#include "backends/registry.h"
#include "backends/small_networks.h"

namespace p2mpp {
namespace {

Points as_points(const std::vector<double>& numbers) {
  Points points(numbers.size() / 3);
  std::ranges::copy(numbers, points.front().data());
  return points;
}

Reconstruction computed_plainly(const Model& model, const Sample& sample) {
  const plain::Vertices vertices = plain::run_network(model, sample);
  Reconstruction result;
  std::ranges::transform(vertices.coarse, std::back_inserter(result.coarse), as_points);
  std::ranges::transform(vertices.refined, std::back_inserter(result.refined), as_points);
  return result;
}

TEST(PlainNetwork, IsTheReference) {
  for (const char* semantics : {"tf", "design_b", "clean", "masked", "evidence"}) {
    SCOPED_TRACE(semantics);
    const Model model = small_model(semantics);
    const auto [sample, expected] = draw_clear_sample(*make_backend("torchscript", model, {}), model, 2,
                                                      [&model](unsigned seed) { return drawn_sample(model, seed, 2); });
    expect_agreement(model, sample, computed_plainly(model, sample), expected, semantics);
  }
}

TEST(PlainNetwork, RefinesAnInitialMeshInManyViews) {
  const Model model = small_model("clean");
  Sample sample = with_initial_mesh(random_sample(2, 6), wavy_sheet(10));
  sample.stage_views.stage2 = 5;
  const Reconstruction expected = computed_plainly(model, sample);
  const Reconstruction found = run_backend(*make_backend("fused", model, {}), sample);
  EXPECT_TRUE(found.coarse.empty());
  expect_agreement(model, sample, found, expected, "fused");
}

// Stage 1's own mesh as the initial one: only the rounding of its way to the world and back is between.
TEST(InitialMesh, TakesThePlaceOfStage1s) {
  for (const Semantics semantics : {Semantics::kTf, Semantics::kDesignB, Semantics::kClean}) {
    const auto backend = make_backend("fused", drawn_model(semantics, 3), {});
    const Sample sample = random_pinhole_sample(9, 3);
    const Reconstruction whole = run_backend(*backend, sample);
    TriangleMesh mesh{whole.coarse.back(), {{0, 1, 2}}};
    for (Eigen::Vector3f& vertex : mesh.vertices) {
      vertex = network_frame(sample).world_from_cam(vertex.cast<double>()).cast<float>();
    }
    const Reconstruction found = run_backend(*backend, with_initial_mesh(sample, std::move(mesh)));
    EXPECT_TRUE(found.coarse.empty());
    ASSERT_EQ(found.refined.size(), whole.refined.size());
    EXPECT_LT(difference(found.vertices(), whole.vertices()).mean, 1e-5);
    EXPECT_GT(difference(found.vertices(), whole.coarse.back()).mean, 1e-3);
  }
}

// Vertices that all lie in one place, or do not move, would hide mistakes.
TEST(DrawnModel, HasVerticesThatDiffer) {
  for (const auto& [semantics, channels] : {std::pair(Semantics::kTf, 3U), std::pair(Semantics::kDesignB, 3U),
                                            std::pair(Semantics::kClean, 3U), std::pair(Semantics::kClean, 4U)}) {
    const Model model = drawn_model(semantics, channels);
    const plain::Vertices vertices =
        plain::run_network(model, channels == 4 ? random_masked_sample(3, 3) : random_sample(3, 3));
    for (const auto& level : vertices.coarse) {
      double least = 1;
      double most = -1;
      for (std::size_t i = 0; i < level.size(); i += 3) {
        least = std::min(least, level[i]);
        most = std::max(most, level[i]);
      }
      EXPECT_GT(most - least, 0.1);
      EXPECT_LT(most - least, 1);
    }
    double largest_move = 0;
    for (std::size_t i = 0; i < vertices.refined.back().size(); ++i) {
      largest_move = std::max(largest_move, std::abs(vertices.refined.back()[i] - vertices.coarse.back()[i]));
    }
    EXPECT_GT(largest_move, 5e-3);
    for (const auto& block : vertices.largest_inputs) EXPECT_GT(*std::ranges::min_element(block), 0.1);
  }
}

}  // namespace
}  // namespace p2mpp
