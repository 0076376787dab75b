#include "ops/cpu/packed_weights.h"

namespace p2mpp {
namespace {

constexpr std::size_t step_depth(float) { return 1; }
constexpr std::size_t step_depth(Bfloat16) { return 2; }

void assign(float& element, float value) { element = value; }
void assign(Bfloat16& element, float value) { element = bfloat16_from(value); }

}  // namespace

template <class Element>
PackedWeights<Element>::PackedWeights(const Kernels<Element>& kernels, std::span<const float> matrix,
                                      std::size_t segment_count, std::size_t columns)
    : segment_count_(segment_count), columns_(padded_channels(columns)) {
  constexpr std::size_t kStep = step_depth(Element{});
  const std::size_t source_depth = matrix.size() / columns / segment_count;
  depth_ = (source_depth + kStep - 1) / kStep * kStep;
  const std::size_t total_depth = segment_count * depth_;
  data_ = AlignedBuffer<Element>(total_depth * columns_);
  for (std::size_t column = 0; column < columns; ++column) {
    const std::size_t block = column / kernels.block_columns * kernels.block_columns;
    const std::size_t width = std::min(kernels.block_columns, columns_ - block);
    Element* out = data_.data() + block * total_depth + (column - block) * kStep;
    for (std::size_t segment = 0; segment < segment_count; ++segment) {
      for (std::size_t k = 0; k < source_depth; ++k) {
        const std::size_t row = segment * depth_ + k;
        assign(out[row / kStep * kStep * width + row % kStep], matrix[(segment * source_depth + k) * columns + column]);
      }
    }
  }
}

template class PackedWeights<float>;
template class PackedWeights<Bfloat16>;

AlignedBuffer<float> padded(std::span<const float> values) {
  AlignedBuffer<float> buffer(padded_channels(values.size()));
  std::ranges::copy(values, buffer.data());
  return buffer;
}

}  // namespace p2mpp
