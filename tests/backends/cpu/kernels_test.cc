// Every kernel of every instruction set against plain loops in double.
#include "backends/cpu/kernels.h"

#include "backends/cpu/cpu_cases.h"
#include "backends/cpu/packed_weights.h"

namespace p2mpp {
namespace {

class KernelsTest : public EveryInstructionSet {};
INSTANTIATE_TEST_SUITE_P(All, KernelsTest, kTestedSets, set_name);

/// Row-major [segments * depth, columns].
template <class Element>
PackedWeights<Element> packed(const Kernels<Element>& kernels, const std::vector<float>& matrix, std::size_t segments,
                              std::size_t columns) {
  return {kernels, segments, matrix.size() / columns / segments, columns,
          [&](std::size_t row, std::size_t column) { return matrix[row * columns + column]; }};
}

/// A product of random sizes, and what it should give.
template <class Element>
struct ProductCase {
  ProductCase(const Kernels<Element>& kernels, Draw& draw)
      : rows(draw.whole(1, static_cast<std::size_t>(kernels.tile_rows))),
        segments(draw.whole(1, 5)),
        depth(draw.whole(1, 40)),
        columns(draw.whole(1, 100)),
        row_stride(depth + 1 + draw.whole(0, 9)),
        relu(draw.whole(0, 1) == 1),
        residual(draw.whole(0, 1) == 1),
        scale(draw.whole(0, 1) == 1 ? 0.5F : 1.0F),
        x(draw.values(segments * kSegmentRows * row_stride)),
        matrix(draw.values(segments * depth * columns)),
        bias(draw.values(columns)),
        before(draw.values(rows * padded_channels(columns))) {
    weights = packed(kernels, matrix, segments, columns);
  }

  [[nodiscard]] std::vector<double> expected() const {
    std::vector<double> out;
    for (std::size_t row = 0; row < rows; ++row) {
      for (std::size_t column = 0; column < columns; ++column) {
        double sum = bias[column];
        for (std::size_t segment = 0; segment < segments; ++segment) {
          for (std::size_t k = 0; k < depth; ++k) {
            const float value = x[(segment * kSegmentRows + row) * row_stride + k];
            sum += static_cast<double>(rounded<Element>(value)) *
                   rounded<Element>(matrix[(segment * depth + k) * columns + column]);
          }
        }
        if (relu) sum = std::max(sum, 0.0);
        if (residual) sum = (sum + before[row * padded_channels(columns) + column]) * scale;
        out.push_back(sum);
      }
    }
    return out;
  }

  static constexpr std::size_t kSegmentRows = 32;  // the most that a product reads

