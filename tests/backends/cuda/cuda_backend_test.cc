// The CUDA engine on the emulation of a GPU, against the CPU's: the kernels, what launches them, and the memory
// between.
#include "backends/cuda/cuda_backend.h"

#include <gtest/gtest.h>

#include <map>
#include <numeric>

#include "backends/clear_lookups.h"
#include "backends/difference.h"
#include "backends/golden_data.h"
#include "backends/registry.h"
#include "backends/self_check/random_sample.h"
#include "base/machine/host.h"
#include "emulation/block.h"
#include "emulation/runtime.h"
#include "engine/batch_choice.h"

namespace p2mpp {
namespace {

Model small_model(const std::string& semantics) { return load_model(test_models() / ("small-" + semantics)); }

CudaBackend emulated_backend(const Model& model, Precision precision) {
  return {std::make_unique<emulation::Runtime>(), model, precision};
}

std::vector<Reconstruction> run(Backend& backend, std::span<const Sample> batch, Intermediates* between = nullptr) {
  PartTimes times;
  return backend.run(batch, times, between);
}

struct Case {
  const char* semantics;
  std::size_t views;
};

Sample drawn_sample(const Model& model, unsigned seed, std::size_t views) {
  return model.info.sizes.image_channels == 4 ? random_masked_sample(seed, views) : random_sample(seed, views);
}

class CudaBackendEmulated : public ::testing::TestWithParam<Case> {};
INSTANTIATE_TEST_SUITE_P(Semantics, CudaBackendEmulated,
                         ::testing::Values(Case{"tf", 5}, Case{"design_b", 2}, Case{"clean", 3}),
                         [](const auto& one) { return std::string(one.param.semantics); });

TEST_P(CudaBackendEmulated, EveryStepAgreesWithTheCpu) {
  const Model model = small_model(GetParam().semantics);
  Intermediates expected_between;
  Intermediates between;
  const auto [sample, expected] = draw_clear_sample(
      *make_backend("fused", model, {}), model, 7, [](unsigned seed) { return random_sample(seed, GetParam().views); },
      &expected_between);
  CudaBackend backend = emulated_backend(model, Precision::kFp32);
  const Reconstruction found = run(backend, {&sample, 1}, &between).front();
  EXPECT_LT(difference(between.stage1_projection, expected_between.stage1_projection).largest, 1e-5);
  expect_agreement(model, sample, found, expected, GetParam().semantics);
  for (std::size_t block = 0; block < expected.refined.size(); ++block) {
    EXPECT_LT(difference(between.stage2_projection[block], expected_between.stage2_projection[block]).mean, 1e-5);
    EXPECT_LT(difference(between.scores[block], expected_between.scores[block]).mean, 1e-4) << "block " << block;
  }
  if (model.info.semantics != Semantics::kClean) return;
  // Recorded and launched, rather than step by step: the same bytes.
  EXPECT_EQ(run(backend, {&sample, 1}).front().refined, found.refined);
}

// Pinholes of any roll, aim and intrinsics; the network's frame is no view's.
TEST_P(CudaBackendEmulated, PinholesAgreeWithTheCpu) {
  const Model model = small_model(GetParam().semantics);
  const auto [sample, expected] = draw_clear_sample(*make_backend("fused", model, {}), model, 8,
                                                    [](unsigned seed) { return random_pinhole_sample(seed, 2); });
  CudaBackend backend = emulated_backend(model, Precision::kFp32);
  expect_agreement(model, sample, run(backend, {&sample, 1}).front(), expected, GetParam().semantics);
}

// The rows of a sample said as pinholes: the same bytes.
TEST(CudaBackendCameras, RowsArePinholes) {
  const Model model = small_model("clean");
  Sample sample = random_sample(5, 2);
  CudaBackend backend = emulated_backend(model, Precision::kFp32);
  const Points expected = run(backend, {&sample, 1}).front().vertices();
  for (View& view : sample.views) view.row.reset();
  sample.network_frame = sample.views.front().camera;
  EXPECT_EQ(run(backend, {&sample, 1}).front().vertices(), expected);
}

struct Bound {
  Precision precision;
  double coarse, refined;  // mean; a network of few channels has few terms for errors to cancel in
  const char* model = "clean";
};

class CudaBackendPrecision : public ::testing::TestWithParam<Bound> {};
INSTANTIATE_TEST_SUITE_P(All, CudaBackendPrecision,
                         ::testing::Values(Bound{Precision::kTf32, 2e-5, 1e-4}, Bound{Precision::kBf16, 2e-5, 1e-3},
                                           Bound{Precision::kFp16, 2e-5, 2e-4},
                                           Bound{Precision::kBf16, 2e-5, 1e-3, "masked"},
                                           Bound{Precision::kBf16, 2e-5, 1e-3, "evidence"}));

TEST_P(CudaBackendPrecision, IsNearFp32) {
  const Model model = small_model(GetParam().model);
  const Sample sample = drawn_sample(model, 3, 2);
  const Reconstruction expected = run(*make_backend("fused", model, {}), {&sample, 1}).front();
  CudaBackend backend = emulated_backend(model, GetParam().precision);
  const Reconstruction found = run(backend, {&sample, 1}).front();
  EXPECT_LT(difference(found.coarse.back(), expected.coarse.back()).mean, GetParam().coarse);
  EXPECT_LT(difference(found.vertices(), expected.vertices()).mean, GetParam().refined);
  EXPECT_GT(difference(found.vertices(), expected.vertices()).largest, 0);
}

// Masks of both sources side by side, in a batch and alone, with two views and with five. "evidence" reads the
// distances to them, too.
class CudaBackendMasks : public ::testing::TestWithParam<const char*> {};
INSTANTIATE_TEST_SUITE_P(Models, CudaBackendMasks, ::testing::Values("masked", "evidence"));

TEST_P(CudaBackendMasks, AgreeWithTheCpuInBatches) {
  const Model model = small_model(GetParam());
  CudaBackend backend = emulated_backend(model, Precision::kFp32);
  const auto cpu = make_backend("fused", model, {});
  using Batches = std::vector<std::pair<unsigned, unsigned>>;
  for (const auto& [count, views] : model.info.sizes.stage2_mask_evidence ? Batches{{2, 2}, {1, 5}} : Batches{{2, 2}}) {
    std::vector<Sample> samples;
    for (unsigned seed = 0; seed < count; ++seed) samples.push_back(drawn_sample(model, seed, views));
    const std::vector<Reconstruction> expected = run(*cpu, samples);
    const std::vector<Reconstruction> found = run(backend, samples);
    for (std::size_t i = 0; i < count; ++i) {
      expect_agreement(model, samples[i], found[i], expected[i], std::to_string(views) + " views");
    }
  }
}

// Stages that read different views side by side, more than a thread holds in registers, and meshes to begin from.
TEST(CudaBackendViews, AgreeWithTheCpuInMixedBatches) {
  const Model model = small_model("clean");
  CudaBackend backend = emulated_backend(model, Precision::kFp32);
  const auto cpu = make_backend("fused", model, {});
  std::vector<Sample> samples;
  for (unsigned seed = 0; seed < 3; ++seed) samples.push_back(random_sample(seed, 6));
  samples[0].stage_views = {.stage1 = 2, .stage2 = 3};
  samples[1].stage_views = {.stage1 = 6, .stage2 = 2};
  samples[2] = with_initial_mesh(samples[2], wavy_sheet(11));
  const std::vector<Reconstruction> expected = run(*cpu, samples);
  // The passes without a mesh are recorded when they come again.
  for (const std::span<const Sample> batch : {std::span(samples), std::span(samples).first(2)}) {
    const std::vector<Reconstruction> found = run(backend, batch);
    ASSERT_EQ(found.size(), batch.size());
    for (std::size_t i = 0; i < batch.size(); ++i) {
      expect_agreement(model, samples[i], found[i], expected[i], "sample " + std::to_string(i));
    }
  }
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

// On a Hopper GPU another kernel computes the deformation reasoning blocks, from weights packed in another way.
TEST(CudaBackendHopper, AgreesWithThePortableKernel) {
  const Model model = small_model("clean");
  const Sample sample = random_sample(3, 2);
  std::map<std::string, std::size_t> launches[2];
  Reconstruction found[2];
  Intermediates between[2];
  for (const std::size_t hopper : {0U, 1U}) {
    auto owned = std::make_unique<NamingRuntime>(
        emulation::kPlentyOfMemory,
        hopper == 1 ? emulation::Runtime::Generation::kHopper : emulation::Runtime::Generation::kAny);
    const NamingRuntime& runtime = *owned;
    CudaBackend backend(std::move(owned), model, Precision::kFp16);
    found[hopper] = run(backend, {&sample, 1}, &between[hopper]).front();
    launches[hopper] = runtime.launches;
  }
  EXPECT_EQ(launches[0][kPortableKernel], model.info.sizes.drb_blocks);
  EXPECT_EQ(launches[0][kHopperKernel], 0U);
  EXPECT_EQ(launches[1][kPortableKernel], 0U);
  EXPECT_EQ(launches[1][kHopperKernel], model.info.sizes.drb_blocks);
  EXPECT_EQ(found[1].coarse, found[0].coarse);
  EXPECT_EQ(between[1].stage2_projection[0], between[0].stage2_projection[0]) << "what is sampled is not rounded";
  EXPECT_LT(difference(between[1].scores[0], between[0].scores[0]).mean, 1e-3);
  EXPECT_LT(difference(found[1].vertices(), found[0].vertices()).mean, 2e-5);
}

double correlation(const std::vector<float>& a, const std::vector<float>& b) {
  const auto mean = [](const std::vector<float>& values) {
    return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
  };
  const double mean_a = mean(a);
  const double mean_b = mean(b);
  double products = 0;
  double squares_a = 0;
  double squares_b = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    const double from_a = static_cast<double>(a[i]) - mean_a;
    const double from_b = static_cast<double>(b[i]) - mean_b;
    products += from_a * from_b;
    squares_a += from_a * from_a;
    squares_b += from_b * from_b;
  }
  return products / std::sqrt(squares_a * squares_b);
}

// A network with drawn weights takes small differences between large numbers, of which eight bits leave a trend. What
// the kernel computes exactly is in reasoning_test.cc, how good a trained network is in bench/quality/fp8.py.
TEST(CudaBackendHopper, ComputesInEightBits) {
  const Model model = small_model("clean");
  const Sample sample = random_sample(3, 2);
  Reconstruction found[2];
  Intermediates between[2];
  for (const bool fp8 : {false, true}) {
    CudaBackend backend(
        std::make_unique<emulation::Runtime>(emulation::kPlentyOfMemory, emulation::Runtime::Generation::kHopper),
        model, fp8 ? Precision::kFp8 : Precision::kBf16);
    found[fp8] = run(backend, {&sample, 1}, &between[fp8]).front();
  }
  EXPECT_EQ(found[1].coarse, found[0].coarse);
  EXPECT_EQ(between[1].stage2_projection[0], between[0].stage2_projection[0]) << "what is sampled is not rounded";
  EXPECT_GT(correlation(between[1].scores[0], between[0].scores[0]), 0.7);
  EXPECT_LT(difference(found[1].vertices(), found[0].vertices()).mean, 6e-3);
}

TEST(CudaBackendHopper, IsChosenByDevicePrecisionAndWidth) {
  using Generation = emulation::Runtime::Generation;
  const Model model = small_model("clean");
  const auto is_chosen = [&model](Generation generation, Precision precision) {
    emulation::Runtime runtime(emulation::kPlentyOfMemory, generation);
    return ResidentNetwork(runtime, model, arithmetics_of(precision)).use_hopper_kernel;
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
  const std::vector<Reconstruction> together = run(backend, samples);
  emulation::set_order(emulation::Order::kShuffled);
  const Reconstruction first = run(backend, std::span(samples).subspan(0, 1)).front();
  emulation::set_order(emulation::Order::kBackward);
  const Reconstruction second = run(backend, std::span(samples).subspan(1, 1)).front();
  emulation::set_order(emulation::Order::kForward);
  EXPECT_EQ(first.coarse, together[0].coarse);
  EXPECT_EQ(first.refined, together[0].refined);
  EXPECT_EQ(second.refined, together[1].refined);
}

TEST(CudaBackendMemory, ABatchThatDoesNotFitIsHalved) {
  const Model model = small_model("clean");
  const std::vector<Sample> samples = {random_sample(1, 2), random_sample(2, 2)};
  auto runtime = std::make_unique<emulation::Runtime>(emulation::kPlentyOfMemory);
  const emulation::Runtime* plenty = runtime.get();
  CudaBackend backend(std::move(runtime), model, Precision::kBf16);
  const Points expected = run(backend, std::span(samples).subspan(1, 1)).front().vertices();
  const std::size_t enough_for_one = emulation::kPlentyOfMemory - plenty->memory().available;
  CudaBackend tight(std::make_unique<emulation::Runtime>(enough_for_one + enough_for_one / 10), model,
                    Precision::kBf16);
  EXPECT_EQ(run(tight, samples).back().vertices(), expected);
  EXPECT_EQ(tight.largest_batch(), 1U);
  EXPECT_THROW(CudaBackend(std::make_unique<emulation::Runtime>(1000), model, Precision::kBf16), OutOfDeviceMemory);
}

TEST(CudaBackendMemory, ABatchTakesWhatItSays) {
  const Model model = small_model("clean");
  auto runtime = std::make_unique<emulation::Runtime>();
  const emulation::Runtime* device = runtime.get();
  CudaBackend backend(std::move(runtime), model, Precision::kBf16);
  const MemoryState before = device->memory();
  const BatchMemory one = backend.memory_for(1, 2);
  EXPECT_EQ(one.device.available, before.available);
  EXPECT_GT(one.needed, 0U);
  EXPECT_GT(backend.memory_for(2, 2).needed, 1.5 * static_cast<double>(one.needed));
  const Sample sample = blank_sample(2);
  for (std::size_t i = 0; i < backend.batches_in_flight(); ++i) static_cast<void>(run(backend, {&sample, 1}));
  EXPECT_EQ(before.available - device->memory().available, one.needed);
  EXPECT_EQ(backend.memory_for(1, 2).needed, 0U) << "it is there already";
}

TEST(CudaBackendMemory, AMeasuredBatchKeepsWithinItsShare) {
  const Model model = small_model("clean");
  CudaBackend backend = emulated_backend(model, Precision::kBf16);
  const BatchMemory two = backend.memory_for(2, 2);
  const std::uint64_t with_two = two.device.total - two.device.available + two.needed;
  const double share = (static_cast<double>(with_two) - 1) / static_cast<double>(two.device.total);
  const BatchChoice choice = measure_batch(backend, 2, share, 1024);
  EXPECT_EQ(choice.batch, 1);
  EXPECT_EQ(choice.trials.size(), 1U);
  EXPECT_TRUE(choice.reason.starts_with("2 would have ")) << choice.reason;
}

std::string refusal_of(const Model& model, Precision precision) {
  try {
    const CudaBackend backend = emulated_backend(model, precision);
    return "none";
  } catch (const Error& error) {
    return error.what();
  }
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
