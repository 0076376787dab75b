// Several engines on one device, on the emulation of a GPU: their passes follow each other, so that joined layers of
// two of them, whose blocks of threads wait for each other, are never on the device together. And what lets joined
// layers in before the convolutions beside them.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>

#include "backends/cuda/cuda_backend.h"
#include "backends/cuda/pass_order.h"
#include "backends/cuda/stand_in_kernels.h"
#include "backends/run_backend.h"
#include "backends/self_check/random_sample.h"

namespace p2mpp {
namespace {

using emulation::StreamOrder;

constexpr auto kFp32 = static_cast<std::size_t>(Arithmetic::kFp32);

// A launch, and, by engine, the kernels of passes as they were computed.
struct Launched {
  bool convolution, cooperative;
  const void* stream;
};
std::vector<Launched> launched;
std::vector<const void*> computed;

void note(bool convolution, bool cooperative, DeviceStream stream) {
  launched.push_back({convolution, cooperative, stream});
  emulation::Stream::of(stream).add([engine = emulation::Stream::of(stream).streams] { computed.push_back(engine); });
}

int noted_convolve(const Launch& launch, const ConvolutionArguments& arguments, DeviceStream stream) {
  note(true, launch.cooperative, stream);
  return convolve_stand_in(launch, arguments, stream);
}

int noted_convolve_graph(const Launch& launch, const GraphLayersArguments& arguments, DeviceStream stream) {
  note(false, launch.cooperative, stream);
  return convolve_graph_stand_in(launch, arguments, stream);
}

int noted_reason(const Launch& launch, const ReasoningArguments& arguments, DeviceStream stream) {
  note(false, launch.cooperative, stream);
  return reason_stand_in(launch, arguments, stream);
}

/// With others on the same device if they are given the same order.
class SharedDevice : public StandInRuntime {
 public:
  explicit SharedDevice(PassOrder* order) : order_(order) {
    kernels_ = StandInRuntime::kernels();
    kernels_.convolve[kFp32] = noted_convolve;
    kernels_.convolve_graph[kFp32] = noted_convolve_graph;
    kernels_.reason[kFp32] = noted_reason;
  }

  [[nodiscard]] const CudaKernels& kernels() const override { return kernels_; }
  [[nodiscard]] PassOrder& pass_order() override { return order_ != nullptr ? *order_ : StandInRuntime::pass_order(); }

 private:
  PassOrder* order_;
  CudaKernels kernels_{};
};

class SeveralEngines : public ::testing::Test {
 protected:
  SeveralEngines() {
    launched.clear();
    computed.clear();
  }
  ~SeveralEngines() override { emulation::set_stream_order(StreamOrder::kAtOnce); }

  [[nodiscard]] std::unique_ptr<CudaBackend> engine(PassOrder* order) const {
    auto made = std::make_unique<CudaBackend>(std::make_unique<SharedDevice>(order), model_, Precision::kFp32,
                                              CudaBackend::Launching::kOneByOne);
    for (const Sample& sample : samples_) {  // both of its batches in flight have room afterwards
      static_cast<void>(run_backend(*made, sample));
    }
    return made;
  }

  /// How often the device goes over from one engine's kernels to another's, with two batches of each in flight.
  [[nodiscard]] std::ptrdiff_t changes(StreamOrder stream_order, PassOrder* order) {
    emulation::set_stream_order(stream_order);
    const auto first = engine(order);
    const auto second = engine(order);
    computed.clear();
    for (const Sample& sample : samples_) {
      first->submit({&sample, 1});
      second->submit({&sample, 1});
    }
    std::vector<Points> found;
    for (std::size_t i = 0; i < samples_.size(); ++i) {
      found.push_back(second->collect().reconstructions.front().vertices());  // that was submitted last
    }
    for (const Points& expected : found) EXPECT_EQ(first->collect().reconstructions.front().vertices(), expected);
    std::ptrdiff_t count = 0;
    for (std::size_t i = 1; i < computed.size(); ++i) count += computed[i] != computed[i - 1] ? 1 : 0;
    return count;
  }

