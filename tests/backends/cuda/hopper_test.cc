// The foundations of the Hopper kernel: its index arithmetic, and Hopper's instructions in the emulation of a GPU. The
// kernel itself is tested in reasoning_test.cc.
#include <gtest/gtest.h>

#include <cmath>
#include <set>

#include "backends/cpu/cpu_cases.h"
#include "backends/cuda/kernels/sampling.h"
#include "backends/cuda/numbers.h"
#include "backends/cuda/packed_weights.h"
#include "backends/cuda/tiling.h"
#include "emulation/runtime.h"
#include "emulation/warpgroup.h"

namespace p2mpp {
namespace {

using emulation::Order;

TEST(HopperLayout, AnOperandHasAPlaceForEveryElement) {
  for (const int rows : {48, 64, 192}) {
    std::set<int> places;
    for (int row = 0; row < rows; ++row) {
      for (int k = 0; k < 32; ++k) places.insert(operand_byte(rows, row, k));
    }
    EXPECT_EQ(places.size(), static_cast<std::size_t>(32 * rows));
    EXPECT_EQ(*places.rbegin(), operand_bytes(rows, 32) - 2);
  }
}

// Written from the definition of the matrix descriptor and of what "K-major without swizzling" means.
TEST(HopperLayout, ADescriptorLeadsToTheElements) {
  for (const int rows : {48, 64, 192}) {
    const std::uint32_t address = 0x12340;
    for (int step = 0; step < 3; ++step) {
      const std::uint64_t descriptor =
          operand_descriptor(address, rows) + descriptor_step(operand_bytes(rows, step * kHopperDepth));
      EXPECT_EQ(descriptor >> 46U, 0U) << "no base offset, no swizzling";
      const auto field = [&](unsigned bit) { return static_cast<int>(descriptor >> bit & 0x3fffU) * 16; };
      for (int row = 0; row < rows; ++row) {
        for (int k = 0; k < kHopperDepth; ++k) {
          const int found = field(0) + row / 8 * field(32) + row % 8 * 16 + k / 8 * field(16) + k % 8 * 2;
          ASSERT_EQ(found, static_cast<int>(address) + operand_byte(rows, row, step * kHopperDepth + k));
        }
      }
    }
  }
}

TEST(HopperLayout, AWarpgroupHoldsEverySumOnce) {
  std::set<std::pair<int, int>> held;
  for (int thread = 0; thread < kWarpgroupThreads; ++thread) {
    for (int reg = 0; reg < kHopperSums; ++reg)
      held.emplace(channel_of_sum(thread, reg), column_of_sum(thread % 32, reg));
  }
  EXPECT_EQ(held.size(), static_cast<std::size_t>(kWarpgroupChannels * kHopperColumns));
  EXPECT_EQ(*held.rbegin(), std::pair(kWarpgroupChannels - 1, kHopperColumns - 1));
}

// A's register r of step s: row lane / 4 + 8 * (r % 2), elements 2 * (lane % 4) + 8 * (r / 2) and the next.
TEST(HopperLayout, SumsAreAnOperandWhereTheyLie) {
  for (int lane = 0; lane < 32; ++lane) {
    for (int step = 0; step < support_steps(kMaxHypotheses); ++step) {
      for (int reg = 0; reg < 4; ++reg) {
        for (int half = 0; half < 2; ++half) {
          const int sum = summed_register(step, reg, half);
          EXPECT_EQ(channel_of_sum(lane, sum), lane / 4 + 8 * (reg % 2));
          EXPECT_EQ(column_of_sum(lane, sum), step * kHopperDepth + 2 * (lane % 4) + 8 * (reg / 2) + half);
        }
      }
    }
  }
}

// A lane's word of a moved matrix is, transposed, of the columns that lanes 8 * matrix to 8 * matrix + 7 name.
TEST(HopperLayout, MovedMatricesAreTheSums) {
  for (int lane = 0; lane < 32; ++lane) {
    for (int matrix = 0; matrix < 4; ++matrix) {
      for (int half = 0; half < 2; ++half) {
        const int naming = 8 * matrix + 2 * (lane % 4) + half;
        EXPECT_EQ(column_of_sum(lane, moved_register(matrix) + half), moved_column(naming));
        EXPECT_EQ(channel_of_sum(lane, moved_register(matrix) + half), 8 * moved_eight(naming) + lane / 4);
      }
    }
  }
}

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

TEST(HopperLayout, PackingPutsElementsInTheirPlace) {
  constexpr int kRows = 64;
  std::vector<std::uint32_t> packed;
  const auto value = [](int row, int k) { return static_cast<float>(row + 64 * (k % 2)); };
  append_to_stream(Arithmetic::kFp16, kRows, 2 * kWeightDepth, value, packed);
  ASSERT_EQ(packed.size() * 4, static_cast<std::size_t>(operand_bytes(kRows, 2 * kWeightDepth)));
  const auto* halves = reinterpret_cast<const std::uint16_t*>(packed.data());
  for (int row = 0; row < kRows; ++row) {
    for (int k = 0; k < 2 * kWeightDepth; ++k) {
      const int buffer = k / kWeightDepth * operand_bytes(kRows, kWeightDepth);
      const int at = (buffer + operand_byte(kRows, row, k % kWeightDepth)) / 2;
      ASSERT_EQ(float_from(static_cast<Float16>(halves[at])), value(row, k));
    }
  }
}

TEST(HopperLayout, EightBitStatesHaveEachChannelOnce) {
  std::set<int> channels;
  for (int k = 0; k < 192; ++k) {
    const int channel = channel_in_depth(Arithmetic::kFp8, k);
    EXPECT_EQ(channel / kWarpChannels, k / kWarpChannels) << "a warp's channels stay together";
    if (k % 2 == 0) {
      EXPECT_EQ(channel_in_depth(Arithmetic::kFp8, k + 1), channel + 8) << "what a thread has of a column";
    }
    channels.insert(channel);
  }
  EXPECT_EQ(channels.size(), 192U);
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
