// The network as plain loops, which p2mpp selftest goes by, against the reference that runs the models' own
// TorchScript.
#include "backends/self_check/plain_network.h"

#include <gtest/gtest.h>

#include "backends/common/finding.h"
#include "backends/golden_data.h"
#include "backends/registry.h"
#include "backends/self_check/drawn_model.h"
#include "backends/self_check/random_sample.h"

namespace p2mpp {
namespace {

void expect_steps(const std::vector<Points>& found, const std::vector<std::vector<double>>& expected) {
  ASSERT_EQ(found.size(), expected.size());
  for (std::size_t i = 0; i < found.size(); ++i) {
    EXPECT_LT(mean_relative_difference(flat(found[i]), expected[i]), 1e-5) << "step " << i;
  }
}

TEST(PlainNetwork, IsTheReference) {
  for (const char* semantics : {"tf", "design_b", "clean", "masked"}) {
    SCOPED_TRACE(semantics);
    const Model model = load_model(test_models() / (std::string("small-") + semantics));
    const Sample sample = model.info.sizes.image_channels == 4 ? random_masked_sample(2, 2) : random_sample(2, 2);
    const plain::Vertices expected = plain::run_network(model, sample);
    PartTimes times;
    const auto found = make_backend("torchscript", model, {})->run({&sample, 1}, times).front();
    expect_steps(found.coarse, expected.coarse);
    expect_steps(found.refined, expected.refined);
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