  const std::array<Sample, 2> samples_ = {random_sample(1, 2), random_sample(2, 2)};
  Model model_ = load_model(std::filesystem::path(P2MPP_TEST_MODELS) / "tiny-clean");
};

TEST_F(SeveralEngines, TheirPassesFollowEachOther) {
  for (const StreamOrder order : {StreamOrder::kAtOnce, StreamOrder::kLate, StreamOrder::kShuffled}) {
    PassOrder passes;
    EXPECT_EQ(changes(order, &passes), 3) << "first, second, first, second";
  }
}

// So that the test above can find it.
TEST_F(SeveralEngines, OnDevicesOfTheirOwnDoNotWaitForEachOther) {
  EXPECT_EQ(changes(StreamOrder::kLate, nullptr), 1) << "all of the second, when it is asked for, before the first";
  std::ptrdiff_t beside_each_other = 0;
  for (int i = 0; i < 5; ++i) beside_each_other = std::max(beside_each_other, changes(StreamOrder::kShuffled, nullptr));
  EXPECT_GT(beside_each_other, 3);
}

TEST_F(SeveralEngines, OneMayGoBeforeTheOthersPassIsComputed) {
  emulation::set_stream_order(StreamOrder::kLate);
  PassOrder passes;
  const std::span<const Sample> batch(&samples_[0], 1);
  const auto second = engine(&passes);
  {
    const auto first = engine(&passes);
    first->submit(batch);
    second->submit(batch);
  }
  const Points waited = second->collect().reconstructions.front().vertices();
  second->submit(batch);
  EXPECT_EQ(second->collect().reconstructions.front().vertices(), waited);
}

TEST_F(SeveralEngines, APassThatFailsHasItsTurn) {
  emulation::set_stream_order(StreamOrder::kLate);
  PassOrder passes;
  emulation::Runtime first;
  emulation::Runtime second;
  const auto end_of_first = first.make_event();
  const auto end_of_second = second.make_event();
  std::vector<int> order;
  const auto add = [&order](emulation::Runtime& runtime, int number) {
    emulation::Stream::of(runtime.stream(kComputeStream)).add([&order, number] { order.push_back(number); });
  };
  EXPECT_THROW(passes.queue(first, *end_of_first,
                            [&] {
                              add(first, 1);
                              throw Error("the second launch fails");
                            }),
               Error);
  passes.queue(second, *end_of_second, [&] { add(second, 2); });
  second.synchronize(second.stream(kComputeStream));
  EXPECT_EQ(order, (std::vector{1, 2}));
  first.synchronize(first.stream(kComputeStream));
}

// Their blocks of threads need room all at the same time, which convolutions in another stream would take bit by bit.
TEST_F(SeveralEngines, JoinedLayersGoBeforeConvolutionsBesideThem) {
  auto owned = std::make_unique<SharedDevice>(nullptr);
  const SharedDevice& runtime = *owned;
  CudaBackend backend(std::move(owned), model_, Precision::kFp32);
  backend.submit({&samples_[0], 1});
  static_cast<void>(backend.collect());
  const auto priority_of = [&runtime](const Launched& each) {
    return runtime.priority(const_cast<DeviceStream>(each.stream));
  };
  int joined = 0;
  int beside = 0;
  for (const Launched& layers : launched) {
    joined += layers.cooperative ? 1 : 0;
    for (const Launched& other : launched) {
      if (!layers.cooperative || !other.convolution || other.stream == layers.stream) continue;
      ++beside;
      EXPECT_LT(priority_of(layers), priority_of(other));
    }
  }
  EXPECT_EQ(joined, 2) << "a launch a level but the last, which has too many tiles";
  EXPECT_GT(beside, 0);
}

}  // namespace
}  // namespace p2mpp
