// The emulation finds what it is there to find.
#include <gtest/gtest.h>

#include <cstring>
#include <stdexcept>
#include <vector>

#include "ops/cuda/emulation/block.h"

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

}  // namespace
}  // namespace p2mpp::emulation
