#include "backends/cpu/deformation_reasoning.h"

#include <deque>

#include "backends/cpu/cpu_cases.h"

namespace p2mpp {
namespace {

class DeformationReasoningTest : public EveryInstructionSet {};
INSTANTIATE_TEST_SUITE_P(All, DeformationReasoningTest, kUsableSets, set_name);

using Rows = std::vector<std::vector<double>>;

/// A block of random sizes over one small map, and the plain way to compute it.
struct Block {
  explicit Block(unsigned seed) {
    Draw draw(seed);
    nodes = draw.whole(1, 60);
    const std::size_t hidden = draw.whole(1, 70);
    const std::size_t layer_count = draw.whole(2, 7);
    rectified = draw.whole(0, 1) == 1;
    graph.offsets = draw.values(3 * nodes, -0.02, 0.02);
    Eigen::MatrixXf dense = Eigen::MatrixXf::Zero(static_cast<Eigen::Index>(nodes), static_cast<Eigen::Index>(nodes));
    for (std::size_t i = 0; i < 4 * nodes; ++i) {
      dense(static_cast<Eigen::Index>(draw.whole(0, nodes - 1)), static_cast<Eigen::Index>(draw.whole(0, nodes - 1))) =
          static_cast<float>(draw.uniform(-0.5, 0.5));
    }
    support = dense;
    graph.support = Support(dense.sparseView());
    channels = {draw.whole(1, 20)};
    map = FeatureMaps<float>(28, channels[0], padded_channels(channels[0]), 0, 0);
    map.reserve(2);
    for (int i = 0; i < 2 * 28 * 28; ++i) {
      std::ranges::copy(draw.values(channels[0]), map.data() + map.offset(i / 784, i % 784 / 28, i % 28));
    }
    cameras = {camera_from_row({30, 25, 0, 0.8F, 25}), camera_from_row({120, 28, 0, 0.7F, 25})};
    for (std::size_t i = draw.whole(1, 20); i > 0; --i) {
      for (const double centre : {0.0, 0.0, -0.8})
        vertices.push_back(static_cast<float>(centre + draw.uniform(-0.2, 0.2)));
    }
    std::size_t in = 3 + 3 * channels[0];
    for (std::size_t layer = 0; layer < layer_count; ++layer) {
      const std::size_t out = layer + 1 == layer_count ? 1 : hidden;
      const double bound = 1 / std::sqrt(static_cast<double>(in));
      const auto& weight0 = values.emplace_back(draw.values(in * out, -bound, bound));
      const auto& weight1 = values.emplace_back(draw.values(in * out, -bound, bound));
      layers.push_back({weight0, weight1, values.emplace_back(draw.values(out))});
      in = out;
    }
  }

  [[nodiscard]] Rows layer(const GraphConvolutionWeights& weights, const Rows& x) const {
    Rows out(nodes, std::vector<double>(weights.out()));
    Rows others = out;
    for (std::size_t node = 0; node < nodes; ++node) {
      for (std::size_t j = 0; j < weights.out(); ++j) {
        out[node][j] = weights.bias[j];
        for (std::size_t k = 0; k < weights.in(); ++k) {
          out[node][j] += x[node][k] * weights.weight0[k * weights.out() + j];
          others[node][j] += x[node][k] * weights.weight1[k * weights.out() + j];
        }
      }
    }
    for (std::size_t node = 0; node < nodes; ++node) {
      for (std::size_t other = 0; other < nodes; ++other) {
        const double weight = support(static_cast<Eigen::Index>(node), static_cast<Eigen::Index>(other));
        for (std::size_t j = 0; j < weights.out(); ++j) out[node][j] += weight * others[other][j];
      }
    }
    return out;
  }

  /// Scores of one vertex from its rows in the checkpoint's order.
  [[nodiscard]] std::vector<double> scores(Rows x) const {
    Rows before = x;
    for (std::size_t i = 0; i < layers.size(); ++i) {
      Rows out = layer(layers[i], x);
      const bool last = i + 1 == layers.size();
      for (std::size_t node = 0; node < nodes; ++node) {
        for (std::size_t j = 0; j < out[node].size(); ++j) {
          if (!last || rectified) out[node][j] = std::max(out[node][j], 0.0);
          if (!last && i >= 2 && i % 2 == 0) out[node][j] += before[node][j];
        }
      }
      before = std::move(x);
      x = std::move(out);
    }
    std::vector<double> result;
    for (const auto& row : x) result.push_back(row[0]);
    return result;
  }

