// The CUDA engine on the emulation of a GPU, against the CPU's: the kernels, what launches them, and the memory
// between.
#include "backend/cuda/cuda_backend.h"

#include <gtest/gtest.h>

#include <cmath>

#include "backend/golden_data.h"
#include "engine/random_sample.h"
#include "ops/cuda/emulation/runtime.h"

namespace p2mpp {
namespace {

struct Difference {
  double mean = 0;
  double largest = 0;
};

Difference difference(const Points& a, const Points& b) {
  EXPECT_EQ(a.size(), b.size());
  Difference result;
  for (std::size_t i = 0; i < a.size(); ++i) {
    const Eigen::Vector3f here = (a[i] - b[i]).cwiseAbs();
    result.mean += here.sum() / (3.0 * static_cast<double>(a.size()));
    result.largest = std::max(result.largest, std::isnan(here.sum()) ? INFINITY : static_cast<double>(here.maxCoeff()));
  }
  return result;
}

Model small_model(const std::string& semantics) { return load_model(test_models() / ("small-" + semantics)); }

CudaBackend emulated_backend(const Model& model, Precision precision) {
  return {std::make_unique<emulation::Runtime>(), model, precision};
}

Reconstruction on_the_cpu(const Model& model, const Sample& sample) {
  PartTimes times;
  return make_backend("fused", model, {})->run({&sample, 1}, times).front();
}

class CudaBackendEmulated : public testing::TestWithParam<std::tuple<const char*, std::size_t>> {};
INSTANTIATE_TEST_SUITE_P(SemanticsAndViews, CudaBackendEmulated,
                         testing::Combine(testing::Values("tf", "design_b", "clean"), testing::Values(2U, 3U, 5U)));

TEST_P(CudaBackendEmulated, AgreesWithTheCpu) {
  const auto [semantics, views] = GetParam();
  const Model model = small_model(semantics);
  const Sample sample = random_sample(static_cast<unsigned>(views), views);
  const Reconstruction expected = on_the_cpu(model, sample);
  PartTimes times;
  const Reconstruction found = emulated_backend(model, Precision::kFp32).run({&sample, 1}, times, nullptr).front();
  for (std::size_t level = 0; level < expected.coarse.size(); ++level) {
    EXPECT_LT(difference(found.coarse[level], expected.coarse[level]).largest, 2e-5) << "level " << level;
  }
  for (std::size_t block = 0; block < expected.refined.size(); ++block) {
    EXPECT_LT(difference(found.refined[block], expected.refined[block]).mean, 1e-5) << "block " << block;
    EXPECT_LT(difference(found.refined[block], expected.refined[block]).largest, 1e-4) << "block " << block;
  }
}

}  // namespace
}  // namespace p2mpp
