// The emulation finds what it is there to find.
#include <gtest/gtest.h>

#include <cstring>
#include <stdexcept>
#include <vector>

#include "backends/cuda/fp8_tolerance.h"
#include "emulation/block.h"
#include "emulation/runtime.h"

namespace p2mpp::emulation {
namespace {

TEST(Emulation, RunsEveryThreadOfEveryBlock) {
  std::vector<int> seen(2 * 3 * 64);
  run({.blocks_x = 2, .blocks_y = 3, .threads = 64},
      [&] { ++seen[static_cast<std::size_t>((block_y() * 2 + block_x()) * block_threads() + thread_index())]; });
  EXPECT_EQ(seen, std::vector<int>(seen.size(), 1));
}

// Thread 0 reads what the last one writes.
float read_of_the_last(bool with_barrier) {
  float read = 0;
  run({.threads = 64, .shared_bytes = sizeof(float)}, [&] {
    const float value = 5;
    if (thread_index() == 63) std::memcpy(shared_memory(), &value, sizeof value);
    if (with_barrier) wait_at_barrier(0, 64);
    if (thread_index() == 0) std::memcpy(&read, shared_memory(), sizeof read);
  });
  return read;
}

TEST(Emulation, AMissingBarrierShows) {
  EXPECT_EQ(read_of_the_last(true), 5);
  EXPECT_NE(read_of_the_last(false), 5);
  set_order(Order::kBackward);
  EXPECT_EQ(read_of_the_last(true), 5);
  set_order(Order::kForward);
}

TEST(Emulation, ABarrierThatAThreadNeverReachesIsAnError) {
  EXPECT_THROW(run({.threads = 64},
                   [] {
                     if (thread_index() != 7) wait_at_barrier(0, 64);
                   }),
               std::logic_error);
}

TEST(Emulation, ABarrierOfSomeThreadsWaitsForThemAlone) {
  int passed = 0;
  run({.threads = 128}, [&] {
    if (thread_index() < 64) return;
    wait_at_barrier(1 + thread_index() / 96, thread_index() < 96 ? 32 : 32);
    ++passed;
  });
  EXPECT_EQ(passed, 64);
}

TEST(Emulation, AWriteBeyondSharedMemoryIsAnError) {
  EXPECT_THROW(run({.threads = 1, .shared_bytes = 8}, [] { shared_memory()[8] = 1; }), std::logic_error);
}

TEST(Emulation, SumsAreCutOff) {
  const float a[16 * 8] = {1, 1};
  const float b[8 * 8] = {1, 0, 0, 0, 0, 0, 0, 0, 0x1p-24F * 1.5F};
  float d[16 * 8] = {};
  multiply_add(8, a, b, d);
  EXPECT_EQ(d[0], 1);  // rounded it would be 1 + 2^-23
  EXPECT_EQ(d[8], 0);
}

// The first of the sums that the operands give, all others zeros.
float fp8_sum(std::vector<float> row, std::vector<float> column, float before) {
  row.resize(16 * kFp8Depth);
  std::vector<float> b(kFp8Depth * 8);
  for (std::size_t k = 0; k < column.size(); ++k) b[8 * k] = column[k];
  float d[16 * 8] = {before};
  multiply_add_fp8(row.data(), b.data(), d);
  return d[0];
}

TEST(Emulation, SumsInFp8KeepThirteenBits) {
  EXPECT_EQ(fp8_sum({}, {}, 1 + 0x1p-13F), 1 + 0x1p-13F);
  EXPECT_EQ(fp8_sum({}, {}, -1 - 0x1p-13F - 0x1p-14F), -1 - 0x1p-13F) << "towards zero";
  // 2^-5 * 2^-8 is a unit of 1, half of that is not there; beside 2 neither is.
  EXPECT_EQ(fp8_sum({1, 0x1p-5F}, {1, 0x1p-8F}, 0), 1 + 0x1p-13F);
  EXPECT_EQ(fp8_sum({1, 0x1p-6F, 0x1p-6F}, {1, 0x1p-8F, 0x1p-8F}, 0), 1) << "each is cut off by itself";
  EXPECT_EQ(fp8_sum({1, 1, 0x1p-5F}, {1, 1, 0x1p-8F}, 0), 2) << "what the sum is too long for is cut off, too";
  EXPECT_EQ(fp8_sum({1, 0x1p-5F}, {1, 0x1p-8F}, 2), 3);
  EXPECT_EQ(fp8_sum({1, -1, 0x1p-6F}, {1, 1, 0x1p-8F}, 0), 0) << "beside what is gone afterwards";
  set_fp8_sum_bits(kFloatSumBits);
  EXPECT_EQ(fp8_sum({1, 0x1p-6F, 0x1p-6F}, {1, 0x1p-8F, 0x1p-8F}, 0), 1 + 0x1p-13F);
  set_fp8_sum_bits(kHopperFp8SumBits);
}

// A copy in and, in another stream, a copy of what it brought: what the second one gives.
float copied_after(StreamOrder order, bool waits) {
  set_stream_order(order);
  Runtime runtime;
  const float value = 5;
  float between = 0;
  float result = 0;
  runtime.copy_to_device(&between, &value, sizeof value, runtime.stream(kCopyInStream));
  if (waits) runtime.wait_for(runtime.stream(kComputeStream), runtime.stream(kCopyInStream));
  runtime.copy_to_host(&result, &between, sizeof value, runtime.stream(kComputeStream));
  runtime.synchronize(runtime.stream(kComputeStream));
  runtime.synchronize(runtime.stream(kCopyInStream));
  set_stream_order(StreamOrder::kAtOnce);
  return result;
}

TEST(EmulatedStreams, AMissingWaitShows) {
  EXPECT_EQ(copied_after(StreamOrder::kLate, false), 0);
  for (int i = 0; i < 20; ++i) {
    EXPECT_EQ(copied_after(StreamOrder::kLate, true), 5);
    EXPECT_EQ(copied_after(StreamOrder::kShuffled, true), 5);
    EXPECT_EQ(copied_after(StreamOrder::kAtOnce, true), 5);
  }
  float sum = 0;
  for (int i = 0; i < 20; ++i) sum += copied_after(StreamOrder::kShuffled, false);
  EXPECT_LT(sum, 20 * 5);
}

TEST(EmulatedStreams, AMarkIsPassedWithoutWhatComesAfterIt) {
  set_stream_order(StreamOrder::kLate);
  Runtime runtime;
  const float value = 5;
  float first = 0;
  float second = 0;
  const DeviceStream stream = runtime.stream(kComputeStream);
  const auto before = std::chrono::steady_clock::now();
  const auto event = runtime.make_event();
  runtime.copy_to_host(&first, &value, sizeof value, stream);
  runtime.record(*event, stream);
  runtime.copy_to_host(&second, &value, sizeof value, stream);
  EXPECT_THROW(static_cast<void>(runtime.time_of(*event)), Error);
  runtime.wait(*event);
  EXPECT_EQ(first, 5);
  EXPECT_EQ(second, 0);
  EXPECT_GE(runtime.time_of(*event), before);
  runtime.synchronize(stream);
  EXPECT_EQ(second, 5);
  set_stream_order(StreamOrder::kAtOnce);
}

TEST(EmulatedStreams, ARecordingMustJoinWhatItForked) {
  Runtime runtime;
  const DeviceStream compute = runtime.stream(kComputeStream);
  const DeviceStream beside = runtime.stream(kBesideStream);
  const float value = 5;
  float result = 0;
  const auto record = [&](bool joins) {
    runtime.begin_recording();
    runtime.wait_for(beside, compute);
    runtime.copy_to_host(&result, &value, sizeof value, beside);
    if (joins) runtime.wait_for(compute, beside);
    return runtime.end_recording();
  };
  EXPECT_THROW(static_cast<void>(record(false)), Error);
  const auto graph = record(true);
  EXPECT_EQ(result, 0);
  runtime.launch(*graph, compute);
  EXPECT_EQ(result, 5);
}

TEST(EmulatedStreamsDeathTest, MemoryIsNotReleasedUnderQueuedWork) {
  EXPECT_DEATH(
      {
        set_stream_order(StreamOrder::kLate);
        Runtime runtime;
        void* memory = runtime.allocate(4);
        const float value = 5;
        runtime.copy_to_device(memory, &value, sizeof value, runtime.stream(kCopyInStream));
        runtime.release(memory);
      },
      "released while work is queued");
}

}  // namespace
}  // namespace p2mpp::emulation
