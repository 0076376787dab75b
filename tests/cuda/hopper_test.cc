// The Hopper kernel: its index arithmetic, and the kernel itself on the emulation of a GPU against plain loops in
// double.
#include <gtest/gtest.h>

#include <cmath>
#include <set>

#include "ops/cpu_cases.h"
#include "ops/cuda/emulation/runtime.h"
#include "ops/cuda/emulation/warpgroup.h"
#include "ops/cuda/kernels/sampling.h"
#include "ops/cuda/numbers.h"
#include "ops/cuda/packed_weights.h"
#include "ops/cuda/tiling.h"

namespace p2mpp {
namespace {

using emulation::Order;

TEST(HopperLayout, AnOperandHasAPlaceForEveryElement) {
  for (const int rows : {48, 64, 192}) {
    std::set<int> places;
    for (int row = 0; row < rows; ++row) {
      for (int k = 0; k < 32; ++k) places.insert(operand_byte(rows, row, k));
    }
    EXPECT_EQ(places.size(), static_cast<std::size_t>(32 * rows));
    EXPECT_EQ(*places.rbegin(), operand_bytes(rows, 32) - 2);
  }
}

// Written from the definition of the matrix descriptor and of what "K-major without swizzling" means.
TEST(HopperLayout, ADescriptorLeadsToTheElements) {
  for (const int rows : {48, 64, 192}) {
    const std::uint32_t address = 0x12340;
    for (int step = 0; step < 3; ++step) {
      const std::uint64_t descriptor =
          operand_descriptor(address, rows) + descriptor_step(operand_bytes(rows, step * kHopperDepth));
      EXPECT_EQ(descriptor >> 46U, 0U) << "no base offset, no swizzling";
      const auto field = [&](unsigned bit) { return static_cast<int>(descriptor >> bit & 0x3fffU) * 16; };
      for (int row = 0; row < rows; ++row) {
        for (int k = 0; k < kHopperDepth; ++k) {
          const int found = field(0) + row / 8 * field(32) + row % 8 * 16 + k / 8 * field(16) + k % 8 * 2;
          ASSERT_EQ(found, static_cast<int>(address) + operand_byte(rows, row, step * kHopperDepth + k));
        }
      }
    }
  }
}

TEST(HopperLayout, APartOfTheTileHasItsColumnsAndSums) {
  const std::uint64_t rows = operand_descriptor(0x12340, kHopperColumns);
  for (const Arithmetic arithmetic : {Arithmetic::kBf16, Arithmetic::kFp16}) {
    const int parts = tile_parts(arithmetic);
    for (int part = 0; part < parts; ++part) {
      const int first_column = part * kHopperColumns / parts;
      const auto address = 0x12340U + static_cast<std::uint32_t>(operand_byte(kHopperColumns, first_column, 0));
      EXPECT_EQ(rows + part_step(parts, part), operand_descriptor(address, kHopperColumns));
      EXPECT_EQ(column_of_sum(0, part * kHopperSums / parts), first_column);
    }
  }
}

TEST(HopperLayout, AWarpgroupHoldsEverySumOnce) {
  std::set<std::pair<int, int>> held;
  for (int thread = 0; thread < kWarpgroupThreads; ++thread) {
    for (int reg = 0; reg < kHopperSums; ++reg)
      held.emplace(channel_of_sum(thread, reg), column_of_sum(thread % 32, reg));
  }
  EXPECT_EQ(held.size(), static_cast<std::size_t>(kWarpgroupChannels * kHopperColumns));
  EXPECT_EQ(*held.rbegin(), std::pair(kWarpgroupChannels - 1, kHopperColumns - 1));
}

// A's register r of step s: row lane / 4 + 8 * (r % 2), elements 2 * (lane % 4) + 8 * (r / 2) and the next.
TEST(HopperLayout, SumsAreAnOperandWhereTheyLie) {
  for (int lane = 0; lane < 32; ++lane) {
    for (int step = 0; step < kSupportSteps; ++step) {
      for (int reg = 0; reg < 4; ++reg) {
        for (int half = 0; half < 2; ++half) {
          const int sum = summed_register(step, reg, half);
          EXPECT_EQ(channel_of_sum(lane, sum), lane / 4 + 8 * (reg % 2));
          EXPECT_EQ(column_of_sum(lane, sum), step * kHopperDepth + 2 * (lane % 4) + 8 * (reg / 2) + half);
        }
      }
    }
  }
}

// A lane's word of a moved matrix is, transposed, of the columns that lanes 8 * matrix to 8 * matrix + 7 name.
TEST(HopperLayout, MovedMatricesAreTheSums) {
  for (int lane = 0; lane < 32; ++lane) {
    for (int matrix = 0; matrix < 4; ++matrix) {
      for (int half = 0; half < 2; ++half) {
        const int naming = 8 * matrix + 2 * (lane % 4) + half;
        EXPECT_EQ(column_of_sum(lane, moved_register(matrix) + half), moved_column(naming));
        EXPECT_EQ(channel_of_sum(lane, moved_register(matrix) + half), 8 * moved_eight(naming) + lane / 4);
      }
    }
  }
}

TEST(HopperLayout, PiecesFollowEachOther) {
  for (const int features : {80, 176, 352}) {
    for (const int hidden : {64, 128, 192}) {
      const auto layout = HopperLayout::of(features, hidden);
      EXPECT_EQ(layout.first_depth % kWeightDepth, 0);
      EXPECT_GE(layout.first_depth, features);
      EXPECT_GE(layout.weights, 2 * operand_bytes(kHopperColumns, hidden));
      EXPECT_GE(layout.weights, operand_bytes(kHopperColumns, layout.first_depth) + 8 * kHopperColumns * kMaxCudaViews);
      for (const int at : {layout.second_states, layout.weights, layout.stage_bytes, layout.support}) {
        EXPECT_EQ(at % kCoreBytes, 0);
      }
      EXPECT_EQ(layout.barriers % 8, 0);
    }
  }
  EXPECT_TRUE(fits_hopper(Arithmetic::kFp16, 352, 192, 227 * 1024));
  EXPECT_FALSE(fits_hopper(Arithmetic::kTf32, 352, 192, 227 * 1024));
  EXPECT_FALSE(fits_hopper(Arithmetic::kBf16, 352, 256, 227 * 1024));
  EXPECT_FALSE(fits_hopper(Arithmetic::kBf16, 352, 192, 99 * 1024));
}

TEST(HopperLayout, PackingPutsElementsInTheirPlace) {
  constexpr int kRows = 64;
  std::vector<std::uint32_t> packed;
  const auto value = [](int row, int k) { return static_cast<float>(row + 64 * (k % 2)); };
  append_to_stream(Arithmetic::kFp16, kRows, 2 * kWeightDepth, value, packed);
  ASSERT_EQ(packed.size() * 4, static_cast<std::size_t>(operand_bytes(kRows, 2 * kWeightDepth)));
  const auto* halves = reinterpret_cast<const std::uint16_t*>(packed.data());
  for (int row = 0; row < kRows; ++row) {
    for (int k = 0; k < 2 * kWeightDepth; ++k) {
      const int stage = k / kWeightDepth * operand_bytes(kRows, kWeightDepth);
      const int at = (stage + operand_byte(kRows, row, k % kWeightDepth)) / 2;
      ASSERT_EQ(float_from(static_cast<Float16>(halves[at])), value(row, k));
    }
  }
}

// --- what the emulation adds for Hopper finds what it is there to find

class HopperEmulation : public testing::TestWithParam<Order> {
 protected:
  void SetUp() override { emulation::set_order(GetParam()); }
  void TearDown() override { emulation::set_order(Order::kForward); }
};
INSTANTIATE_TEST_SUITE_P(Orders, HopperEmulation, testing::Values(Order::kForward, Order::kBackward, Order::kShuffled));

// Thread 0 fetches, the others read.
std::vector<int> copied(bool waits) {
  alignas(16) static constexpr int kSource[4] = {1, 2, 3, 4};
  std::vector<int> read(64, -1);
  emulation::run({.threads = 64, .shared_bytes = 32}, [&] {
    unsigned char* barrier = emulation::shared_memory() + 16;
    if (emulation::thread_index() == 0) emulation::make_phase_barrier(barrier, 1);
    emulation::wait_at_barrier(0, 64);
    if (emulation::thread_index() == 0) {
      emulation::arrive(barrier, 16);
      emulation::copy_in_bulk(emulation::shared_memory(), kSource, 16, barrier);
    }
    if (waits) emulation::wait_for_phase(barrier, 0);
    const auto thread = static_cast<std::size_t>(emulation::thread_index());
    std::memcpy(&read[thread], emulation::shared_memory() + 4 * (thread % 4), 4);
  });
  return read;
}

TEST_P(HopperEmulation, ACopyIsThereAfterItsPhase) {
  const std::vector<int> read = copied(true);
  for (std::size_t i = 0; i < read.size(); ++i) EXPECT_EQ(read[i], static_cast<int>(i % 4) + 1);
  if (GetParam() != Order::kForward) {
    EXPECT_NE(copied(false), read) << "a missing wait shows";
  }
}

TEST_P(HopperEmulation, APhaseThatNeverEndsIsAnError) {
  EXPECT_THROW(emulation::run({.threads = 32, .shared_bytes = 8},
                              [] {
                                if (emulation::thread_index() == 0) {
                                  emulation::make_phase_barrier(emulation::shared_memory(), 2);
                                  emulation::arrive(emulation::shared_memory(), 0);
                                }
                                emulation::wait_for_phase(emulation::shared_memory(), 0);
                              }),
               std::logic_error);
}

TEST_P(HopperEmulation, ProductsAreComputedWhenTheyAreWaitedFor) {
  int sum = 0;
  int early = 0;
  emulation::run({.threads = 32}, [&] {
    if (emulation::thread_index() > 0) return;
    emulation::queue_product([&sum] { ++sum; });
    emulation::end_group();
    emulation::queue_product([&sum] { sum += 10; });
    emulation::end_group();
    emulation::wait_for_groups(1);
    early = sum;
    emulation::wait_for_groups(0);
  });
  EXPECT_EQ(sum, 11);
  EXPECT_EQ(early, GetParam() == Order::kForward ? 11 : 1);
}

// --- the kernel

struct Sizes {
  int vertices, hypotheses, hidden, layers, views;  // layers: but the last
};

/// A drawn deformation reasoning block.
class Problem {
 public:
  Problem(const Sizes& sizes, Arithmetic arithmetic, unsigned seed)
      : sizes_(sizes), arithmetic_(arithmetic), draw_(seed), hidden_(hopper_hidden(sizes.hidden)) {
    arguments.lookup.views = sizes.views;
    arguments.lookup.sampling = Sampling::kBilinear;
    add_cameras();
    for (const int channels : {16, 32}) add_map(channels);
    arguments.point_column = columns_;
    arguments.features = columns_ + 16;
    add_points();
    add_layers();
    arguments.hopper = HopperLayout::of(arguments.features, hidden_);
    arguments.hidden = hidden_;
  }

