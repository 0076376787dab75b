// `fused` on a real GPU: every semantics, precision, number of views and batch against the CPU; bytes that stay the
// same.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>

#include "backends/clear_lookups.h"
#include "backends/companion_library.h"
#include "backends/difference.h"
#include "backends/registry.h"
#include "backends/small_networks.h"
#include "p2mpp/error.h"

namespace p2mpp {
namespace {

constexpr Device kGpu{DeviceKind::kCuda, 0};

class CudaDevice : public ::testing::Test {
 protected:
  void SetUp() override {
    try {
      static_cast<void>(cuda_driver());
      check_backend("fused", kGpu);
    } catch (const Error& error) {
      ASSERT_EQ(std::getenv("P2MPP_REQUIRE_GPU"), nullptr) << error.what();  // NOLINT(concurrency-mt-unsafe)
      GTEST_SKIP() << error.what();
    }
  }

  static std::vector<Reconstruction> run(const Model& model, Device device, Precision precision,
                                         const std::vector<Sample>& samples) {
    return run_backend(*make_backend("fused", model, {.device = device, .precision = precision}), samples);
  }
};

TEST_F(CudaDevice, SmallModelsAgreeWithTheCpu) {
  for (const char* semantics : {"tf", "design_b", "clean"}) {
    const Model model = small_model(semantics);
    const auto cpu = make_backend("fused", model, {});
    for (const std::size_t views : {2U, 3U, 5U, 8U, 64U}) {
      const auto [sample, expected] =
          draw_clear_sample(*cpu, model, static_cast<unsigned>(views),
                            [views](unsigned seed) { return with_few_cameras(random_sample(seed, views)); });
      expect_agreement(model, sample, run(model, kGpu, Precision::kFp32, {sample}).front(), expected,
                       std::string(semantics) + ", " + std::to_string(views) + " views");
    }
  }
}

// The documented accuracy of each precision, for the published sizes.
TEST_F(CudaDevice, PrecisionsAreAsNearAsPromised) {
  const Model model = load_model(test_models() / "golden-clean");
  std::vector<Sample> samples;
  for (unsigned seed = 0; seed < 4; ++seed) samples.push_back(random_sample(seed, 3));
  const std::vector<Reconstruction> expected = run(model, {}, Precision::kFp32, samples);
  struct Bound {
    Precision precision;
    double mean, largest;
  };
  for (const Bound& bound : {Bound{Precision::kFp32, 1e-5, 1e-4}, Bound{Precision::kTf32, 1e-4, 1e-3},
                             Bound{Precision::kBf16, 1e-4, 2e-3}, Bound{Precision::kFp16, 1e-4, 2e-3}}) {
    const std::vector<Reconstruction> found = run(model, kGpu, bound.precision, samples);
    for (std::size_t i = 0; i < samples.size(); ++i) {
      const Difference here = difference(found[i].vertices(), expected[i].vertices());
      EXPECT_LT(here.mean, bound.mean) << "precision " << static_cast<int>(bound.precision);
      EXPECT_LT(here.largest, bound.largest) << "precision " << static_cast<int>(bound.precision);
    }
  }
}

TEST_F(CudaDevice, BytesDependOnNeitherBatchNorRun) {
  const Model model = load_model(test_models() / "golden-clean");
  std::vector<Sample> samples;
  for (unsigned seed = 0; seed < 17; ++seed) samples.push_back(random_sample(seed, 3));
  for (const Precision precision : {Precision::kFp32, Precision::kTf32, Precision::kBf16, Precision::kFp16}) {
    const auto backend = make_backend("fused", model, {.device = kGpu, .precision = precision});
    PartTimes times;
    const std::vector<Reconstruction> expected = backend->run(samples, times);
    for (const std::size_t batch : {1U, 4U, 16U}) {
      for (std::size_t first = 0; first < samples.size(); first += batch) {
        const std::size_t count = std::min(batch, samples.size() - first);
        const auto found = backend->run(std::span(samples).subspan(first, count), times);
        for (std::size_t i = 0; i < count; ++i) {
          ASSERT_EQ(found[i].coarse, expected[first + i].coarse) << "batch " << batch;
          ASSERT_EQ(found[i].refined, expected[first + i].refined) << "batch " << batch;
        }
      }
    }
    for (const Part part :
         {Part::kCopyIn, Part::kPreprocess, Part::kCnn1, Part::kGcn, Part::kCnn2, Part::kDrb, Part::kCopyOut}) {
      EXPECT_GT(times[part], 0) << static_cast<int>(part);
    }
  }
}

// Batches of changing sizes, as many at a time as the backend takes.
TEST_F(CudaDevice, BytesDoNotDependOnWhatIsInFlight) {
  const Model model = load_model(test_models() / "golden-clean");
  const auto backend = make_backend("fused", model, {.device = kGpu, .precision = Precision::kBf16});
  std::vector<std::vector<Sample>> batches;
  std::vector<std::vector<Reconstruction>> expected;
  for (unsigned seed = 0; seed < 12; ++seed) {
    std::vector<Sample>& batch = batches.emplace_back();
    for (unsigned i = 0; i < 1 + seed % 3; ++i) batch.push_back(random_sample(10 * seed + i, 2 + seed % 2));
    expected.push_back(run_backend(*backend, batch));
  }
  const auto fresh = make_backend("fused", model, {.device = kGpu, .precision = Precision::kBf16});
  std::size_t collected = 0;
  const auto collect = [&] {
    const ComputedBatch computed = fresh->collect();
    for (std::size_t i = 0; i < computed.reconstructions.size(); ++i) {
      ASSERT_EQ(computed.reconstructions[i].refined, expected[collected][i].refined) << "batch " << collected;
    }
    ++collected;
  };
  for (std::size_t i = 0; i < batches.size(); ++i) {
    if (i >= fresh->batches_in_flight()) collect();
    fresh->submit(batches[i]);
  }
  while (collected < batches.size()) collect();
}

// A small case for compute-sanitizer: every kernel once, in all precisions that need no calibration.
TEST_F(CudaDevice, SmallestPass) {
  const Model model = small_model("clean");
  const std::vector<Sample> samples = {random_sample(1, 2)};
  for (const Precision precision : {Precision::kFp32, Precision::kTf32, Precision::kBf16, Precision::kFp16}) {
    const Points vertices = run(model, kGpu, precision, samples).front().vertices();
    EXPECT_LT(difference(vertices, run(model, {}, Precision::kFp32, samples).front().vertices()).mean, 1e-3);
  }
}

TEST_F(CudaDevice, NeighboursAreThoseOfTheCpu) {
  Points queries;
  Points targets;
  for (unsigned i = 0; i < 20000; ++i) {
    const auto turn = static_cast<float>(i);
    queries.emplace_back(std::sin(turn), std::cos(1.7F * turn), std::sin(0.3F * turn));
    targets.emplace_back(std::sin(1.1F * turn), std::cos(turn), std::cos(0.7F * turn));
  }
  const Neighbours expected = nearest_neighbours(queries, targets);
  const Neighbours found = cuda_nearest_neighbours(0, queries, targets);
  EXPECT_EQ(found.squared_distances, expected.squared_distances);
}

}  // namespace
}  // namespace p2mpp
