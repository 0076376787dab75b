// Batches in flight on the emulation of a GPU: what waits for what, and what becomes of the others when one fails. With
// stand-ins for the kernels, which take no time: the order of work is all that matters here.
#include <gtest/gtest.h>

#include <chrono>
#include <filesystem>

#include "backends/cuda/cuda_backend.h"
#include "backends/cuda/stand_in_kernels.h"
#include "backends/run_backend.h"
#include "backends/self_check/random_sample.h"
#include "p2mpp/error.h"

namespace p2mpp {
namespace {

CudaBackend backend_of(const Model& model) { return {std::make_unique<StandInRuntime>(), model, Precision::kFp32}; }

// For as long as it lives.
struct StreamOrderGuard {
  explicit StreamOrderGuard(emulation::StreamOrder order) { emulation::set_stream_order(order); }
  StreamOrderGuard(const StreamOrderGuard&) = delete;
  StreamOrderGuard& operator=(const StreamOrderGuard&) = delete;
  ~StreamOrderGuard() { emulation::set_stream_order(emulation::StreamOrder::kAtOnce); }
};

// Batches of changing shapes and pixel sizes, some of which need more room than those before them.
class CudaBackendInFlight : public ::testing::Test {
 protected:
  CudaBackendInFlight() {
    for (const auto& [seed, views, count] :
         {std::array{1U, 2U, 1U}, {2U, 2U, 1U}, {3U, 3U, 1U}, {4U, 2U, 2U}, {6U, 2U, 1U}, {7U, 2U, 1U}, {8U, 2U, 1U}}) {
      std::vector<Sample>& batch = batches_.emplace_back();
      for (unsigned i = 0; i < count; ++i) batch.push_back(random_sample(seed + i, views));
    }
    batches_[5][0].views[1].image = {500, 300, std::vector<std::uint8_t>(4 * 500 * 300, 120)};
    batches_[6][0].views[0].image = {3, 2, std::vector<std::uint8_t>(24, 200)};
    CudaBackend backend = backend_of(model_);
    for (const std::vector<Sample>& batch : batches_) {
      for (const Sample& sample : batch) expected_.push_back(run_backend(backend, sample));
    }
  }

  // As many at a time as the backend takes; gives the times of each batch.
  std::vector<PartTimes> expect_same(Backend& backend) {
    std::vector<PartTimes> times;
    std::size_t sample = 0;
    const auto collect = [&] {
      const ComputedBatch computed = backend.collect();
      ASSERT_EQ(computed.reconstructions.size(), batches_[times.size()].size());
      for (const Reconstruction& found : computed.reconstructions) {
        EXPECT_EQ(found.coarse, expected_[sample].coarse) << "sample " << sample;
        EXPECT_EQ(found.refined, expected_[sample].refined) << "sample " << sample;
        ++sample;
      }
      times.push_back(computed.times);
    };
    for (std::size_t i = 0; i < batches_.size(); ++i) {
      if (i >= backend.batches_in_flight()) collect();
      backend.submit(batches_[i]);
    }
    while (times.size() < batches_.size()) collect();
    return times;
  }