  /// Scores [vertices, hypotheses] and moved vertices.
  void run() {
    const auto rows = static_cast<std::size_t>(sizes_.vertices * sizes_.hypotheses);
    std::fill_n(features_.data(), rows * static_cast<std::size_t>(arguments.features), NAN);
    scores.assign(rows, NAN);
    moved.assign(static_cast<std::size_t>(3 * sizes_.vertices), NAN);
    arguments.traced_features = features_.data();
    arguments.traced_scores = scores.data();
    arguments.moved = moved.data();
    const Launch launch{.blocks_x = blocks_for(sizes_.vertices, kHopperVertices),
                        .blocks_y = 1,
                        .threads = hopper_threads(hidden_),
                        .shared_bytes = static_cast<std::size_t>(arguments.hopper.bytes)};
    ASSERT_EQ(of(all_kernels().reason_on_hopper, arithmetic_)(launch, arguments, &stream_), 0);
  }

  /// What plain loops in double make of the features that the kernel sampled.
  [[nodiscard]] std::vector<double> expected_scores() const {
    std::vector<double> expected;
    for (int vertex = 0; vertex < sizes_.vertices; ++vertex) {
      std::ranges::copy(scores_of(vertex), std::back_inserter(expected));
    }
    return expected;
  }

  [[nodiscard]] float sampled(int row, int column) const { return features_.data()[row * arguments.features + column]; }

