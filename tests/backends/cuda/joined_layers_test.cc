// Layers of a block of graph convolutions in one launch, whose blocks of threads wait for each other: the numbers of a
// launch a layer, in every order; and how many kernels one sample then takes.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <numeric>

#include "backends/cpu/cpu_cases.h"
#include "backends/cuda/cuda_backend.h"
#include "backends/cuda/packed_weights.h"
#include "backends/cuda/stand_in_kernels.h"
#include "backends/cuda/tiling.h"
#include "backends/self_check/random_sample.h"
#include "emulation/block.h"

namespace p2mpp {
namespace {

using emulation::Order;

constexpr int kSamples = 2;
constexpr int kVertices = 55;  // the fourth tile is not full
constexpr int kChannels = 48;  // whole steps of every arithmetic; the second pair of tiles is not full
constexpr int kLayers = 5;
constexpr int kTiles = (kVertices + kGraphVertices - 1) / kGraphVertices;

template <class Value>
AlignedBuffer<Value> aligned(const std::vector<Value>& values) {
  AlignedBuffer<Value> buffer(values.size());
  std::ranges::copy(values, buffer.data());
  return buffer;
}

// A block's inner layers on a graph whose edges lead to any tile.
class JoinedLayers : public ::testing::TestWithParam<Arithmetic> {
 protected:
  JoinedLayers() {
    for (int vertex = 0; vertex < kVertices; ++vertex) {
      for (int i = 0; i < 4; ++i) {
        column_.push_back(static_cast<std::int32_t>(draw_.whole(0, kVertices - 1)));
        weight_.push_back(static_cast<float>(draw_.uniform(-0.4, 0.4)));
      }
      first_.push_back(static_cast<std::int32_t>(column_.size()));
    }
    for (int layer = 0; layer < kLayers; ++layer) {
      biases_.push_back(aligned(draw_.values(static_cast<std::size_t>(kPairs * kPairChannels), -0.1, 0.1)));
      for (int i = 0; i < 2; ++i) {
        const std::vector<float> weight = draw_.values(std::size_t{kChannels} * kChannels, -0.3, 0.3);
        weights_.push_back(aligned(pack_weights(GetParam(), kChannels, kChannels, [&](std::size_t in, std::size_t out) {
          return in < kChannels && out < kChannels ? weight[in * kChannels + out] : 0;
        })));
      }
    }
    input_ = draw_.values(kNumbers);
  }
  ~JoinedLayers() override { emulation::set_order(Order::kForward); }

  /// The last layer's result, with so many layers a launch. arrivals: the counters' initial value.
  std::vector<float> run(Order order, int layers_a_launch, std::uint32_t arrivals = 0) {
    emulation::set_order(order);
    AlignedBuffer<float> states[2] = {aligned(input_), aligned(std::vector<float>(kNumbers, NAN))};
    std::vector<std::uint32_t> counters(kSamples, arrivals);
    GraphLayersArguments arguments{.layer = {.input = nullptr,
                                             .output = nullptr,
                                             .weights0 = nullptr,
                                             .weights1 = nullptr,
                                             .bias = nullptr,
                                             .support = {first_.data(), column_.data(), weight_.data()},
                                             .vertex_count = kVertices,
                                             .stride = kChannels,
                                             .averages_before = false},
                                   .states = {states[0].data(), states[1].data()},
                                   .layers = {},
                                   .layer_count = 0,
                                   .tiles = kTiles,
                                   .arrivals = counters.data()};
    for (std::size_t layer = 0; layer < kLayers; ++layer) {
      arguments.layers[arguments.layer_count++] = {.weights0 = weights_[2 * layer].data(),
                                                   .weights1 = weights_[2 * layer + 1].data(),
                                                   .bias = biases_[layer].data(),
                                                   .averages_before = layer % 2 == 1};
      if (arguments.layer_count < layers_a_launch && layer + 1 < kLayers) continue;
      EXPECT_EQ(launch(arguments), 0);
      if (arguments.layer_count % 2 == 1) std::swap(arguments.states[0], arguments.states[1]);
      arguments.layer_count = 0;
    }
    return {arguments.states[0], arguments.states[0] + kNumbers};
  }

