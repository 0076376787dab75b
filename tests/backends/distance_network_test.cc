// Holds the distance network of all backends against what PyTorch computed of drawn weights.
#include "backends/distance_network.h"

#include <gtest/gtest.h>

#include <cmath>

#include "backends/companion_library.h"
#include "backends/difference.h"
#include "backends/registry.h"
#include "backends/tested_sets.h"
#include "model/model.h"
#include "p2mpp/error.h"
#include "support/messages.h"

namespace p2mpp {
namespace {

std::vector<double> golden_doubles(const std::string& name) {
  const std::filesystem::path path = test_models() / "golden" / "volume" / (name + ".f64");
  std::vector<double> values(std::filesystem::file_size(path) / sizeof(double));
  std::ifstream(path, std::ios::binary)
      .read(reinterpret_cast<char*>(values.data()), static_cast<std::streamsize>(values.size() * sizeof(double)));
  return values;
}

DistanceViews golden_views() {
  DistanceViews views{golden_array("volume", "images"), {}, {}};
  views.prior.grid = {Eigen::Vector3d::Constant(-0.3), 0.025, Eigen::Vector3i::Constant(24)};
  views.prior.distances = golden_array("volume", "prior");
  for (const float distance : views.prior.distances) views.prior.errors.push_back(std::fabs(distance));
  const std::vector<double> numbers = golden_doubles("cameras");
  for (std::size_t i = 0; i < numbers.size(); i += 16) {
    Camera camera;
    camera.rotation = Eigen::Map<const Eigen::Matrix<double, 3, 3, Eigen::RowMajor>>(&numbers[i]);
    camera.origin = -camera.rotation.transpose() * Eigen::Map<const Eigen::Vector3d>(&numbers[i + 9]);
    camera.intrinsics = {numbers[i + 12], numbers[i + 13], numbers[i + 14], numbers[i + 15]};
    views.cameras.push_back(camera);
  }
  return views;
}

VoxelGrid golden_grid() {
  const std::vector<double> numbers = golden_doubles("grid");
  return {Eigen::Vector3d(numbers[0], numbers[1], numbers[2]), numbers[3],
          Eigen::Vector3d(numbers[4], numbers[5], numbers[6]).cast<int>()};
}

/// Distances, then logarithms of errors, as the golden arrays.
std::vector<float> joined(const NetworkDistances& found) {
  std::vector<float> all = found.distances;
  all.insert(all.end(), found.log_errors.begin(), found.log_errors.end());
  return all;
}

/// The golden distances reach 25. One place of a thousand may lie on the other side of what counts as near.
void expect_golden(DistanceNetwork& network) {
  network.set_views(golden_views());
  EXPECT_LT(difference(joined(network.coarse(golden_grid())), golden_array("volume", "coarse")).largest, 2e-4);
  const Difference fine = difference(joined(network.fine(golden_grid(), 2)), golden_array("volume", "fine"));
  EXPECT_LT(fine.mean, 2e-5);
  EXPECT_LT(fine.largest, 5e-4);
}

TEST(DistanceNetwork, EveryInstructionSetComputesWhatPyTorchDoes) {
  const Model model = load_model(test_models() / "tiny-volume");
  ASSERT_TRUE(has_distance_network(model));
  for (const InstructionSet set : tested_instruction_sets()) {
    SCOPED_TRACE(to_string(set));
    expect_golden(*make_distance_network("fused", model, {.device = {}, .threads = 2, .instruction_set = set}));
  }
}

TEST(DistanceNetwork, TorchscriptComputesWhatPyTorchDoes) {
  if (libtorch_version_text() == "none") GTEST_SKIP() << "built without LibTorch";
  const Model model = load_model(test_models() / "tiny-volume");
  expect_golden(*make_distance_network("torchscript", model, {.device = {}, .threads = 1}));
}

TEST(DistanceNetwork, HasTheSameBytesForEveryNumberOfThreads) {
  const Model model = load_model(test_models() / "tiny-volume");
  std::vector<std::vector<float>> found;
  for (const int threads : {1, 3}) {
    const auto network = make_distance_network("fused", model, {.device = {}, .threads = threads});
    network->set_views(golden_views());
    found.push_back(joined(network->fine(golden_grid(), 2)));
  }
  EXPECT_EQ(found[0], found[1]);
}

TEST(DistanceNetwork, RefusesWeightsThatDoNotFit) {
  Model model = load_model(test_models() / "tiny-volume");
  model.volume_archive = model.stage2_archive;
  EXPECT_REFUSED(static_cast<void>(make_distance_network("fused", model, {})),
                 "volume.pt: holds stage 2; expected stage 3");
  EXPECT_FALSE(has_distance_network(load_model(test_models() / "tiny-clean")));
}

}  // namespace
}  // namespace p2mpp