  [[nodiscard]] std::vector<double> expected_moves() const {
    std::vector<double> expected;
    const auto hypotheses = static_cast<std::size_t>(sizes_.hypotheses);
    for (std::size_t vertex = 0; vertex < static_cast<std::size_t>(sizes_.vertices); ++vertex) {
      double sum = 0;
      double offset[3] = {0, 0, 0};
      for (std::size_t node = 0; node < hypotheses; ++node) {
        const double weight = std::exp(static_cast<double>(scores[vertex * hypotheses + node]));
        sum += weight;
        for (std::size_t axis = 0; axis < 3; ++axis) {
          offset[axis] += weight * static_cast<double>(offsets_[3 * node + axis]);
        }
      }
      for (std::size_t axis = 0; axis < 3; ++axis) {
        expected.push_back(static_cast<double>(vertices_[3 * vertex + axis]) + offset[axis] / sum);
      }
    }
    return expected;
  }

  ReasoningArguments arguments{};
  std::vector<float> scores, moved;

 private:
  struct Layer {
    int in;
    std::vector<float> weight0, weight1, bias;  // [in, hidden]
  };

  void add_cameras() {
    for (int view = 0; view < sizes_.views; ++view) {
      ViewTransform& transform = transforms_.emplace_back();
      for (double& each : transform.rotation) each = draw_.uniform(-0.3, 0.3);
      transform.translation[2] = -1.5;
      transform.largest_z = -0.1;
    }
    arguments.lookup.transforms = transforms_.data();
  }

