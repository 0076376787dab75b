#include "micro/random_operands.h"

#include <algorithm>
#include <cmath>
#include <random>

namespace p2mpp::micro {

std::vector<float> random_values(std::size_t count, float bound) {
  std::minstd_rand random;
  std::uniform_real_distribution<float> distribution(-bound, bound);
  std::vector<float> values(count);
  std::ranges::generate(values, [&] { return distribution(random); });
  return values;
}

template <class Element>
AlignedBuffer<Element> random_operands(std::size_t count) {
  AlignedBuffer<Element> operands(count);
  const std::vector<float> values = random_values(count);
  for (std::size_t i = 0; i < count; ++i) convert(values[i], operands.data()[i]);
  return operands;
}

template <class Element>
FeatureMaps<Element> random_maps(int views, int side, std::size_t channels, std::size_t pixel_stride, int border_before,
                                 int border_after) {
  FeatureMaps<Element> maps(side, channels, pixel_stride, border_before, border_after);
  maps.reserve(views);
  const auto line_elements = static_cast<std::size_t>(side) * pixel_stride;
  const AlignedBuffer<Element> lines = random_operands<Element>(static_cast<std::size_t>(side) * line_elements);
  for (int view = 0; view < views; ++view) {
    for (int y = 0; y < side; ++y) {
      std::copy_n(lines.data() + static_cast<std::size_t>(y) * line_elements, line_elements,
                  maps.data() + maps.offset(view, y, 0));
    }
  }
  return maps;
}

template <class Element>
States<Element> random_states(const Kernels<Element>& kernels, std::size_t rows, std::size_t channels) {
  States<Element> states(rows, channels);
  std::ranges::copy(random_values(rows * states.stride()), states.row(0));
  states.round(kernels, 0, rows);
  return states;
}

RandomGraphConvolution::RandomGraphConvolution(std::size_t in, std::size_t out)
    : weight0_(random_values(in * out, 1 / std::sqrt(static_cast<float>(in)))),
      weight1_(weight0_.rbegin(), weight0_.rend()),  // others than weight0
      bias_(random_values(out)) {}

template AlignedBuffer<float> random_operands(std::size_t);
template AlignedBuffer<Bfloat16> random_operands(std::size_t);
template FeatureMaps<float> random_maps(int, int, std::size_t, std::size_t, int, int);
template FeatureMaps<Bfloat16> random_maps(int, int, std::size_t, std::size_t, int, int);
template States<float> random_states(const Kernels<float>&, std::size_t, std::size_t);
template States<Bfloat16> random_states(const Kernels<Bfloat16>&, std::size_t, std::size_t);

}  // namespace p2mpp::micro
