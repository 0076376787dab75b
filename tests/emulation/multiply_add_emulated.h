#pragma once

namespace p2mpp::cuda {
namespace {

// The layout of fragments is implemented independently here, from the instruction's definition, so that a mistake in
// backends/cuda/fragments.h gives wrong results.

/// The operand that the tensor core reads from a register: one tf32 number, or one of two halves.
template <class P>
float decode(std::uint32_t word, int half) {
  if constexpr (P::kArithmetic == Arithmetic::kFp16) {
    return half == 0 ? floats_of_f16(word).first : floats_of_f16(word).second;
  } else if constexpr (P::kDepth == 16) {
    return half == 0 ? floats_of_bf16(word).first : floats_of_bf16(word).second;
  } else {
    return float_of(word & 0xffffe000U);
  }
}

template <class P>
void gather_weights(int lane, const std::uint32_t (&words)[4], float* a) {
  if (emulation::has_fault(emulation::Fault::kWeightLanesSwapped)) lane ^= 1;
  for (int reg = 0; reg < 4; ++reg) {
    const int row = lane / 4 + 8 * (reg % 2);
    for (int half = 0; half < P::kDepth / 8; ++half) {
      const int k = P::kDepth == 8 ? lane % 4 + 4 * (reg / 2) : 2 * (lane % 4) + 8 * (reg / 2) + half;
      a[row * P::kDepth + k] = decode<P>(words[reg], half);
    }
  }
}

template <class P>
void gather_rows(int lane, const std::uint32_t (&words)[2], float* b) {
  if (emulation::has_fault(emulation::Fault::kRowLanesSwapped)) lane ^= 1;
  for (int reg = 0; reg < 2; ++reg) {
    for (int half = 0; half < P::kDepth / 8; ++half) {
      const int k = P::kDepth == 8 ? lane % 4 + 4 * reg : 2 * (lane % 4) + 8 * reg + half;
      b[k * 8 + lane / 4] = decode<P>(words[reg], half);
    }
  }
}

inline int place_of_sum(int lane, int k) {
  if (emulation::has_fault(emulation::Fault::kSumRowsSwapped)) k ^= 2;
  return (lane / 4 + 8 * (k / 2)) * 8 + 2 * (lane % 4) + k % 2;
}

template <class P, int kChannelTiles, int kRowTiles>
struct LaneOperands {
  float (*sums)[kRowTiles][4];
  const Weights<P::kParts>* weights;
  const Rows<P::kParts>* rows;
  int first_tile, tile_count;  // tiles of rows
};

template <class P, int kChannelTiles, int kRowTiles>
void multiply_add_warp(const emulation::WarpPointers& pointers) {
  using Lane = LaneOperands<P, kChannelTiles, kRowTiles>;
  const auto lane_operands = [&](int lane) -> const Lane& {
    return *static_cast<const Lane*>(pointers[static_cast<std::size_t>(lane)]);
  };
  const Lane& first = lane_operands(0);
  float a[kChannelTiles][P::kParts][16 * P::kDepth];
  float b[kRowTiles][P::kParts][P::kDepth * 8];
  for (int lane = 0; lane < 32; ++lane) {
    const Lane& mine = lane_operands(lane);
    for (int part = 0; part < P::kParts; ++part) {
      for (int i = 0; i < kChannelTiles; ++i) gather_weights<P>(lane, mine.weights[i].part[part], a[i][part]);
      for (int j = 0; j < first.tile_count; ++j) gather_rows<P>(lane, mine.rows[j].part[part], b[j][part]);
    }
  }
  for (int i = 0; i < kChannelTiles; ++i) {
    for (int j = 0; j < first.tile_count; ++j) {
      const auto sum_at = [&](int lane, int k) -> float& {
        return lane_operands(lane).sums[i][first.first_tile + j][k];
      };
      float d[16 * 8] = {};
      for (int lane = 0; lane < 32 && !P::kSumsApart; ++lane) {
        for (int k = 0; k < 4; ++k) d[place_of_sum(lane, k)] = sum_at(lane, k);
      }
      const int products = emulation::has_fault(emulation::Fault::kSmallPartsLost) ? 1 : kPartProducts<P::kParts>;
      for (int product = 0; product < products; ++product) {
        emulation::multiply_add(P::kDepth, a[i][weight_part(P::kParts, product)], b[j][row_part(P::kParts, product)],
                                d);
      }
      for (int lane = 0; lane < 32; ++lane) {
        for (int k = 0; k < 4; ++k) {
          sum_at(lane, k) = d[place_of_sum(lane, k)] + (P::kSumsApart ? sum_at(lane, k) : 0);
        }
      }
    }
  }
}

template <class P, int kChannelTiles, int kRowTiles>
P2MPP_DEVICE void multiply_add_tile(float (*sums)[kRowTiles][4], int row_tile,
                                    const Weights<P::kParts> (&weights)[kChannelTiles], const Rows<P::kParts>& rows) {
  LaneOperands<P, kChannelTiles, kRowTiles> mine{sums, weights, &rows, row_tile, 1};
  emulation::wait_for_warp(&mine, multiply_add_warp<P, kChannelTiles, kRowTiles>);
}

template <class P, int kChannelTiles, int kRowTiles>
P2MPP_DEVICE void multiply_add_chunks(float (&sums)[kChannelTiles][kRowTiles][4],
                                      const Weights<P::kParts> (&weights)[kChannelTiles],
                                      const Words<P::kChunkWords> (&chunks)[kRowTiles]) {
  Rows<P::kParts> rows[kRowTiles];
  for (int j = 0; j < kRowTiles; ++j) rows[j] = P::rows(chunks[j]);
  LaneOperands<P, kChannelTiles, kRowTiles> mine{sums, weights, rows, 0, kRowTiles};
  emulation::wait_for_warp(&mine, multiply_add_warp<P, kChannelTiles, kRowTiles>);
}

}  // namespace
}  // namespace p2mpp::cuda