  void add_map(int channels) {
    DeviceMap& map = arguments.lookup.maps[arguments.lookup.map_count++];
    constexpr int kSide = 14;
    AlignedBuffer<float>& memory =
        maps_.emplace_back(static_cast<std::size_t>(sizes_.views * kSide * kSide * channels));
    auto* elements = reinterpret_cast<std::uint16_t*>(memory.data());
    for (int i = 0; i < sizes_.views * kSide * kSide * channels; ++i) {
      elements[i] = half(static_cast<float>(draw_.uniform(0, 2)));
    }
    map = {.values = memory.data(),
           .side = kSide,
           .stride = channels,
           .cells_per_pixel = kSide / 224.0F,
           .column = columns_};
    columns_ += 3 * channels;
  }

  void add_points() {
    const auto hypotheses = static_cast<std::size_t>(sizes_.hypotheses);
    vertices_ = draw_.values(static_cast<std::size_t>(3 * sizes_.vertices), -0.5, 0.5);
    offsets_ = draw_.values(3 * hypotheses, -0.3, 0.3);
    support_ = draw_.values(hypotheses * hypotheses, -0.3, 0.3);
    const auto packed = pack_support_operand(arithmetic_, support_, hypotheses);
    std::ranges::copy(packed, operand_.emplace_back(packed.size()).data());
    arguments.vertices = vertices_.data();
    arguments.vertex_count = arguments.vertices_per_sample = sizes_.vertices;
    arguments.offsets = offsets_.data();
    arguments.hypotheses = sizes_.hypotheses;
    arguments.support = support_.data();
    arguments.support_operand = operand_.back().data();
  }

  void add_layers() {
    std::vector<std::uint32_t> stream;
    biases_.reserve(static_cast<std::size_t>(sizes_.layers));
    for (int i = 0; i < sizes_.layers; ++i) {
      const int in = i == 0 ? arguments.features : sizes_.hidden;
      const int rows = i == 0 ? in : hidden_;
      const int depth = (rows + kWeightDepth - 1) / kWeightDepth * kWeightDepth;
      const auto count = static_cast<std::size_t>(in * sizes_.hidden);
      const double range = 1 / std::sqrt(static_cast<double>(in));
      layers_.push_back({in, draw_.values(count, -range, range), draw_.values(count, -range, range),
                         draw_.values(static_cast<std::size_t>(sizes_.hidden), -0.1, 0.1)});
      const Layer& layer = layers_.back();
      for (const auto* weight : {&layer.weight1, &layer.weight0}) {
        append_to_stream(
            arithmetic_, hidden_, depth,
            [&](int channel, int k) { return k < in && channel < sizes_.hidden ? at(*weight, k, channel) : 0; },
            stream);
      }
      biases_.emplace_back(layer.bias).resize(static_cast<std::size_t>(hidden_));
      arguments.layers[i].bias = biases_.back().data();
    }
    arguments.layer_count = sizes_.layers;
    std::ranges::copy(stream, operand_.emplace_back(stream.size()).data());
    arguments.weight_stream = operand_.back().data();
    for (AlignedBuffer<float>& last : last_) {
      std::fill_n(last.data(), hidden_, 0.0F);
      for (int i = 0; i < sizes_.hidden; ++i) last.data()[i] = static_cast<float>(draw_.uniform(-0.3, 0.3));
    }
    arguments.last_weights0 = last_[0].data();
    arguments.last_weights1 = last_[1].data();
    arguments.last_bias = 0.25F;
  }

  [[nodiscard]] std::uint16_t half(float value) const {
    return arithmetic_ == Arithmetic::kBf16 ? static_cast<std::uint16_t>(bfloat16_from(value))
                                            : static_cast<std::uint16_t>(float16_from(value));
  }

  [[nodiscard]] float at(const std::vector<float>& weight, int in, int out) const {
    return weight[static_cast<std::size_t>(in * sizes_.hidden + out)];
  }

