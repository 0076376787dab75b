// The CUDA engine on the emulation of a GPU, against the CPU's: the kernels, what launches them, and the memory
// between.
#include "backends/cuda/cuda_backend.h"

#include <gtest/gtest.h>

#include <Eigen/Core>
#include <map>

#include "backends/clear_lookups.h"
#include "backends/cuda/stand_in_kernels.h"
#include "backends/difference.h"
#include "backends/registry.h"
#include "backends/small_networks.h"
#include "base/machine/host.h"
#include "emulation/block.h"
#include "emulation/runtime.h"
#include "engine/batch_choice.h"
#include "support/messages.h"

namespace p2mpp {
namespace {

CudaBackend emulated_backend(const Model& model, Precision precision) {
  return {std::make_unique<emulation::Runtime>(), model, precision};
}

/// As the CPU computes the samples in fp32.
void expect_alike(const Model& model, const std::vector<Reconstruction>& found, const std::vector<Sample>& samples) {
  const std::vector<Reconstruction> expected = run_backend(*make_backend("fused", model, {}), samples);
  ASSERT_EQ(found.size(), samples.size());
  for (std::size_t i = 0; i < samples.size(); ++i) {
    expect_agreement(model, samples[i], found[i], expected[i], "sample " + std::to_string(i));
  }
}

struct Case {
  const char* semantics;
  std::size_t views;
  Sample (*draw)(unsigned seed, std::size_t views);
};

class CudaBackendEmulated : public ::testing::TestWithParam<Case> {};
INSTANTIATE_TEST_SUITE_P(Semantics, CudaBackendEmulated,
                         ::testing::Values(Case{"tf", 3, random_sample}, Case{"design_b", 2, random_pinhole_sample},
                                           Case{"clean", 2, random_pinhole_sample}),
                         [](const auto& one) { return std::string(one.param.semantics); });

// The cameras are rows, or pinholes of any roll, aim and intrinsics: the network's frame is no view's then.
TEST_P(CudaBackendEmulated, EveryStepAgreesWithTheCpu) {
  const Model model = small_model(GetParam().semantics);
  Intermediates expected_between;
  Intermediates between;
  const auto [sample, expected] = draw_clear_sample(
      *make_backend("fused", model, {}), model, 7,
      [](unsigned seed) { return GetParam().draw(seed, GetParam().views); }, &expected_between);
  CudaBackend backend = emulated_backend(model, Precision::kFp32);
  const Reconstruction found = run_backend(backend, sample, &between);
  EXPECT_LT(difference(between.stage1_projection, expected_between.stage1_projection).largest, 1e-5);
  expect_agreement(model, sample, found, expected, GetParam().semantics);
  for (std::size_t block = 0; block < expected.refined.size(); ++block) {
    EXPECT_LT(difference(between.stage2_projection[block], expected_between.stage2_projection[block]).mean, 1e-5);
    EXPECT_LT(difference(between.scores[block], expected_between.scores[block]).mean, 1e-4) << "block " << block;
  }
  if (model.info.semantics != Semantics::kClean) return;
  // Recorded and launched, rather than step by step: the same bytes.
  EXPECT_EQ(run_backend(backend, sample).refined, found.refined);
}

struct Bound {
  Precision precision;
  double coarse, refined;  // mean; a network of few channels has few terms for errors to cancel in
  const char* model;
};

class CudaBackendPrecision : public ::testing::TestWithParam<Bound> {};
INSTANTIATE_TEST_SUITE_P(All, CudaBackendPrecision,
                         ::testing::Values(Bound{Precision::kTf32, 2e-5, 1e-4, "clean"},
                                           Bound{Precision::kFp16, 2e-5, 2e-4, "clean"},
                                           Bound{Precision::kBf16, 2e-5, 1e-3, "masked"},
                                           Bound{Precision::kBf16, 2e-5, 1e-3, "evidence"}));

TEST_P(CudaBackendPrecision, IsNearFp32) {
  const Model model = small_model(GetParam().model);
  const Sample sample = drawn_sample(model, 3, 2);
  const Reconstruction expected = run_backend(*make_backend("fused", model, {}), sample);
  CudaBackend backend = emulated_backend(model, GetParam().precision);
  const Reconstruction found = run_backend(backend, sample);
  EXPECT_LT(difference(found.coarse.back(), expected.coarse.back()).mean, GetParam().coarse);
  EXPECT_LT(difference(found.vertices(), expected.vertices()).mean, GetParam().refined);
  EXPECT_GT(difference(found.vertices(), expected.vertices()).largest, 0);
}

// Masks of both sources side by side, and the distances to them.
TEST(CudaBackendMasks, AgreeWithTheCpuInABatch) {
  const Model model = small_model("evidence");
  CudaBackend backend = emulated_backend(model, Precision::kFp32);
  const std::vector<Sample> samples = {random_masked_sample(0, 2), random_masked_sample(1, 2)};
  expect_alike(model, run_backend(backend, samples), samples);
}

// Stages that read different views side by side, more than a thread holds in registers, and meshes to begin from.
TEST(CudaBackendViews, AgreeWithTheCpuInAMixedBatch) {
  const Model model = small_model("clean");
  CudaBackend backend = emulated_backend(model, Precision::kFp32);
  std::vector<Sample> samples;
  for (unsigned seed = 0; seed < 3; ++seed) samples.push_back(random_sample(seed, 6));
  samples[0].stage_views = {.stage1 = 2, .stage2 = 3};
  samples[1].stage_views = {.stage1 = 6, .stage2 = 2};
  samples[2] = with_initial_mesh(samples[2], wavy_sheet(11));
  expect_alike(model, run_backend(backend, samples), samples);
}

// A device that names what it launched.
class NamingRuntime : public emulation::Runtime {
 public:
  using Runtime::Runtime;

