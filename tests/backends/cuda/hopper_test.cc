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

TEST(HopperLayout, PiecesFollowEachOther) {
  for (const int features : {80, 176, 352}) {
    for (const int hidden : {64, 128, 192}) {
      for (const int rows : {48, 64}) {
        const auto layout = HopperLayout::of(Arithmetic::kBf16, features, features - 16, hidden, rows);
        EXPECT_EQ(layout.feature_depth % kWeightDepth, 0);
        EXPECT_GE(layout.feature_depth, features);
        EXPECT_GE(layout.weights, 2 * operand_bytes(kHopperColumns, hidden));
        EXPECT_GE(layout.weights,
                  operand_bytes(kHopperColumns, layout.feature_depth) + 8 * kHopperColumns * kViewsAtOnce);
        EXPECT_EQ(layout.products, layout.support + operand_bytes(rows, rows));
        for (const int at : {layout.second_states, layout.weights, layout.buffer_bytes, layout.support}) {
          EXPECT_EQ(at % kCoreBytes, 0);
        }
        EXPECT_EQ(layout.barriers % 8, 0);
      }
    }
  }
  for (const int rows : {48, 64}) {
    EXPECT_TRUE(fits_hopper(Arithmetic::kFp16, 352, 336, 192, rows, 227 * 1024));
    EXPECT_FALSE(fits_hopper(Arithmetic::kTf32, 352, 336, 192, rows, 227 * 1024));
    EXPECT_FALSE(fits_hopper(Arithmetic::kBf16, 352, 336, 256, rows, 227 * 1024));
    EXPECT_FALSE(fits_hopper(Arithmetic::kBf16, 352, 336, 192, rows, 99 * 1024));
  }
}

TEST(HopperLayout, EightBitOperandsTakeHalfOfTheRoom) {
  const auto half = HopperLayout::of(Arithmetic::kBf16, 352, 336, 192, 48);
  const auto small = HopperLayout::of(Arithmetic::kFp8, 352, 336, 192, 48);
  EXPECT_EQ(small.state_depth, half.state_depth / 2);
  EXPECT_EQ(small.feature_depth * 2, 384) << "336 features in buffers of 64";
  EXPECT_EQ(small.point_depth, kWeightDepth);
  EXPECT_EQ(small.point_features, operand_bytes(kHopperColumns, small.feature_depth));
  EXPECT_GE(small.weights, small.point_features + operand_bytes(kHopperColumns, small.point_depth) +
                               8 * kHopperColumns * kViewsAtOnce);
  EXPECT_LT(small.bytes, half.bytes);
  EXPECT_TRUE(fits_hopper(Arithmetic::kFp8, 352, 336, 192, 64, 227 * 1024));
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
