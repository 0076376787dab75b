// The self-check of a GPU's kernels, on the emulation of one: right kernels pass, and each of many mistakes is found. A
// mistake is either the emulated GPU's (a fragment's order, a barrier that is missing, a buffer that is stale, ...) or
// in what a kernel is launched with (a list, a permutation, the last tile, ...); see emulation/fault.h.
#include "backends/cuda/self_check/device_check.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <type_traits>

#include "emulation/fault.h"
#include "emulation/runtime.h"

namespace p2mpp {
namespace {

using emulation::Fault;
using Generation = emulation::Runtime::Generation;

// Small: a check emulates every thread. More than one warpgroup, block of threads and buffer of the Hopper kernel's
// ring.
constexpr DeviceCheckSizes kSmallSizes{
    .views = 2, .hypotheses = 43, .hidden = 48, .reasoning_hidden = 80, .reasoning_layers = 4};

std::string failures(const std::vector<Finding>& findings) {
  std::string text;
  for (const Finding& finding : findings) {
    if (!finding.passed()) text += describe_failure(finding) + "\n";
  }
  return text;
}

struct Device {
  Precision precision;
  Generation generation;
};

class RightKernels : public ::testing::TestWithParam<Device> {};
constexpr std::array kDevices = {
    Device{Precision::kFp32, Generation::kAny},    Device{Precision::kTf32, Generation::kAny},
    Device{Precision::kBf16, Generation::kAny},    Device{Precision::kFp16, Generation::kAny},
    Device{Precision::kBf16, Generation::kHopper}, Device{Precision::kFp16, Generation::kHopper},
    Device{Precision::kFp8, Generation::kHopper}};
INSTANTIATE_TEST_SUITE_P(All, RightKernels, ::testing::ValuesIn(kDevices));

TEST_P(RightKernels, Pass) {
  emulation::Runtime runtime(emulation::kPlentyOfMemory, GetParam().generation);
  for (const DeviceCheckSizes& sizes : {DeviceCheckSizes{}, kSmallSizes}) {
    const std::vector<Finding> findings = check_device(runtime, GetParam().precision, sizes);
    EXPECT_GT(findings.size(), 12U);
    EXPECT_EQ(failures(findings), "") << sizes.describe();
  }
}

// Each arithmetic of products, and each kernel: fp8 convolves in bf16. reasoning_test.cc has the portable one in bf16.
class RightKernelsThoroughly : public RightKernels {};
INSTANTIATE_TEST_SUITE_P(All, RightKernelsThoroughly,
                         ::testing::Values(Device{Precision::kFp32, Generation::kAny},
                                           Device{Precision::kTf32, Generation::kAny},
                                           Device{Precision::kFp16, Generation::kHopper},
                                           Device{Precision::kFp8, Generation::kHopper}));

TEST_P(RightKernelsThoroughly, Pass) {
  emulation::Runtime runtime(emulation::kPlentyOfMemory, GetParam().generation);
  const std::vector<Finding> findings = check_device_thoroughly(runtime, GetParam().precision);
  EXPECT_GT(findings.size(), 30U);
  EXPECT_EQ(failures(findings), "");
}

TEST(DeviceCheck, SaysWhatADeviceLacks) {
  emulation::Runtime runtime(emulation::kPlentyOfMemory, Generation::kAny);
  const std::vector<Finding> findings = check_device(runtime, Precision::kFp8, kSmallSizes);
  ASSERT_NE(first_failure(findings), nullptr);
  EXPECT_NE(first_failure(findings)->problem, "");
  EXPECT_NE(failures(findings).find("fp8"), std::string::npos);
}

TEST(DeviceCheck, RunsOutOfMemoryInOneLine) {
  emulation::Runtime runtime(100'000, Generation::kAny);
  const std::vector<Finding> findings = check_device(runtime, Precision::kFp32, kSmallSizes);
  ASSERT_NE(first_failure(findings), nullptr);
  EXPECT_NE(first_failure(findings)->problem.find("no memory left"), std::string::npos);
}

/// A change of a kernel's launch arguments.
template <class Arguments>
using Change = void (*)(Launch&, Arguments&);

/// Puts a kernel that changes what it is launched with in the place of a real one; one at a time for each kind.
template <class Arguments>
struct Changed {
  static inline LaunchFunction<Arguments> real = nullptr;
  static inline Change<Arguments> change = nullptr;

  static int launch(const Launch& asked, const Arguments& given, DeviceStream stream) {
    Launch changed_launch = asked;
    Arguments arguments = given;
    change(changed_launch, arguments);
    return real(changed_launch, arguments, stream);
  }
  static void put(LaunchFunction<Arguments>& kernel, Change<Arguments> new_change) {
    real = kernel;
    change = new_change;
    kernel = launch;
  }
};

using ChangeOfKernels = std::function<void(CudaKernels&)>;

/// Changes what one kernel is launched with.
template <class Arguments>
ChangeOfKernels changed(LaunchFunction<Arguments> CudaKernels::*kernel, std::type_identity_t<Change<Arguments>> what) {
  return [=](CudaKernels& kernels) { Changed<Arguments>::put(kernels.*kernel, what); };
}

/// The same for the kernel of an arithmetic.
template <class Arguments>
ChangeOfKernels changed(std::array<LaunchFunction<Arguments>, kArithmeticCount> CudaKernels::*kernel,
                        Arithmetic arithmetic, std::type_identity_t<Change<Arguments>> what) {
  return [=](CudaKernels& kernels) {
    Changed<Arguments>::put((kernels.*kernel)[static_cast<std::size_t>(arithmetic)], what);
  };
}

class ChangedRuntime : public emulation::Runtime {
 public:
  ChangedRuntime(Generation generation, const ChangeOfKernels& changes)
      : Runtime(emulation::kPlentyOfMemory, generation) {
    if (changes) changes(kernels_);
  }
  [[nodiscard]] const CudaKernels& kernels() const override { return kernels_; }

 private:
  CudaKernels kernels_ = all_kernels();
};

struct Mutation {
  const char* name;
  Device device;
  const char* found_in;  // of a finding
  ChangeOfKernels changes = {};
  Fault fault = Fault::kNone;
  int fault_index = 0;
};

constexpr Device kAnyTf32{Precision::kTf32, Generation::kAny};
constexpr Device kAnyBf16{Precision::kBf16, Generation::kAny};
constexpr Device kHopperBf16{Precision::kBf16, Generation::kHopper};
constexpr Device kHopperFp8{Precision::kFp8, Generation::kHopper};

// Faults of the emulated GPU.
const std::vector<Mutation>& faults() {
  static const std::vector<Mutation> all = {
      {"FragmentOrderOfWeights", kAnyTf32, "convolution, tf32", {}, Fault::kWeightLanesSwapped},
      {"FragmentOrderOfRows", kAnyBf16, "convolution, bf16x3", {}, Fault::kRowLanesSwapped},
      {"FragmentOrderOfSums", kAnyBf16, "deformation reasoning, bf16", {}, Fault::kSumRowsSwapped},
      {"SmallPartsLost", kAnyBf16, "graph convolution, bf16x3", {}, Fault::kSmallPartsLost},
      {"DepthOneShort", kHopperBf16, "deformation reasoning on Hopper", {}, Fault::kLastDepthLost},
      {"FirstBarrierOfGraphConvolution", kAnyBf16, "graph convolution", {}, Fault::kBarrierSkipped, 0},
      {"SecondBarrierOfGraphConvolution", kAnyBf16, "graph convolution", {}, Fault::kBarrierSkipped, 1},
      {"BarrierAfterAReasoningLayer", kAnyBf16, "deformation reasoning, bf16", {}, Fault::kBarrierSkipped, 3},
      {"BarrierAfterTheLookup", kHopperBf16, "deformation reasoning on Hopper", {}, Fault::kBarrierSkipped, 2},
      {"BlocksThatDoNotWait", kAnyBf16, "graph convolutions in one launch", {}, Fault::kGridBarrierSkipped},
      {"SumOverAWarp", kAnyBf16, "coordinates", {}, Fault::kLaneSumsWrong},
      {"PhaseParity", kHopperBf16, "deformation reasoning on Hopper", {}, Fault::kPhaseParityWrong},
      {"StaleBufferOfTheRing", kHopperBf16, "deformation reasoning on Hopper", {}, Fault::kCopyArrivesLate},
      {"ProductsNotWaitedFor", kHopperBf16, "deformation reasoning on Hopper", {}, Fault::kProductsNotWaited},
      {"CoreMatrixRows", kHopperBf16, "deformation reasoning on Hopper", {}, Fault::kCoreRowsSwapped},
      {"MatricesOfStmatrix", kHopperFp8, "deformation reasoning on Hopper, fp8", {}, Fault::kMatricesSwapped},
      {"PairOfEightBits", kHopperFp8, "deformation reasoning on Hopper, fp8", {}, Fault::kPairSwapped},
  };
  return all;
}

// Faults of a kernel or of its launch.
const std::vector<Mutation>& changes() {
  static const std::vector<Mutation> all = {
      {"LastTileOfPixels", kAnyBf16, "convolution, bf16x3",
       changed(&CudaKernels::convolve, Arithmetic::kBf16x3,
               [](Launch& launch, ConvolutionArguments& a) {
                 launch.blocks_x -= a.kernel > 1 && launch.blocks_x > 1 ? 1 : 0;
               })},
      {"PaddingOfAConvolution", kAnyBf16, "convolution, bf16,",
       changed(&CudaKernels::convolve, Arithmetic::kBf16, [](Launch&, ConvolutionArguments& a) { ++a.border_before; })},
      {"BiasOfOtherChannels", kAnyBf16, "convolution, bf16,",
       changed(&CudaKernels::convolve, Arithmetic::kBf16, [](Launch&, ConvolutionArguments& a) { a.bias += 4; })},
      {"ResidualMissing", kAnyBf16, "graph convolution, bf16x3",
       changed(&CudaKernels::convolve_graph, Arithmetic::kBf16x3,
               [](Launch&, GraphLayersArguments& a) {
                 for (auto& layer : a.layers) layer.averages_before = false;
               })},
      {"NeighbourListsOneOff", kAnyBf16, "graph convolution, bf16x3",
       changed(&CudaKernels::convolve_graph, Arithmetic::kBf16x3,
               [](Launch&, GraphLayersArguments& a) { ++a.layer.support.first; })},
      {"WeightsOfTheNeighbours", kAnyBf16, "graph convolution, bf16x3",
       changed(&CudaKernels::convolve_graph, Arithmetic::kBf16x3,
               [](Launch&, GraphLayersArguments& a) { std::swap(a.layers[0].weights0, a.layers[0].weights1); })},
      {"LastTileOfVertices", kAnyBf16, "graph convolution, bf16x3",
       changed(&CudaKernels::convolve_graph, Arithmetic::kBf16x3,
               [](Launch&, GraphLayersArguments& a) { --a.layer.vertex_count; })},
      {"BiasOfAFirstLayer", kAnyBf16, "first layer's end",
       changed(&CudaKernels::combine, [](Launch&, CombineArguments& a) { a.bias += 4; })},
      {"EdgesOfTheUnpooling", kAnyBf16, "first layer's end",
       changed(&CudaKernels::combine, [](Launch&, CombineArguments& a) { ++a.edges; })},
      {"WeightsOfTheCoordinates", kAnyBf16, "coordinates",
       changed(&CudaKernels::find_coordinates,
               [](Launch&, CoordinatesArguments& a) { std::swap(a.weights0, a.weights1); })},
      {"ColumnsOfTwoMaps", kAnyBf16, "projection, bilinear",
       changed(&CudaKernels::project,
               [](Launch&, ProjectionArguments& a) { a.lookup.maps[2].column = a.lookup.maps[1].column; })},
      {"ViewOfTheTfSemantics", kAnyBf16, "projection, nearest",
       changed(&CudaKernels::project, [](Launch&, ProjectionArguments& a) { a.lookup.view_index_scaled = false; })},
      {"LastVerticesOfTheProjection", kAnyBf16, "projection, floor and ceil",
       changed(&CudaKernels::project, [](Launch& launch, ProjectionArguments&) { --launch.blocks_x; })},
      {"SamplingOfTheHypotheses", kAnyBf16, "deformation reasoning, bf16",
       changed(&CudaKernels::reason, Arithmetic::kBf16,
               [](Launch&, ReasoningArguments& a) { a.lookup.sampling = Sampling::kNearest; })},
      {"LastVertexOfTheReasoning", kHopperBf16, "deformation reasoning on Hopper",
       changed(&CudaKernels::reason_on_hopper, Arithmetic::kBf16,
               [](Launch&, ReasoningArguments& a) { --a.vertex_count; })},
      {"SupportOfTheHypotheses", kHopperBf16, "deformation reasoning on Hopper",
       changed(&CudaKernels::reason_on_hopper, Arithmetic::kBf16,
               [](Launch&, ReasoningArguments& a) { a.support_operand += 4; })},
      {"StreamOfWeights", kHopperFp8, "deformation reasoning on Hopper, fp8",
       changed(&CudaKernels::reason_on_hopper, Arithmetic::kFp8,
               [](Launch&, ReasoningArguments& a) { a.weight_stream += 4; })},
      {"ScaleOfTheResidual", kHopperFp8, "deformation reasoning on Hopper, fp8",
       changed(&CudaKernels::reason_on_hopper, Arithmetic::kFp8,
               [](Launch&, ReasoningArguments& a) { a.layers[2].residual_gain = 0; })},
      {"OffsetsOfTheSoftmax", kAnyBf16, "deformation reasoning, bf16",
       changed(&CudaKernels::reason, Arithmetic::kBf16, [](Launch&, ReasoningArguments& a) { ++a.offsets; })},
      {"LastOfManyViews", kAnyBf16, "deformation reasoning, bf16, 8 views",
       changed(&CudaKernels::reason, Arithmetic::kBf16,
               [](Launch&, ReasoningArguments& a) { a.lookup.views -= a.lookup.views > 5 ? 1 : 0; })},
      {"AlphaRule", kAnyBf16, "preprocess",
       changed(&CudaKernels::preprocess, Arithmetic::kBf16,
               [](Launch&, PreprocessArguments& a) { a.blend = !a.blend; })},
      {"MaskOfTheSecondImage", kAnyBf16, "preprocess with masks",
       changed(&CudaKernels::preprocess, Arithmetic::kBf16,
               [](Launch& launch, PreprocessArguments& a) {
                 if (launch.blocks_y < 2) return;
                 // The emulation's memory is the host's.
                 const_cast<SourceImage*>(a.images)[1].mask = MaskSource::kAlpha;
               })},
      {"EvidenceOfTheLastImage", kAnyBf16, "preprocess with masks",
       changed(&CudaKernels::find_evidence, [](Launch& launch, EvidenceArguments&) { --launch.blocks_y; })},
      {"EvidenceOfTheViews", kAnyBf16, "with evidence",
       changed(&CudaKernels::reason, Arithmetic::kBf16,
               [](Launch&, ReasoningArguments& a) {
                 if (a.evidence != nullptr) a.evidence += 2;
               })},
      {"LastQueryOfTheNeighbours", kAnyBf16, "nearest neighbours",
       changed(&CudaKernels::find_nearest, [](Launch&, NearestArguments& a) { --a.query_count; })},
  };
  return all;
}

class Mistakes : public ::testing::TestWithParam<Mutation> {
 protected:
  ~Mistakes() override { emulation::set_fault(Fault::kNone); }
};
const auto name_of = [](const ::testing::TestParamInfo<Mutation>& info) { return std::string(info.param.name); };
INSTANTIATE_TEST_SUITE_P(OfAGpu, Mistakes, ::testing::ValuesIn(faults()), name_of);
INSTANTIATE_TEST_SUITE_P(OfAKernel, Mistakes, ::testing::ValuesIn(changes()), name_of);

TEST(MistakesTable, CoverEveryFaultOfTheEmulation) {
  for (int fault = static_cast<int>(Fault::kNone) + 1; fault <= static_cast<int>(Fault::kPairSwapped); ++fault) {
    EXPECT_TRUE(std::ranges::any_of(faults(), [&](const Mutation& mutation) {
      return mutation.fault == static_cast<Fault>(fault);
    })) << fault;
  }
  EXPECT_GE(faults().size(), 17U);
  EXPECT_GE(changes().size(), 25U);
}

TEST_P(Mistakes, AreFound) {
  const Mutation& mutation = GetParam();
  ChangedRuntime runtime(mutation.device.generation, mutation.changes);
  emulation::set_fault(mutation.fault, mutation.fault_index);
  const std::string found = failures(check_device(runtime, mutation.device.precision, kSmallSizes));
  EXPECT_NE(found.find(mutation.found_in), std::string::npos) << "found: " << found;
  RecordProperty("found", found);
}

}  // namespace
}  // namespace p2mpp