  void check_launch(int status, const char* kernel) const override {
    Runtime::check_launch(status, kernel);
    ++launches[kernel];
  }

  mutable std::map<std::string, std::size_t> launches;
};

constexpr const char* kPortableKernel = "deformation reasoning";
constexpr const char* kHopperKernel = "deformation reasoning, Hopper";

double correlation(const std::vector<float>& a, const std::vector<float>& b) {
  const auto from_mean = [](const std::vector<float>& values) {
    const Eigen::ArrayXd all = Eigen::Map<const Eigen::ArrayXf>(values.data(), std::ssize(values)).cast<double>();
    return Eigen::VectorXd(all - all.mean()).normalized();
  };
  return from_mean(a).dot(from_mean(b));
}

struct TracedPass {
  Reconstruction found;
  Intermediates between;
  std::map<std::string, std::size_t> launches;
};

TracedPass run_on(emulation::Runtime::Generation generation, const Model& model, Precision precision,
                  const Sample& sample) {
  auto owned = std::make_unique<NamingRuntime>(emulation::kPlentyOfMemory, generation);
  const NamingRuntime& runtime = *owned;
  CudaBackend backend(std::move(owned), model, precision);
  TracedPass result;
  result.found = run_backend(backend, sample, &result.between);
  result.launches = runtime.launches;
  return result;
}

// On a Hopper GPU another kernel computes the deformation reasoning blocks, from weights packed in another way.
//
// In eight bits, a network with drawn weights takes small differences between large numbers, of which eight bits leave
// a trend. What the kernel computes exactly is in reasoning_test.cc, how good a trained network is in
// bench/quality/fp8.py.
TEST(CudaBackendHopper, AgreesWithThePortableKernelAndComputesInEightBits) {
  using Generation = emulation::Runtime::Generation;
  const Model model = small_model("clean");
  const Sample sample = random_sample(3, 2);
  const TracedPass portable = run_on(Generation::kAny, model, Precision::kBf16, sample);
  const TracedPass hopper = run_on(Generation::kHopper, model, Precision::kBf16, sample);
  const TracedPass fp8 = run_on(Generation::kHopper, model, Precision::kFp8, sample);
  const auto blocks = static_cast<std::size_t>(model.info.sizes.drb_blocks);
  EXPECT_EQ(portable.launches.at(kPortableKernel), blocks);
  EXPECT_EQ(portable.launches.count(kHopperKernel), 0U);
  for (const TracedPass* each : {&hopper, &fp8}) {
    EXPECT_EQ(each->launches.at(kHopperKernel), blocks);
    EXPECT_EQ(each->launches.count(kPortableKernel), 0U);
    EXPECT_EQ(each->found.coarse, portable.found.coarse);
    EXPECT_EQ(each->between.stage2_projection[0], portable.between.stage2_projection[0]) << "is not rounded";
  }
  EXPECT_LT(difference(hopper.between.scores[0], portable.between.scores[0]).mean, 1e-2);
  EXPECT_LT(difference(hopper.found.vertices(), portable.found.vertices()).mean, 2e-4);
  EXPECT_GT(correlation(fp8.between.scores[0], hopper.between.scores[0]), 0.7);
  EXPECT_LT(difference(fp8.found.vertices(), hopper.found.vertices()).mean, 6e-3);
}

TEST(CudaBackendHopper, IsChosenByDevicePrecisionAndWidth) {
  using Generation = emulation::Runtime::Generation;
  const Model model = small_model("clean");
  const auto is_chosen = [&model](Generation generation, Precision precision) {
    emulation::Runtime runtime(emulation::kPlentyOfMemory, generation);
    return ResidentNetwork(runtime, model, list_arithmetics(precision)).use_hopper_kernel;
  };
  for (const Precision precision : {Precision::kFp32, Precision::kTf32, Precision::kBf16, Precision::kFp16}) {
    const bool half = precision == Precision::kBf16 || precision == Precision::kFp16;
    EXPECT_EQ(is_chosen(Generation::kHopper, precision), half);
    EXPECT_FALSE(is_chosen(Generation::kAny, precision));
  }
  for (const int rows : {48, 64}) {
    for (const int width : {1, 32, 64, 100, 192, 193, 256}) {
      EXPECT_EQ(fits_hopper(Arithmetic::kFp16, 352, 336, width, rows, emulation::kMaxSharedBytes), width <= 192)
          << width;
    }
    EXPECT_FALSE(fits_hopper(Arithmetic::kFp16, 352, 336, 192, rows, std::size_t{99} * 1024)) << "shared memory";
  }
}

TEST(CudaBackendBytes, DependOnNeitherBatchNorRunNorOrderOfThreads) {
  const Model model = small_model("clean");
  std::vector<Sample> samples = {random_sample(1, 2), random_sample(2, 2)};
  samples[1].views[0].image = {3, 2, std::vector<std::uint8_t>(24, 200)};  // images of any size side by side
  CudaBackend backend = emulated_backend(model, Precision::kBf16);
  const std::vector<Reconstruction> together = run_backend(backend, samples);
  emulation::set_order(emulation::Order::kShuffled);
  const Reconstruction first = run_backend(backend, samples[0]);
  emulation::set_order(emulation::Order::kBackward);
  const Reconstruction second = run_backend(backend, samples[1]);
  emulation::set_order(emulation::Order::kForward);
  EXPECT_EQ(first.coarse, together[0].coarse);
  EXPECT_EQ(first.refined, together[0].refined);
  EXPECT_EQ(second.refined, together[1].refined);
}

// Stand-ins for the kernels take the same memory. batches_in_flight_test.cc has batches that do not fit.
TEST(CudaBackendMemory, ABatchTakesWhatItSays) {
  const Model model = small_model("clean");
  auto runtime = std::make_unique<StandInRuntime>();
  const emulation::Runtime* device = runtime.get();
  CudaBackend backend(std::move(runtime), model, Precision::kFp32);
  const MemoryState before = device->memory();
  const BatchMemory one = backend.memory_for(1, 2);
  EXPECT_EQ(one.device.available, before.available);
  EXPECT_GT(one.needed, 0U);
  EXPECT_GT(backend.memory_for(2, 2).needed, 1.5 * static_cast<double>(one.needed));
  const Sample sample = blank_sample(2);
  for (std::size_t i = 0; i < backend.batches_in_flight(); ++i) static_cast<void>(run_backend(backend, sample));
  EXPECT_EQ(before.available - device->memory().available, one.needed);
  EXPECT_EQ(backend.memory_for(1, 2).needed, 0U) << "it is there already";
}

TEST(CudaBackendMemory, AMeasuredBatchKeepsWithinItsShare) {
  const Model model = small_model("clean");
  CudaBackend backend(std::make_unique<StandInRuntime>(), model, Precision::kFp32);
  const BatchMemory two = backend.memory_for(2, 2);
  const std::uint64_t with_two = two.device.total - two.device.available + two.needed;
  const double share = (static_cast<double>(with_two) - 1) / static_cast<double>(two.device.total);
  const BatchChoice choice = measure_batch(backend, 2, share, 1024);
  EXPECT_EQ(choice.batch, 1);
  EXPECT_EQ(choice.trials.size(), 1U);
  EXPECT_TRUE(choice.reason.starts_with("2 would have ")) << choice.reason;
}

std::string refusal_of(const Model& model, Precision precision) {
  return message_of<Error>([&] { static_cast<void>(emulated_backend(model, precision)); });
}

TEST(CudaBackendLimits, AreNamed) {
  Model model = small_model("clean");
  model.info.sizes.hypotheses = 65;
  EXPECT_EQ(refusal_of(model, Precision::kBf16),
            "backend fused: on CUDA it has no kernel for 65 hypotheses a vertex (at most 64); "
            "backend torchscript computes it");
  model = small_model("clean");
  model.info.fp8_largest_inputs.clear();
  EXPECT_EQ(refusal_of(model, Precision::kFp8).substr(model.info.folder.string().size()),
            "/model.json: no \"fp8_largest_inputs\", which precision fp8 needs; expected those that "
            "p2mpp-calibrate writes");
  model.info.fp8_largest_inputs = {{1, 1, 1, 1, 1, 1}, {1, 1, 1, 1, 1, 1}};
  EXPECT_EQ(
      refusal_of(model, Precision::kFp8),
      "precision fp8: this device has no kernel for it, or none for 43 hypotheses of 147 features and 40 channels; "
      "expected a GPU of compute capability 9.0, or another precision");
  model = small_model("clean");
  model.info.sizes.drb_hidden = 257;
  EXPECT_EQ(
      refusal_of(model, Precision::kFp32),
      "backend fused: on CUDA it has no kernel for deformation reasoning blocks of 257 channels in this precision "
      "(at most 256); backend torchscript computes it");
}

}  // namespace
}  // namespace p2mpp