  Model model_ = load_model(std::filesystem::path(P2MPP_TEST_MODELS) / "tiny-clean");
  std::vector<std::vector<Sample>> batches_;
  std::vector<Reconstruction> expected_;
};

TEST_F(CudaBackendInFlight, BytesAreThoseOfOneAtATime) {
  for (const auto order :
       {emulation::StreamOrder::kAtOnce, emulation::StreamOrder::kLate, emulation::StreamOrder::kShuffled}) {
    const StreamOrderGuard guard(order);
    CudaBackend backend = backend_of(model_);
    EXPECT_EQ(backend.batches_in_flight(), 2U);
    for (const PartTimes& times : expect_same(backend)) {
      for (const Part part :
           {Part::kPreprocess, Part::kCnn1, Part::kGcn, Part::kCnn2, Part::kDrb, Part::kCopyIn, Part::kCopyOut}) {
        EXPECT_GT(times[part], 0) << static_cast<int>(part);
      }
    }
  }
}

// Twice: a pass is recorded when it comes again.
TEST_F(CudaBackendInFlight, SamplesOfABatchMayDifferInTheirNumberOfViews) {
  std::vector<Sample> samples = {batches_[0][0], batches_[2][0], batches_[1][0]};
  samples.push_back(random_sample(9, 3));
  samples.back().stage_views = {.stage1 = 3, .stage2 = 2};
  CudaBackend alone = backend_of(model_);
  CudaBackend backend = backend_of(model_);
  for (int time = 0; time < 2; ++time) {
    backend.submit(samples);
    const std::vector<Reconstruction> found = backend.collect().reconstructions;
    ASSERT_EQ(found.size(), samples.size());
    for (std::size_t i = 0; i < samples.size(); ++i) {
      EXPECT_EQ(found[i].refined, run_backend(alone, samples[i]).refined) << "sample " << i;
    }
  }
}

// The last batch is still computed when the backend goes.
TEST_F(CudaBackendInFlight, WhatNobodyCollectsIsLeft) {
  const StreamOrderGuard guard(emulation::StreamOrder::kLate);
  CudaBackend backend = backend_of(model_);
  backend.submit(batches_[0]);
  backend.submit(batches_[1]);
  EXPECT_EQ(backend.collect().reconstructions.front().refined, expected_[0].refined);
}

TEST_F(CudaBackendInFlight, AWatchedDeviceSaysWhatItDidWhen) {
  auto owned = std::make_unique<StandInRuntime>(emulation::kPlentyOfMemory);
  const emulation::Runtime& runtime = *owned;
  CudaBackend backend(std::move(owned), model_, Precision::kFp32);
  const auto begin = std::chrono::steady_clock::now();
  backend.submit(batches_[0]);
  EXPECT_TRUE(backend.collect().spans.empty());
  backend.watch_device();
  backend.submit(batches_[0]);
  backend.submit(batches_[1]);
  for (int batch = 0; batch < 2; ++batch) {
    const ComputedBatch computed = backend.collect();
    ASSERT_EQ(computed.spans.size(), 7U);
    for (const DeviceSpan& span : computed.spans) {
      EXPECT_GE(span.begin, begin);
      EXPECT_GE(span.end, span.begin);
      const bool copies = span.part == Part::kCopyIn || span.part == Part::kCopyOut;
      EXPECT_EQ(span.kernels == 0, copies) << to_string(span.part);
      if (span.part == Part::kDrb) {
        EXPECT_EQ(span.kernels, static_cast<int>(model_.info.sizes.drb_blocks));
      }
      if (span.part == Part::kCnn1) {
        EXPECT_EQ(span.kernels, static_cast<int>(model_.info.sizes.stage1_cnn.channels.size()));
      }
    }
    EXPECT_LE(computed.spans.back().end, std::chrono::steady_clock::now());
  }
  EXPECT_EQ(backend.device_bytes(), emulation::kPlentyOfMemory - runtime.memory().available);
}

// A device of which something can be made to fail.
class FailingRuntime : public StandInRuntime {
 public:
  using StandInRuntime::StandInRuntime;

  void check_launch(int status, const char* kernel) const override {
    if (launches_left > 0 && --launches_left == 0) throw Error("a launch failed");
    Runtime::check_launch(status, kernel);
  }

  mutable int launches_left = 0;  // 0: none fails
};

TEST_F(CudaBackendInFlight, ABatchThatFailsTakesNoOtherWithIt) {
  const StreamOrderGuard guard(emulation::StreamOrder::kShuffled);
  auto owned = std::make_unique<FailingRuntime>();
  FailingRuntime& runtime = *owned;
  CudaBackend backend(std::move(owned), model_, Precision::kFp32);
  backend.submit(batches_[0]);
  runtime.launches_left = 20;  // while the second one's pass is recorded
  backend.submit(batches_[2]);
  runtime.launches_left = 0;
  EXPECT_EQ(backend.collect().reconstructions.front().refined, expected_[0].refined);
  backend.submit(batches_[1]);
  EXPECT_THROW(static_cast<void>(backend.collect()), Error);
  EXPECT_EQ(backend.collect().reconstructions.front().refined, expected_[1].refined);
  static_cast<void>(expect_same(backend));
}

// From room for one sample at a time to room for nothing.
TEST_F(CudaBackendInFlight, WhatDoesNotFitIsComputedInPieces) {
  const StreamOrderGuard guard(emulation::StreamOrder::kLate);
  auto owned = std::make_unique<StandInRuntime>(emulation::kPlentyOfMemory);
  const emulation::Runtime& plenty = *owned;
  CudaBackend backend(std::move(owned), model_, Precision::kFp32);
  static_cast<void>(run_backend(backend, batches_[2]));
  const std::size_t enough_for_one = emulation::kPlentyOfMemory - plenty.memory().available;
  static_cast<void>(run_backend(backend, batches_[2]));
  const std::size_t of_a_slot = emulation::kPlentyOfMemory - plenty.memory().available - enough_for_one;
  for (const std::size_t bytes : {enough_for_one + 4 * of_a_slot, enough_for_one + of_a_slot / 2}) {
    CudaBackend tight(std::make_unique<StandInRuntime>(bytes), model_, Precision::kFp32);
    std::vector<Sample> samples = batches_[3];
    tight.submit(samples);
    tight.submit(batches_[2]);
    EXPECT_EQ(tight.collect().reconstructions.back().refined, expected_[4].refined) << bytes;
    EXPECT_EQ(tight.collect().reconstructions.front().refined, expected_[2].refined) << bytes;
    if (bytes < enough_for_one + of_a_slot) {
      EXPECT_EQ(tight.largest_batch(), 1U);
    }
  }
  CudaBackend none(std::make_unique<StandInRuntime>(enough_for_one / 2), model_, Precision::kFp32);
  none.submit(batches_[0]);
  EXPECT_THROW(static_cast<void>(none.collect()), OutOfDeviceMemory);
  EXPECT_THROW(CudaBackend(std::make_unique<StandInRuntime>(1000), model_, Precision::kFp32), OutOfDeviceMemory);
}

}  // namespace
}  // namespace p2mpp
