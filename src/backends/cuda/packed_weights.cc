#include "backends/cuda/packed_weights.h"

#include "backends/cuda/numbers.h"

namespace p2mpp {
namespace {

float rounded(Arithmetic arithmetic, float value) {
  if (arithmetic == Arithmetic::kFp32 || arithmetic == Arithmetic::kTf32) return round_to_tf32(value);
  if (arithmetic == Arithmetic::kFp16) return float_from(float16_from(value));
  return arithmetic == Arithmetic::kFp8 ? float_from(float8_from(value)) : float_from(bfloat16_from(value));
}

float part_of(Arithmetic arithmetic, int part, float value) {
  const float larger = rounded(arithmetic, value);
  return part == 0 ? larger : rounded(arithmetic, value - larger);
}

}  // namespace

std::uint32_t packed_word(Arithmetic arithmetic, int part, float first, float second) {
  const float low = part_of(arithmetic, part, first);
  if (depth_of(arithmetic) == 8) return float_bits(low);
  const float high = part_of(arithmetic, part, second);
  if (arithmetic == Arithmetic::kFp16) {
    return static_cast<std::uint32_t>(float16_from(low)) | static_cast<std::uint32_t>(float16_from(high)) << 16U;
  }
  return static_cast<std::uint32_t>(bfloat16_from(low)) | static_cast<std::uint32_t>(bfloat16_from(high)) << 16U;
}

std::uint32_t packed_bytes(const std::array<float, 4>& values) {
  std::uint32_t word = 0;
  for (std::size_t i = 0; i < 4; ++i) word |= static_cast<std::uint32_t>(float8_from(values[i])) << 8 * i;
  return word;
}

std::vector<std::uint32_t> pack_support_operand(Arithmetic arithmetic, std::span<const float> support,
                                                std::size_t hypotheses) {
  const auto value = [&](int row, int k) {
    const auto to = static_cast<std::size_t>(row);
    const auto from = static_cast<std::size_t>(k);
    return from < hypotheses && to < hypotheses ? support[to * hypotheses + from] : 0.0F;
  };
  std::vector<std::uint32_t> packed;
  const int rows = hypothesis_rows(static_cast<int>(hypotheses));
  append_operand(arithmetic, rows, 0, rows, value, packed);
  return packed;
}

std::vector<std::uint32_t> pack_support(Arithmetic arithmetic, std::span<const float> support, std::size_t hypotheses) {
  const int depth = depth_of(arithmetic);
  const int rows = hypothesis_rows(static_cast<int>(hypotheses));
  const auto value = [&](int row, int column) {
    const auto from = static_cast<std::size_t>(row);  // the hypothesis that sends
    const auto to = static_cast<std::size_t>(column);
    return from < hypotheses && to < hypotheses ? support[to * hypotheses + from] : 0.0F;
  };
  std::vector<std::uint32_t> packed;
  for (int first = 0; first < rows; first += depth) {
    for (int tile = 0; tile < rows / kTileRows; ++tile) {
      for (int part = 0; part < parts_of(arithmetic); ++part) {
        for (int lane = 0; lane < 32; ++lane) {
          for (int reg = 0; reg < 2; ++reg) {
            const int column = tile * kTileRows + lane_group(lane);
            packed.push_back(packed_word(arithmetic, part, value(first + summed_row(depth, lane, reg, 0), column),
                                         value(first + summed_row(depth, lane, reg, 1), column)));
          }
        }
      }
    }
  }
  return packed;
}

}  // namespace p2mpp