  int launch(const GraphLayersArguments& arguments, int samples = kSamples) {
    const Launch launch{.blocks_x = kTiles,
                        .blocks_y = samples,
                        .threads = graph_threads(kPairs),
                        .shared_bytes = graph_shared_bytes(kChannels, GetParam() == Arithmetic::kFp32 ? 8 : 16, kPairs),
                        .cooperative = arguments.layer_count > 1};
    return of(all_kernels().convolve_graph, GetParam())(launch, arguments, &stream_);
  }

  static constexpr int kPairs = (kChannels + kPairChannels - 1) / kPairChannels;
  static constexpr std::size_t kNumbers = std::size_t{kSamples} * kVertices * kChannels;

  emulation::Streams streams_;
  emulation::Stream stream_{&streams_, kComputeStream};
  Draw draw_{1};
  std::vector<std::int32_t> first_{0};
  std::vector<std::int32_t> column_;
  std::vector<float> weight_, input_;
  std::vector<AlignedBuffer<std::uint32_t>> weights_;
  std::vector<AlignedBuffer<float>> biases_;
};
INSTANTIATE_TEST_SUITE_P(Arithmetics, JoinedLayers, ::testing::Values(Arithmetic::kFp32, Arithmetic::kBf16x3));

constexpr std::array kOrders = {Order::kForward, Order::kBackward, Order::kShuffled};

TEST_P(JoinedLayers, GiveTheBytesOfALaunchALayer) {
  const std::vector<float> expected = run(Order::kForward, 1);
  EXPECT_TRUE(std::ranges::none_of(expected, [](float value) { return std::isnan(value); }));
  EXPECT_GT(std::ranges::count_if(expected, [](float value) { return value > 0; }), std::ssize(expected) / 4);
  for (const Order order : kOrders) EXPECT_EQ(run(order, kLayers), expected) << static_cast<int>(order);
  for (int i = 0; i < 10; ++i) EXPECT_EQ(run(Order::kShuffled, kLayers), expected);
}

// Counters that hold what an earlier pass left end every wait at once. What then comes out shows that waits are needed,
// and that the emulation runs blocks of threads in such orders that a missing one is found.
TEST_P(JoinedLayers, WithoutWaitingGiveSomethingElse) {
  const std::vector<float> expected = run(Order::kForward, 1);
  for (const Order order : kOrders) {
    EXPECT_NE(run(order, kLayers, std::uint32_t{kTiles} * kLayers), expected) << static_cast<int>(order);
  }
  // One arrival too many: one block of threads goes on too early, and only some orders show it.
  int found = 0;
  for (int i = 0; i < 20; ++i) found += run(Order::kShuffled, kLayers, 1) == expected ? 0 : 1;
  EXPECT_GT(found, 0);
}

TEST_P(JoinedLayers, DoNotRunWhereTheyFindNoRoomTogether) {
  GraphLayersArguments arguments{};
  arguments.layer_count = 2;
  EXPECT_NE(launch(arguments, emulation::kMultiprocessors / kTiles + 1), 0);
}

class OfMultiprocessors : public StandInRuntime {
 public:
  explicit OfMultiprocessors(int count) : count_(count) {}
  [[nodiscard]] int multiprocessors() const override { return count_; }

 private:
  int count_;
};

int kernels_of(const Model& model, int samples, int multiprocessors) {
  CudaBackend backend(std::make_unique<OfMultiprocessors>(multiprocessors), model, Precision::kFp32);
  backend.watch_device();
  const std::vector<Sample> batch(static_cast<std::size_t>(samples), random_sample(1, 3));
  backend.submit(batch);
  const std::vector<DeviceSpan> spans = backend.collect().spans;
  return std::accumulate(spans.begin(), spans.end(), 0,
                         [](int sum, const DeviceSpan& span) { return sum + span.kernels; });
}

// 132 multiprocessors: an H100. Of the published sizes, level 2 has more tiles than that.
TEST(KernelsOfASample, AreFew) {
  const Model model = load_model(std::filesystem::path(P2MPP_TEST_MODELS) / "golden-clean");
  EXPECT_EQ(kernels_of(model, 1, 132), 56);
  EXPECT_EQ(kernels_of(model, 3, 132), 56);
  EXPECT_EQ(kernels_of(model, 1, 8), 78) << "a launch a layer";
}

}  // namespace
}  // namespace p2mpp