  std::size_t rows, segments, depth, columns, row_stride;
  bool relu, residual;
  float scale;
  std::vector<float> x, matrix, bias, before;
  PackedWeights<Element> weights;
};

template <class Element>
void check_products(InstructionSet set, double tolerance) {
  const Kernels<Element>& kernels = kernels_for<Element>(set);
  for (unsigned seed = 0; seed < 200; ++seed) {
    Draw draw(seed);
    const ProductCase<Element> c(kernels, draw);
    const AlignedBuffer<Element> x = operands<Element>(c.x);
    const AlignedBuffer<float> bias = padded(c.bias);
    const std::size_t stride = padded_channels(c.columns);
    // The row after the last must stay as it is.
    AlignedBuffer<float> out((c.rows + 1) * stride);
    AlignedBuffer<Element> out_element((c.rows + 1) * stride);
    std::ranges::copy(c.before, out.data());
    Product<Element> product = product_with(c.weights);
    for (std::size_t s = 0; s < c.segments; ++s) product.segments[s] = x.data() + s * c.kSegmentRows * c.row_stride;
    product.row_stride = c.row_stride;
    product.rows = static_cast<int>(c.rows);
    product.bias = bias.data();
    product.relu = c.relu;
    product.residual = c.residual ? out.data() : nullptr;
    product.scale = c.scale;
    product.out_stride = stride;
    product.out_float = out.data();
    product.out_element = out_element.data();
    const KernelSession session(kernels);
    kernels.multiply(product);
    std::vector<float> found;
    for (std::size_t row = 0; row < c.rows; ++row) {
      for (std::size_t column = 0; column < c.columns; ++column) {
        found.push_back(out.data()[row * stride + column]);
        ASSERT_EQ(as_float(out_element.data()[row * stride + column]), rounded<Element>(found.back())) << seed;
      }
    }
    ASSERT_LT(relative_difference(found, c.expected()), tolerance) << "seed " << seed;
    for (std::size_t i = c.rows * stride; i < out.size(); ++i) {
      ASSERT_EQ(out.data()[i], 0) << seed;
      ASSERT_EQ(as_float(out_element.data()[i]), 0) << seed;
    }
  }
}

TEST_P(KernelsTest, ProductsOfRandomSizes) {
  check_products<float>(GetParam(), 1e-5);
  check_products<Bfloat16>(GetParam(), 1e-5);
}

template <class Element>
void check_rows_of_tiles(InstructionSet set) {
  const Kernels<Element>& kernels = kernels_for<Element>(set);
  Draw draw(7);
  const std::size_t depth = 37;
  const auto rows = static_cast<std::size_t>(kernels.tile_rows);
  const PackedWeights<Element> weights = packed(kernels, draw.values(depth * 48), 1, 48);
  const AlignedBuffer<Element> x = operands<Element>(draw.values((rows + kLargestRowGroup) * depth));
  AlignedBuffer<float> together(rows * 48);
  AlignedBuffer<float> apart(rows * 48);
  Product<Element> product = product_with(weights);
  product.row_stride = depth;
  product.out_stride = 48;
  product.segments[0] = x.data();
  product.out_float = together.data();
  product.rows = kernels.tile_rows;
  const KernelSession session(kernels);
  kernels.multiply(product);
  for (std::size_t size = 1; size < rows; ++size) {
    for (std::size_t row = 0; row < rows; row += size) {
      product.rows = static_cast<int>(std::min(size, rows - row));
      product.segments[0] = x.data() + row * depth;
      product.out_float = apart.data() + row * 48;
      kernels.multiply(product);
    }
    ASSERT_TRUE(std::equal(together.data(), together.data() + rows * 48, apart.data())) << size << " rows";
  }
}

TEST_P(KernelsTest, ARowDoesNotDependOnItsTile) {
#if defined(__clang__)
  GTEST_SKIP() << "Clang fuses a product and a sum in some tile sizes and not in others; GCC always does";
#endif
  check_rows_of_tiles<float>(GetParam());
  check_rows_of_tiles<Bfloat16>(GetParam());
}

template <class Element>
void check_relu_of_nan(const Kernels<Element>& kernels) {
  const std::vector<float> ones(16, 1.0F);
  const PackedWeights<Element> weights = packed(kernels, ones, 1, 16);
  AlignedBuffer<Element> x(kLargestRowGroup);
  AlignedBuffer<float> out(16);
  x.data()[0] = element_from<Element>(NAN);
  Product<Element> product = product_with(weights);
  product.segments[0] = x.data();
  product.rows = 1;
  product.relu = true;
  product.out_stride = 16;
  product.out_float = out.data();
  const KernelSession session(kernels);
  kernels.multiply(product);
  EXPECT_TRUE(std::isnan(out.data()[5]));
}

TEST_P(KernelsTest, ReluKeepsNaN) {
  check_relu_of_nan(kernels_for<float>(GetParam()));
  check_relu_of_nan(kernels_for<Bfloat16>(GetParam()));
}

/// A random support of some rows with 0 to 9 neighbours each.
struct RandomSupport {
  RandomSupport(std::size_t rows, std::size_t columns, Draw& draw) : first{0} {
    for (std::size_t row = 0; row < rows; ++row) {
      for (std::size_t i = draw.whole(0, 9); i > 0; --i) {
        column.push_back(static_cast<std::int32_t>(draw.whole(0, columns - 1)));
        weight.push_back(static_cast<float>(draw.uniform(-1, 1)));
      }
      first.push_back(static_cast<std::int32_t>(column.size()));
    }
  }
  [[nodiscard]] SupportRows rows() const { return {first.data(), column.data(), weight.data()}; }
  [[nodiscard]] double sum(std::size_t row, const std::vector<float>& x, std::size_t stride, std::size_t at) const {
    double result = 0;
    for (auto i = static_cast<std::size_t>(first[row]); i < static_cast<std::size_t>(first[row + 1]); ++i) {
      result += static_cast<double>(weight[i]) * x[static_cast<std::size_t>(column[i]) * stride + at];
    }
    return result;
  }