  std::size_t nodes = 0;
  bool rectified = false;
  LocalGraphOfHypotheses graph;
  Eigen::MatrixXf support;
  std::vector<std::size_t> channels;
  FeatureMaps<float> map;
  std::vector<Camera> cameras;
  std::vector<float> vertices;
  std::deque<std::vector<float>> values;
  std::vector<GraphConvolutionWeights> layers;
};

struct Found {
  std::vector<float> moved;
  ReasoningTrace trace;
};

template <class Element>
Found run(const Block& block, InstructionSet set, int threads) {
  const Kernels<Element>& kernels = kernels_for<Element>(set);
  Projection projection(kernels_for<float>(set), {}, block.channels);
  projection.set_sample(block.cameras, {&block.map});
  DeformationReasoning<Element> reasoning(kernels, block.layers, projection.layout(), block.graph, block.rectified);
  ThreadPool pool(threads);
  Found found;
  found.moved.resize(block.vertices.size());
  reasoning.run(projection, block.vertices, found.moved, pool, &found.trace);
  return found;
}

void check_moves(const Block& block, const Found& found, double tolerance) {
  for (std::size_t vertex = 0; 3 * vertex < block.vertices.size(); ++vertex) {
    double sum = 0;
    Eigen::Vector3d offset = Eigen::Vector3d::Zero();
    for (std::size_t i = 0; i < block.nodes; ++i) {
      const double weight = std::exp(static_cast<double>(found.trace.scores[vertex * block.nodes + i]));
      sum += weight;
      offset += weight * Eigen::Map<const Eigen::Vector3f>(block.graph.offsets.data() + 3 * i).cast<double>();
    }
    for (std::size_t axis = 0; axis < 3; ++axis) {
      const double expected = block.vertices[3 * vertex + axis] + offset[static_cast<Eigen::Index>(axis)] / sum;
      ASSERT_NEAR(found.moved[3 * vertex + axis], expected, tolerance);
    }
  }
}

template <class Element>
double score_difference(const Block& block, const Found& found) {
  const std::size_t width = 3 + 3 * block.channels[0];
  std::vector<double> expected;
  for (std::size_t vertex = 0; 3 * vertex < block.vertices.size(); ++vertex) {
    Rows rows;
    for (std::size_t node = 0; node < block.nodes; ++node) {
      const auto first =
          found.trace.projection.begin() + static_cast<std::ptrdiff_t>((vertex * block.nodes + node) * width);
      rows.emplace_back(first, first + static_cast<std::ptrdiff_t>(width));
    }
    const std::vector<double> scores = block.scores(rows);
    expected.insert(expected.end(), scores.begin(), scores.end());
  }
  return relative_difference(found.trace.scores, expected);
}

TEST_P(DeformationReasoningTest, RandomSizes) {
  for (unsigned seed = 0; seed < 25; ++seed) {
    const Block block(seed);
    const Found found = run<float>(block, GetParam(), 1);
    ASSERT_LT(score_difference<float>(block, found), 1e-5) << "seed " << seed;
    check_moves(block, found, 1e-6);
    const Found halves = run<Bfloat16>(block, GetParam(), 1);
    ASSERT_LT(score_difference<Bfloat16>(block, halves), 0.03) << "seed " << seed;
    check_moves(block, halves, 1e-6);
  }
}

TEST_P(DeformationReasoningTest, ThreadsDoNotMatter) {
  const Block block(4);
  const Found one = run<float>(block, GetParam(), 1);
  for (const int threads : {2, 5}) {
    const Found other = run<float>(block, GetParam(), threads);
    EXPECT_EQ(other.moved, one.moved);
    EXPECT_EQ(other.trace.scores, one.trace.scores);
  }
}

}  // namespace
}  // namespace p2mpp
