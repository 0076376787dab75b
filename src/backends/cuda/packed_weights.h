#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "backends/cuda/arithmetic.h"
#include "backends/cuda/hopper_layout.h"

namespace p2mpp {

/// A packed word: one tf32 number or two adjacent 16-bit numbers. `part` selects one of the parts that an operand is
/// split into.
[[nodiscard]] std::uint32_t packed_word(Arithmetic arithmetic, int part, float first, float second);

/// Packs four eight-bit numbers into a word, the first in the lowest bits.
[[nodiscard]] std::uint32_t packed_bytes(const std::array<float, 4>& values);

/// Packs a matrix in the order in which the kernels read it: pairs of tiles of columns (32, zero-padded); in each pair
/// all steps of the depth; in each step the fragments of the warp's lanes, 16 bytes each. `depth`: rows, a multiple of
/// 16. value(row, column): an element of the matrix.
template <class Value>
[[nodiscard]] std::vector<std::uint32_t> pack_weights(Arithmetic arithmetic, std::size_t depth, std::size_t columns,
                                                      const Value& value) {
  const int step_depth = depth_of(arithmetic);
  const std::size_t pairs = (columns + kPairChannels - 1) / kPairChannels;
  std::vector<std::uint32_t> packed;
  packed.reserve(pairs * depth * kPairChannels * static_cast<std::size_t>(parts_of(arithmetic)));
  for (std::size_t pair = 0; pair < pairs; ++pair) {
    for (std::size_t row = 0; row < depth; row += static_cast<std::size_t>(step_depth)) {
      for (int tile = 0; tile < 2; ++tile) {
        for (int part = 0; part < parts_of(arithmetic); ++part) {
          for (int lane = 0; lane < 32; ++lane) {
            for (int reg = 0; reg < kFragmentWords; ++reg) {
              const std::size_t column =
                  pair * kPairChannels + static_cast<std::size_t>(channel_of_register(tile, lane, reg));
              std::array<float, 2> elements{};
              for (int half = 0; column < columns && half < 2; ++half) {
                const auto k = static_cast<std::size_t>(element_of_register(step_depth, lane, reg, half));
                elements[static_cast<std::size_t>(half)] = value(row + k, column);
              }
              packed.push_back(packed_word(arithmetic, part, elements[0], elements[1]));
            }
          }
        }
      }
    }
  }
  return packed;
}

/// Appends rows of a matrix in the layout of a wgmma operand in shared memory (operand_byte()): `depth` elements
/// starting at `first`, a multiple of 16 bytes. value(row, k): an element.
template <class Value>
void append_operand(Arithmetic arithmetic, int rows, int first, int depth, const Value& value,
                    std::vector<std::uint32_t>& packed) {
  const int in_word = 4 / static_cast<int>(element_bytes(arithmetic));
  for (int piece = first; piece < first + depth; piece += 4 * in_word) {
    for (int row = 0; row < rows; ++row) {
      for (int k = piece; k < piece + 4 * in_word; k += in_word) {
        if (arithmetic == Arithmetic::kFp8) {
          packed.push_back(packed_bytes({value(row, k), value(row, k + 1), value(row, k + 2), value(row, k + 3)}));
        } else {
          packed.push_back(packed_word(arithmetic, 0, value(row, k), value(row, k + 1)));
        }
      }
    }
  }
}

/// Appends a layer's W0 or W1 to the Hopper kernel's weight stream, one buffer after another. In each layer, W1
/// comes first. value(channel, k): a weight, for channels below `hidden` and elements of a depth that is padded to
/// whole buffers.
template <class Value>
void append_to_stream(Arithmetic arithmetic, int hidden, int elements, const Value& value,
                      std::vector<std::uint32_t>& stream) {
  const int in_buffer = 2 * kWeightDepth / static_cast<int>(element_bytes(arithmetic));
  for (int first = 0; first < elements; first += in_buffer) {
    append_operand(arithmetic, hidden, first, in_buffer, value, stream);
  }
}

/// Packs T1 of the local graph, [hypotheses, hypotheses], as a wgmma operand with hypothesis_rows() rows, one per
/// receiving hypothesis.
[[nodiscard]] std::vector<std::uint32_t> pack_support_operand(Arithmetic arithmetic, std::span<const float> support,
                                                              std::size_t hypotheses);

/// Packs T1 of the local graph, [hypotheses, hypotheses], as the second operand of a product whose first operand are
/// sums: [steps of the rows][tiles of columns][parts][lanes][2], with hypothesis_rows() rows and columns.
[[nodiscard]] std::vector<std::uint32_t> pack_support(Arithmetic arithmetic, std::span<const float> support,
                                                      std::size_t hypotheses);

}  // namespace p2mpp