  std::vector<std::int32_t> first, column;
  std::vector<float> weight;
};

TEST_P(KernelsTest, NeighboursAreSummed) {
  const auto& kernels = kernels_for<float>(GetParam());
  for (unsigned seed = 0; seed < 30; ++seed) {
    Draw draw(seed);
    const std::size_t stride = kChannelGroup * draw.whole(1, 14);
    const RandomSupport support(20, 30, draw);
    const std::vector<float> x = draw.values(30 * stride);
    std::vector<float> found(15 * stride);
    kernels.sum_neighbours(support.rows(), 3, 15, x.data(), stride, stride, found.data(), 0);
    std::vector<double> expected;
    for (std::size_t i = 0; i < 15 * stride; ++i)
      expected.push_back(support.sum(3 + i / stride, x, stride, i % stride));
    ASSERT_LT(relative_difference(found, expected), 1e-6) << "seed " << seed;
    // The same, rounded.
    std::vector<Bfloat16> halves(2 * found.size());
    kernels_for<Bfloat16>(GetParam())
        .sum_neighbours(support.rows(), 3, 15, x.data(), stride, stride, halves.data(), found.size());
    for (std::size_t i = 0; i < found.size(); ++i) {
      ASSERT_EQ(float_from(halves[i]), rounded<Bfloat16>(found[i]));
      ASSERT_EQ(halves[found.size() + i], bfloat16_from(bfloat16_rest(found[i])));
    }
  }
}

TEST_P(KernelsTest, NeighboursAreCombined) {
  const auto& kernels = kernels_for<float>(GetParam());
  Draw draw(3);
  const std::size_t width = 48;
  const std::size_t stride = 2 * width;
  const RandomSupport support(20, 20, draw);
  const std::vector<float> products = draw.values(20 * stride);
  const std::vector<float> bias = draw.values(width);
  std::vector<float> found(20 * width);
  kernels.combine_neighbours(support.rows(), 0, 20, products.data(), products.data() + width, stride, bias.data(),
                             width, found.data());
  std::vector<double> expected;
  for (std::size_t i = 0; i < found.size(); ++i) {
    const std::size_t row = i / width;
    const std::size_t column = i % width;
    expected.push_back(std::max(0.0, static_cast<double>(products[row * stride + column]) + bias[column] +
                                         support.sum(row, products, stride, width + column)));
  }
  EXPECT_LT(relative_difference(found, expected), 1e-6);
}

TEST_P(KernelsTest, RoundingIsToNearestEven) {
  const auto& kernels = kernels_for<Bfloat16>(GetParam());
  Draw draw(1);
  std::vector<float> values = draw.values(1024, -1e3, 1e3);
  const std::vector<float> special = {0.0F, -0.0F, 1.00390625F, 1.01171875F, 3.4e38F, INFINITY, -INFINITY, 1e-30F};
  std::ranges::copy(special, values.begin());
  std::vector<Bfloat16> found(values.size());
  kernels.round(values.data(), values.size(), found.data(), 0);
  for (std::size_t i = 0; i < values.size(); ++i) ASSERT_EQ(found[i], bfloat16_from(values[i])) << values[i];
  values.assign(16, NAN);
  kernels.round(values.data(), values.size(), found.data(), 0);
  EXPECT_TRUE(std::isnan(float_from(found[7])));
}

TEST_P(KernelsTest, AveragesAndDots) {
  const auto& kernels = kernels_for<float>(GetParam());
  Draw draw(5);
  const std::size_t width = 112;
  const std::vector<float> x = draw.values(7 * width);
  const std::vector<float> w0 = draw.values(width);
  const std::vector<float> w1 = draw.values(width);
  std::vector<float> mean(width);
  kernels.average(w0.data(), w1.data(), width, mean.data());
  for (std::size_t i = 0; i < width; ++i) ASSERT_FLOAT_EQ(mean[i], (w0[i] + w1[i]) / 2);
  std::vector<float> found(14);
  kernels.dot_product_pairs(x.data(), width, 7, width, w0.data(), w1.data(), found.data(), found.data() + 7);
  std::vector<double> expected(14);
  for (std::size_t i = 0; i < x.size(); ++i) {
    expected[i / width] += static_cast<double>(x[i]) * w0[i % width];
    expected[7 + i / width] += static_cast<double>(x[i]) * w1[i % width];
  }
  EXPECT_LT(relative_difference(found, expected), 1e-6);
}

}  // namespace
}  // namespace p2mpp