  [[nodiscard]] std::vector<double> scores_of(int vertex) const {
    const int hypotheses = sizes_.hypotheses;
    const auto mixed = [&](const std::vector<double>& rows, int width) {
      std::vector<double> result(rows.size());
      for (int node = 0; node < hypotheses; ++node) {
        for (int other = 0; other < hypotheses; ++other) {
          const auto weight = static_cast<double>(support_[static_cast<std::size_t>(node * hypotheses + other)]);
          for (int i = 0; i < width; ++i) {
            result[static_cast<std::size_t>(node * width + i)] +=
                weight * rows[static_cast<std::size_t>(other * width + i)];
          }
        }
      }
      return result;
    };
    std::vector<double> state;
    for (int node = 0; node < hypotheses; ++node) {
      for (int i = 0; i < arguments.features; ++i) {
        state.push_back(static_cast<double>(sampled(vertex * hypotheses + node, i)));
      }
    }
    std::vector<std::vector<double>> states;
    for (std::size_t i = 0; i < layers_.size(); ++i) {
      const Layer& layer = layers_[i];
      const std::vector<double> neighbours = mixed(state, layer.in);
      std::vector<double> out;
      for (int node = 0; node < hypotheses; ++node) {
        for (int channel = 0; channel < sizes_.hidden; ++channel) {
          auto sum = static_cast<double>(layer.bias[static_cast<std::size_t>(channel)]);
          for (int k = 0; k < layer.in; ++k) {
            const auto place = static_cast<std::size_t>(node * layer.in + k);
            sum += state[place] * static_cast<double>(at(layer.weight0, k, channel)) +
                   neighbours[place] * static_cast<double>(at(layer.weight1, k, channel));
          }
          const double before = i >= 2 && i % 2 == 0 ? states[i - 2][out.size()] : 0;
          out.push_back(std::max(sum, 0.0) + before);
        }
      }
      states.push_back(out);
      state = out;
    }
    const auto product = [&](const AlignedBuffer<float>& weights) {
      std::vector<double> result(static_cast<std::size_t>(hypotheses));
      for (std::size_t i = 0; i < state.size(); ++i) {
        const auto width = static_cast<std::size_t>(sizes_.hidden);
        result[i / width] += state[i] * static_cast<double>(weights.data()[i % width]);
      }
      return result;
    };
    std::vector<double> result = mixed(product(last_[1]), 1);
    const std::vector<double> own = product(last_[0]);
    for (std::size_t i = 0; i < result.size(); ++i) result[i] += own[i] + static_cast<double>(arguments.last_bias);
    return result;
  }

  emulation::Streams streams_;
  emulation::Stream stream_{&streams_, kComputeStream};
  Sizes sizes_;
  Arithmetic arithmetic_;
  Draw draw_;
  int hidden_;
  int columns_ = 0;
  std::vector<ViewTransform> transforms_;
  std::vector<AlignedBuffer<float>> maps_;
  std::vector<AlignedBuffer<std::uint32_t>> operand_;
  std::vector<float> vertices_, offsets_, support_;
  std::vector<Layer> layers_;
  std::vector<std::vector<float>> biases_;
  AlignedBuffer<float> last_[2] = {AlignedBuffer<float>(192), AlignedBuffer<float>(192)};
  AlignedBuffer<float> features_{static_cast<std::size_t>(sizes_.vertices * sizes_.hypotheses) * 160};
};

class HopperKernel : public testing::TestWithParam<Arithmetic> {};
INSTANTIATE_TEST_SUITE_P(Arithmetics, HopperKernel, testing::Values(Arithmetic::kBf16, Arithmetic::kFp16));

TEST_P(HopperKernel, AgreesWithPlainLoops) {
  unsigned seed = 1;
  for (const Sizes& sizes : {Sizes{4, 43, 64, 3, 3}, Sizes{1, 1, 32, 1, 2}, Sizes{5, 48, 192, 5, 2},
                             Sizes{6, 17, 100, 4, 5}, Sizes{3, 30, 128, 2, 2}}) {
    Problem problem(sizes, GetParam(), ++seed);
    problem.run();
    const double tolerance = GetParam() == Arithmetic::kBf16 ? 2e-2 : 3e-3;  // of the largest
    EXPECT_LT(relative_difference(problem.scores, problem.expected_scores()), tolerance)
        << sizes.hypotheses << " hypotheses, width " << sizes.hidden;
    EXPECT_LT(relative_difference(problem.moved, problem.expected_moves()), 1e-6);
  }
}

TEST_P(HopperKernel, GivesTheSameBytesInEveryOrderOfItsThreads) {
  const Sizes sizes{5, 43, 128, 4, 3};
  Problem expected(sizes, GetParam(), 5);
  expected.run();
  for (const Order order : {Order::kBackward, Order::kShuffled}) {
    emulation::set_order(order);
    Problem problem(sizes, GetParam(), 5);
    problem.run();
    emulation::set_order(Order::kForward);
    EXPECT_EQ(problem.scores, expected.scores);
    EXPECT_EQ(problem.moved, expected.moved);
  }
}

}  // namespace
}  // namespace p2mpp
