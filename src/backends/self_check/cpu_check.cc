#include "backends/self_check/cpu_check.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <deque>
#include <limits>

#include "backends/common/preprocess.h"
#include "backends/cpu/convolution.h"
#include "backends/cpu/packed_weights.h"
#include "backends/self_check/plain_loops.h"
#include "base/clock.h"
#include "p2mpp/error.h"
#include "p2mpp/metrics.h"

namespace p2mpp {
namespace {

float as_float(float value) { return value; }
float as_float(Bfloat16 value) { return float_from(value); }

/// The number that is stored. rest: elements from its first part to the second.
template <class Number>
float stored(const ElementOf<Number>* value, std::size_t rest) {
  return Storage<Number>::kParts == 2 ? as_float(*value) + as_float(value[rest]) : as_float(*value);
}

template <class Number>
float as_operand(float value) {
  ElementOf<Number> parts[2] = {};
  store_number<Number>(value, parts, 1);
  return stored<Number>(parts, 1);
}

/// Relative to the largest value. In bf16 and bf16x3 the expected values use rounded operands too. The remaining error
/// comes from rounding a convolution's output and the activations between layers, and from the product of two rests.
struct Tolerances {
  double convolution, graph, scores;
};
constexpr Tolerances tolerances(Precision precision) {
  if (precision == Precision::kBf16) return {4e-3, 0.02, 0.03};
  return precision == Precision::kBf16x3 ? Tolerances{2e-5, 1e-4, 2e-4} : Tolerances{1e-5, 1e-5, 2e-5};
}
// Standard deviations near 0 are the square root of a difference, which amplifies rounding errors; 1e-3 is the smallest
// possible.
constexpr double kLookupTolerance = 2e-4;
constexpr double kMoveTolerance = 2e-6;

constexpr int kOneThread = 1;

constexpr std::array kImageRules = {ImageRules{AlphaRule::kTransparentToWhite, kColourChannels},
                                    ImageRules{AlphaRule::kBlendOnWhite, kColourChannels},
                                    ImageRules{AlphaRule::kBlendOnWhite, kMaskedImageChannels}};

template <class Number>
Finding check_convolution(InstructionSet set, const Tolerances& bounds) {
  constexpr std::array kSizes = {ConvolutionSizes{2, 13, kColourChannels, 37, 3, 1},
                                 ConvolutionSizes{2, 13, kMaskedImageChannels, 37, 3, 1},
                                 ConvolutionSizes{3, 10, 24, 20, 3, 2}, ConvolutionSizes{1, 7, 40, 70, 5, 2},
                                 ConvolutionSizes{2, 5, 512, 80, 3, 1}};
  Finding worst{.what = "convolution", .tolerance = bounds.convolution};
  Draw draw(1);
  for (const ConvolutionSizes& sizes : kSizes) {
    const DrawnConvolution drawn(draw, sizes);
    const std::size_t stride = sizes.in <= kMaskedImageChannels ? sizes.in : padded_channels(sizes.in);
    const std::vector<float> found = convolved<Number>(set, drawn, stride, kOneThread);
    worst.error = std::max(worst.error, relative_difference(found, drawn.expected(as_operand<Number>)));
  }
  return worst;
}

template <class Number>
Finding check_graph(InstructionSet set, const Tolerances& bounds) {
  Finding worst{.what = "graph convolution", .tolerance = bounds.graph};
  Draw draw(2);
  for (const std::size_t channels : {40U, 192U}) {
    const DrawnGraph drawn(draw, 2, 61, channels, 4);
    const std::vector<float> found = graph_convolved<Number>(set, drawn);
    worst.error = std::max(worst.error, relative_difference(found, drawn.expected()));
  }
  return worst;
}

Finding check_lookup(InstructionSet set) {
  constexpr std::array kRules = {
      ProjectionRules{Sampling::kBilinear, false, false}, ProjectionRules{Sampling::kNearest, true, false},
      ProjectionRules{Sampling::kFloorCeil, false, false}, ProjectionRules{Sampling::kBilinear, false, true}};
  constexpr std::array kSizes = {MapSizes{224, 5}, MapSizes{56, 16}, MapSizes{7, 33}};
  Finding worst{.what = "projection", .tolerance = kLookupTolerance};
  Draw draw(3);
  for (std::size_t i = 0; i < kRules.size(); ++i) {
    const DrawnViews views(draw, 2 + i, kSizes, as_operand<float>);
    std::vector<float> points = drawn_points(draw, 30);
    points.insert(points.end(), {0, 0, 0});  // the optical centre of camera 0
    const std::vector<float> found = looked_up(set, kRules[i], views, points);
    const plain::Matrix expected = plain::look_up(kRules[i], views.cameras, views.maps, points);
    worst.error = std::max(worst.error, relative_difference(found, expected.values));
  }
  return worst;
}

template <class Number>
void check_reasoning(InstructionSet set, const Tolerances& bounds, std::vector<Finding>& findings) {
  Finding scores{.what = "deformation reasoning: scores", .tolerance = bounds.scores};
  Finding moves{.what = "deformation reasoning: moves", .tolerance = kMoveTolerance};
  Draw draw(4);
  for (const ReasoningSizes& sizes :
       {ReasoningSizes{7, 43, 192, 6, 3, {{28, 16}, {14, 32}, {7, 64}}}, ReasoningSizes{5, 57, 40, 4, 2, {{28, 5}}},
        with_evidence({5, 43, 40, 4, 3, {{28, 5}, {7, 17}}})}) {
    const DrawnReasoning drawn(draw, sizes, as_operand<float>);
    const ReasonedBlock found = reasoned<Number>(set, drawn, kOneThread);
    scores.error = std::max(scores.error, relative_difference(found.trace.scores, drawn.scores(drawn.features())));
    moves.error = std::max(moves.error, relative_difference(found.moved, drawn.moved(found.trace.scores)));
  }
  findings.push_back(scores);
  findings.push_back(moves);
}

Finding check_preprocess() {
  Finding worst{.what = "preprocess", .tolerance = plain::kPreprocessTolerance};
  Draw draw(5);
  for (const auto& [width, height] : {std::pair(137, 137), std::pair(5, 300), std::pair(500, 3)}) {
    for (const Image& image :
         {plain::drawn_image(draw, width, height), plain::drawn_opaque_image(draw, width, height)}) {
      for (const ImageRules& rules : kImageRules) {
        std::vector<float> planes(rules.channels * plain::kPlane);
        preprocess(image, rules, planes);
        worst.error = std::max(worst.error, relative_difference(planes, plain::preprocess(image, rules)));
      }
    }
  }
  return worst;
}

Finding check_neighbours() {
  Draw draw(6);
  const Points queries = plain::drawn_cloud(draw, 300);
  const Points targets = plain::drawn_cloud(draw, 700);
  return {.what = "nearest neighbours",
          .error = plain::squared_distance_difference(nearest_neighbours(queries, targets), queries, targets),
          .tolerance = 1e-12};
}

template <class Number>
std::vector<Finding> check_operations(InstructionSet set, Precision precision) {
  const Tolerances bounds = tolerances(precision);
  std::vector<Finding> findings = {check_convolution<Number>(set, bounds), check_graph<Number>(set, bounds)};
  check_reasoning<Number>(set, bounds, findings);
  if (precision == Precision::kFp32) {  // these do not depend on the precision
    findings.insert(findings.end(), {check_lookup(set), check_preprocess(), check_neighbours()});
  }
  return findings;
}

template <class Number>
void fill(const plain::Map& from, int images, FeatureMaps<Number>& to) {
  to.reserve(images);
  const double* pixel = from.values.data();
  for (int image = 0; image < images; ++image) {
    for (int i = 0; i < from.side * from.side; ++i, pixel += from.channels) {
      ElementOf<Number>* out = to.data() + to.offset(image, i / from.side, i % from.side);
      for (std::size_t channel = 0; channel < from.channels; ++channel) {
        store_number<Number>(static_cast<float>(pixel[channel]), out + channel, to.rest());
      }
    }
  }
}

// The maps in the layout of the CPU kernels. A deque keeps their addresses stable.
std::deque<FeatureMaps<float>> feature_maps(const DrawnViews& views) {
  std::deque<FeatureMaps<float>> maps;
  for (const plain::Map& map : views.maps) {
    fill(map, static_cast<int>(views.cameras.views.size()),
         maps.emplace_back(map.side, map.channels, padded_channels(map.channels), 1, 2));
  }
  return maps;
}

std::vector<const FeatureMaps<float>*> pointers(const std::deque<FeatureMaps<float>>& maps) {
  std::vector<const FeatureMaps<float>*> result;
  for (const FeatureMaps<float>& map : maps) result.push_back(&map);
  return result;
}

Support make_support(const DrawnSupport& drawn) {
  const auto size = static_cast<Eigen::Index>(drawn.first.size() - 1);
  const std::vector<float> dense = drawn.dense();
  using Dense = Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
  return Support(Eigen::Map<const Dense>(dense.data(), size, size).sparseView());
}

}  // namespace

template <class Number>
std::vector<float> convolved(InstructionSet set, const DrawnConvolution& drawn, std::size_t pixel_stride, int threads) {
  const ConvolutionSizes& sizes = drawn.sizes;
  const Convolution<Number> convolution(kernels_for<ElementOf<Number>>(set), drawn.weights(), sizes.side, pixel_stride);
  FeatureMaps<Number> input(sizes.side, sizes.in, pixel_stride, convolution.border_before(),
                            convolution.border_after());
  plain::Map pixels{sizes.side, sizes.in, {drawn.pixels.begin(), drawn.pixels.end()}};
  fill(pixels, sizes.images, input);
  const int side = convolution.output_side();
  FeatureMaps<Number> output(side, sizes.out, padded_channels(sizes.out), 2, 1);
  FeatureMaps<float> exact(side, sizes.out, padded_channels(sizes.out), 1, 0);
  output.reserve(sizes.images);
  exact.reserve(sizes.images);
  ThreadPool pool(threads);
  convolution.run(input, {.count = sizes.images}, output, &exact, pool);
  std::vector<float> found;
  for (int image = 0; image < sizes.images; ++image) {
    for (int i = 0; i < side * side; ++i) {
      const ElementOf<Number>* values = output.data() + output.offset(image, i / side, i % side);
      const float* exact_values = exact.data() + exact.offset(image, i / side, i % side);
      for (std::size_t channel = 0; channel < sizes.out; ++channel) {
        found.push_back(stored<Number>(values + channel, output.rest()));
        if (found.back() != as_operand<Number>(exact_values[channel])) {
          throw Error("a convolution's rounded and float outputs differ");
        }
      }
    }
  }
  return found;
}

template <class Number>
std::vector<float> graph_convolved(InstructionSet set, const DrawnGraph& drawn) {
  const Kernels<ElementOf<Number>>& kernels = kernels_for<ElementOf<Number>>(set);
  std::vector<GraphConvolution<Number>> layers;
  for (const GraphConvolutionWeights& weights : drawn.layers.layers()) layers.emplace_back(kernels, weights);
  States<Number> states[2] = {{drawn.vertices, drawn.channels}, {drawn.vertices, drawn.channels}};
  const std::size_t stride = states[0].stride();
  NeighbourSums<Number> neighbours;
  neighbours.reserve(kernels, stride);
  const Tiles tiles(drawn.vertices, kernels);
  const KernelSession session(kernels);
  std::vector<float> found;
  for (std::size_t sample = 0; sample < drawn.samples; ++sample) {
    for (std::size_t vertex = 0; vertex < drawn.vertices; ++vertex) {
      const float* row = drawn.input.data() + (sample * drawn.vertices + vertex) * drawn.channels;
      std::copy_n(row, drawn.channels, states[0].row(vertex));
    }
    states[0].round(kernels, 0, drawn.vertices);
    for (std::size_t i = 0; i < layers.size(); ++i) {
      const States<Number>& x = states[i % 2];
      for (std::size_t tile = 0; tile < tiles.count; ++tile) {
        neighbours.sum(kernels, drawn.support.rows(), tiles.begin(tile), tiles.size(tile), x.row(0), stride);
        layers[i].run_tile(x, tiles.begin(tile), tiles.size(tile), neighbours, Activation::kRelu,
                           DrawnGraph::averages(i) ? Residual::kMean : Residual::kNone, states[1 - i % 2]);
      }
    }
    for (std::size_t vertex = 0; vertex < drawn.vertices; ++vertex) {
      const float* row = states[layers.size() % 2].row(vertex);
      found.insert(found.end(), row, row + drawn.channels);
    }
  }
  return found;
}

std::vector<float> looked_up(InstructionSet set, const ProjectionRules& rules, const DrawnViews& views,
                             std::span<const float> points) {
  const auto maps = feature_maps(views);
  Projection projection(kernels_for<float>(set), rules, views.channels());
  projection.set_sample(views.cameras, pointers(maps));
  const std::size_t stride = padded_channels(projection.layout().width());
  const std::size_t count = points.size() / 3;
  AlignedBuffer<float> rows(count * stride);
  Projection::Scratch scratch;
  projection.run(points.data(), count, scratch, rows.data(), stride);
  return projection.layout().in_checkpoint_order(rows.data(), count, stride);
}

template <class Number>
ReasonedBlock reasoned(InstructionSet set, const DrawnReasoning& drawn, int threads) {
  DrawnViews views = drawn.views;
  std::vector<float> evidence;
  if (drawn.sizes.mask_evidence) {
    evidence.assign(views.maps.back().values.begin(), views.maps.back().values.end());
    views.maps.pop_back();
  }
  const auto maps = feature_maps(views);
  Projection projection(kernels_for<float>(set), drawn.sizes.rules, views.channels(), drawn.sizes.mask_evidence);
  projection.set_sample(views.cameras, pointers(maps), evidence.empty() ? nullptr : evidence.data());
  const LocalGraphOfHypotheses graph{drawn.offsets, make_support(drawn.support)};
  const auto layers = drawn.layers.layers();
  DeformationReasoning<Number> block(kernels_for<ElementOf<Number>>(set), layers, projection.layout(), graph,
                                     drawn.rectified);
  ThreadPool pool(threads);
  ReasonedBlock found;
  found.moved.resize(drawn.vertices.size());
  block.run(projection, drawn.vertices, found.moved, pool, &found.trace);
  return found;
}

std::vector<Finding> check_cpu_operations(InstructionSet set, Precision precision) {
  if (precision == Precision::kBf16x3) return check_operations<SplitFloat>(set, precision);
  return precision == Precision::kBf16 ? check_operations<Bfloat16>(set, precision)
                                       : check_operations<float>(set, precision);
}

#define P2MPP_INSTANTIATE(Number)                                                                           \
  template std::vector<float> convolved<Number>(InstructionSet, const DrawnConvolution&, std::size_t, int); \
  template std::vector<float> graph_convolved<Number>(InstructionSet, const DrawnGraph&);                   \
  template ReasonedBlock reasoned<Number>(InstructionSet, const DrawnReasoning&, int);
P2MPP_INSTANTIATE(float)
P2MPP_INSTANTIATE(Bfloat16)
P2MPP_INSTANTIATE(SplitFloat)
#undef P2MPP_INSTANTIATE

namespace {

// A layer of deformation reasoning: whole tiles of every set.
constexpr std::size_t kTimedRows = 224;
constexpr std::size_t kTimedDepth = 192;
constexpr std::size_t kTimedColumns = 192;
constexpr int kTimedRounds = 10;
// The sets differ by factors, and a busy machine disturbs.
constexpr double kChoiceTolerance = 0.5;

double milliseconds_of_product(InstructionSet set) {
  const Kernels<Bfloat16>& kernels = kernels_for<Bfloat16>(set);
  const PackedWeights<Bfloat16> weights(kernels, 1, kTimedDepth, kTimedColumns,
                                        [](std::size_t, std::size_t) { return 1.0F; });
  const AlignedBuffer<Bfloat16> x(kTimedRows * kTimedDepth);
  AlignedBuffer<float> out(kTimedRows * kTimedColumns);
  const Tiles tiles(kTimedRows, kernels);
  Product<Bfloat16> product = product_with(weights);
  product.row_stride = kTimedDepth;
  product.out_stride = kTimedColumns;
  const KernelSession session(kernels);
  auto fastest = Clock::duration::max();
  for (int round = 0; round < kTimedRounds; ++round) {
    const auto begin = Clock::now();
    for (std::size_t tile = 0; tile < tiles.count; ++tile) {
      product.segments[0] = x.data() + tiles.begin(tile) * kTimedDepth;
      product.rows = static_cast<int>(tiles.size(tile));
      product.out_float = out.data() + tiles.begin(tile) * kTimedColumns;
      kernels.multiply(product);
    }
    fastest = std::min(fastest, Clock::now() - begin);
  }
  return std::chrono::duration<double, std::milli>(fastest).count();
}

}  // namespace

Finding check_choice_for_bf16(std::span<const InstructionSet> sets, InstructionSet chosen) {
  double fastest = std::numeric_limits<double>::infinity();
  for (const InstructionSet set : sets) fastest = std::min(fastest, milliseconds_of_product(set));
  return {.what = "auto's products of bf16, time over the fastest set's, minus 1",
          .error = std::max(0.0, milliseconds_of_product(chosen) / fastest - 1),
          .tolerance = kChoiceTolerance};
}

}  // namespace p2mpp
