// What kernels and host share of tiles, shared memory and number formats. The order of fragments is held against the
// emulated instructions in probe_test.cc.
#include "backends/cuda/fragments.h"

#include <gtest/gtest.h>

#include <cmath>
#include <set>

#include "backends/cuda/numbers.h"
#include "backends/cuda/reasoning_layout.h"
#include "backends/cuda/tiling.h"

namespace p2mpp {
namespace {

// A shared memory has 32 banks of 4 bytes. A warp's loads of 8 bytes are served a half of it at a time, those of 16
// bytes a quarter: within these, no two lanes may need the same bank.
TEST(Fragments, RowsInSharedMemoryDoNotShareBanks) {
  for (const Arithmetic arithmetic : {Arithmetic::kFp32, Arithmetic::kBf16x3, Arithmetic::kTf32, Arithmetic::kBf16}) {
    const int depth = depth_of(arithmetic);
    const int bytes = static_cast<int>(element_bytes(arithmetic));
    const int words_of_lane = depth / 4 * bytes / 4;
    const int lanes_at_once = 32 / words_of_lane;
    for (int elements = 16; elements <= 512; elements += 16) {
      const int stride = shared_stride(elements, depth);
      ASSERT_GE(stride, elements);
      ASSERT_LE(stride, elements + 2 * depth);
      for (int first = 0; first < 32; first += lanes_at_once) {
        std::set<int> banks;
        for (int lane = first; lane < first + lanes_at_once; ++lane) {
          const int word = (lane_group(lane) * stride + first_element(depth, lane)) * bytes / 4;
          for (int i = 0; i < words_of_lane; ++i) banks.insert((word + i) % 32);
        }
        EXPECT_EQ(banks.size(), 32U) << "depth " << depth << ", " << elements << " elements";
      }
    }
  }
}

TEST(ReasoningLayout, PiecesFollowEachOther) {
  for (const Arithmetic arithmetic : {Arithmetic::kFp32, Arithmetic::kTf32, Arithmetic::kBf16}) {
    for (const int features : {160, 352}) {
      for (const int hidden : {96, 192}) {
        for (const int rows : {48, 64}) {
          const int bytes = static_cast<int>(element_bytes(arithmetic));
          const auto layout = ReasoningLayout::of(features, hidden, rows, depth_of(arithmetic), bytes);
          EXPECT_GE(layout.positions, 2 * layout.second_states);
          EXPECT_GE(layout.positions, layout.feature_stride * rows * bytes);
          EXPECT_EQ(layout.products, layout.positions + 8 * rows * kViewsAtOnce);
          EXPECT_EQ(layout.vertex_bytes % 16, 0);
        }
      }
    }
  }
}

TEST(ReasoningLayout, SharedMemoryHoldsAsManyVerticesAsItSays) {
  const auto together = [](Arithmetic arithmetic, std::size_t kilobytes, int rows = 48) {
    const auto layout =
        ReasoningLayout::of(352, 192, rows, depth_of(arithmetic), static_cast<int>(element_bytes(arithmetic)));
    const int threads = reasoning_vertex_threads(arithmetic, 192, rows);
    return vertices_per_block(arithmetic, layout, rows, threads, 1024 * kilobytes);
  };
  EXPECT_EQ(together(Arithmetic::kBf16, 227), 4);
  EXPECT_EQ(together(Arithmetic::kFp16, 99), 2);
  EXPECT_EQ(together(Arithmetic::kTf32, 227), 2);
  EXPECT_EQ(together(Arithmetic::kTf32, 99), 1);
  EXPECT_EQ(together(Arithmetic::kFp32, 227), 1);
  EXPECT_EQ(together(Arithmetic::kTf32, 48), 0);
  EXPECT_EQ(together(Arithmetic::kBf16, 227, 64), 2);
  EXPECT_EQ(together(Arithmetic::kFp16, 99, 64), 1);
  EXPECT_EQ(together(Arithmetic::kFp32, 227, 64), 1);
  EXPECT_EQ(together(Arithmetic::kFp32, 99, 64), 0);
}

TEST(Slices, FillADeviceThatWouldIdle) {
  EXPECT_EQ(count_slices(3 * 224 * 224, 1, 9), 1);
  EXPECT_EQ(count_slices(3 * 7 * 7, 16, 288), 8);
  EXPECT_EQ(count_slices(156, 12, 193), 8);
  EXPECT_EQ(count_slices(10, 1, 7), 1) << "too short to be cut";
  for (int pixels = 1; pixels < 10000; pixels += 37) {
    const int slices = count_slices(pixels, 4, 100);
    EXPECT_EQ(kBlockWarps % slices, 0);
  }
}

// Against the definition: value = mantissa * 2^(exponent - 10) with the leading bit, and without it below 2^-6.
TEST(Float8, EveryOneIsWhatItSaysAndComesBack) {
  for (int bits = 0; bits < 256; ++bits) {
    const auto small = static_cast<Float8>(bits);
    const float value = float_from(small);
    if ((bits & 0x7f) == 0x7f) {
      EXPECT_TRUE(std::isnan(value));
      EXPECT_TRUE(std::isnan(float_from(float8_from(value))));
      continue;
    }
    const int exponent = bits >> 3 & 15;
    const int mantissa = bits & 7;
    const double magnitude = exponent == 0 ? std::ldexp(mantissa, -9) : std::ldexp(8 + mantissa, exponent - 10);
    EXPECT_EQ(static_cast<double>(value), bits < 128 ? magnitude : -magnitude);
    EXPECT_EQ(std::signbit(value), bits >= 128);
    EXPECT_EQ(static_cast<int>(float8_from(value)), bits);
  }
}

TEST(Float8, IsRoundedToTheNearest) {
  for (int bits = 0; bits < 0x7e; ++bits) {
    const float low = float_from(static_cast<Float8>(bits));
    const float high = float_from(static_cast<Float8>(bits + 1));
    const float middle = (low + high) / 2;
    EXPECT_EQ(static_cast<int>(float8_from(std::nextafter(middle, 0.0F))), bits);
    EXPECT_EQ(static_cast<int>(float8_from(middle)), bits + bits % 2) << "a tie goes to the even one";
    EXPECT_EQ(static_cast<int>(float8_from(std::nextafter(middle, 1e9F))), bits + 1);
  }
  for (const float beyond : {448.5F, 1e9F, INFINITY}) {
    EXPECT_EQ(float_from(float8_from(beyond)), 448.0F);
    EXPECT_EQ(float_from(float8_from(-beyond)), -448.0F);
  }
}

TEST(Float16, EveryOneComesBack) {
  for (std::uint32_t bits = 0; bits < 0x10000U; ++bits) {
    const auto half = static_cast<Float16>(bits);
    const float value = float_from(half);
    if (std::isnan(value)) continue;
    ASSERT_EQ(static_cast<std::uint32_t>(float16_from(value)), bits) << value;
  }
}

TEST(Float16, IsRoundedToTheNearest) {
  EXPECT_EQ(float_from(float16_from(1.0F + 0x1p-11F)), 1.0F) << "a tie goes to the even one";
  EXPECT_EQ(float_from(float16_from(1.0F + 0x1.8p-10F)), 1.0F + 0x1p-9F);
  EXPECT_EQ(float_from(float16_from(65519.0F)), 65504.0F);
  EXPECT_TRUE(std::isinf(float_from(float16_from(65520.0F))));
  EXPECT_EQ(float_from(float16_from(0x1p-24F)), 0x1p-24F);
  EXPECT_EQ(float_from(float16_from(-0x1.1p-25F)), -0x1p-24F);
  EXPECT_TRUE(std::isnan(float_from(float16_from(NAN))));
}

TEST(Tf32, KeepsTenBits) {
  EXPECT_EQ(round_to_tf32(1.0F + 0x1p-11F), 1.0F + 0x1p-10F) << "a tie goes away from zero";
  EXPECT_EQ(round_to_tf32(-1.0F - 0x1p-12F), -1.0F);
  EXPECT_EQ(round_to_tf32(3.0F), 3.0F);
  EXPECT_TRUE(std::isnan(round_to_tf32(NAN)));
}

}  // namespace
}  // namespace p2mpp
