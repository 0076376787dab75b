// The shared memory of the Hopper kernel, and Hopper's instructions in the emulation of a GPU. probe_test.cc holds the
// layout of operands and sums against those instructions, reasoning_test.cc tests the kernel itself.
#include <gtest/gtest.h>

#include <cstring>
#include <stdexcept>
#include <vector>

#include "backends/cuda/hopper_layout.h"
#include "emulation/block.h"
#include "emulation/warpgroup.h"

namespace p2mpp {
namespace {

using emulation::Order;

TEST(HopperLayout, PiecesAreAligned) {
  for (const int features : {80, 176, 352}) {
    for (const int hidden : {64, 128, 192}) {
      for (const int rows : {48, 64}) {
        const auto layout = HopperLayout::of(Arithmetic::kBf16, features, features - 16, hidden, rows);
        for (const int at : {layout.second_states, layout.weights, layout.buffer_bytes, layout.support}) {
          EXPECT_EQ(at % kCoreBytes, 0);
        }
        EXPECT_EQ(layout.barriers % 8, 0);
      }
    }
  }
}

// --- what the emulation adds for Hopper finds what it is there to find

class HopperEmulation : public ::testing::TestWithParam<Order> {
 protected:
  void SetUp() override { emulation::set_order(GetParam()); }
  void TearDown() override { emulation::set_order(Order::kForward); }
};
INSTANTIATE_TEST_SUITE_P(Orders, HopperEmulation,
                         ::testing::Values(Order::kForward, Order::kBackward, Order::kShuffled));

// Thread 0 fetches, the others read.
std::vector<int> copied(bool waits) {
  alignas(16) static constexpr int kSource[4] = {1, 2, 3, 4};
  std::vector<int> read(64, -1);
  emulation::run({.threads = 64, .shared_bytes = 32}, [&] {
    unsigned char* barrier = emulation::shared_memory() + 16;
    if (emulation::thread_index() == 0) emulation::make_phase_barrier(barrier, 1);
    emulation::wait_at_barrier(0, 64);
    if (emulation::thread_index() == 0) {
      emulation::arrive(barrier, 16);
      emulation::copy_in_bulk(emulation::shared_memory(), kSource, 16, barrier);
    }
    if (waits) emulation::wait_for_phase(barrier, 0);
    const auto thread = static_cast<std::size_t>(emulation::thread_index());
    std::memcpy(&read[thread], emulation::shared_memory() + 4 * (thread % 4), 4);
  });
  return read;
}

TEST_P(HopperEmulation, ACopyIsThereAfterItsPhase) {
  const std::vector<int> read = copied(true);
  for (std::size_t i = 0; i < read.size(); ++i) EXPECT_EQ(read[i], static_cast<int>(i % 4) + 1);
  if (GetParam() != Order::kForward) {
    EXPECT_NE(copied(false), read) << "a missing wait shows";
  }
}

TEST_P(HopperEmulation, APhaseThatNeverEndsIsAnError) {
  EXPECT_THROW(emulation::run({.threads = 32, .shared_bytes = 8},
                              [] {
                                if (emulation::thread_index() == 0) {
                                  emulation::make_phase_barrier(emulation::shared_memory(), 2);
                                  emulation::arrive(emulation::shared_memory(), 0);
                                }
                                emulation::wait_for_phase(emulation::shared_memory(), 0);
                              }),
               std::logic_error);
}

TEST_P(HopperEmulation, ProductsAreComputedWhenTheyAreWaitedFor) {
  int sum = 0;
  int early = 0;
  emulation::run({.threads = 32}, [&] {
    if (emulation::thread_index() > 0) return;
    emulation::queue_product([&sum] { ++sum; });
    emulation::end_group();
    emulation::queue_product([&sum] { sum += 10; });
    emulation::end_group();
    emulation::wait_for_groups(1);
    early = sum;
    emulation::wait_for_groups(0);
  });
  EXPECT_EQ(sum, 11);
  EXPECT_EQ(early, GetParam() == Order::kForward ? 11 : 1);
}

}  // namespace
}  // namespace p2mpp
