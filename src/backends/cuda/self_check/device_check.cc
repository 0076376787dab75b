#include "backends/cuda/self_check/device_check.h"

#include <fmt/format.h>

#include <cstdio>
#include <cstdlib>
#include <limits>

#include "backends/cuda/fp8_tolerance.h"
#include "backends/cuda/nearest_neighbours.h"
#include "backends/cuda/resident_network.h"
#include "backends/cuda/self_check/reasoning_problem.h"
#include "backends/cuda/self_check/stage1_problems.h"
#include "backends/cuda/tiling.h"
#include "backends/self_check/cpu_check.h"
#include "backends/self_check/plain_loops.h"
#include "base/machine/instruction_set.h"
#include "p2mpp/error.h"

namespace p2mpp {
namespace {

// Tolerances relative to the largest expected value. They are at least twice the error on the emulation, whose tensor
// cores truncate sums as real ones do; a wrong index gives an error some hundred times as large. docs/gpu-kernel.md has
// the table.
double product_tolerance(Arithmetic arithmetic) {
  if (arithmetic == Arithmetic::kFp32) return 1e-5;
  if (arithmetic == Arithmetic::kBf16x3) return 1e-4;
  return arithmetic == Arithmetic::kTf32 || arithmetic == Arithmetic::kFp16 ? 3e-3 : 1e-2;
}

double score_tolerance(Arithmetic arithmetic, const ReasoningSizes& sizes) {
  if (arithmetic == Arithmetic::kFp32 || arithmetic == Arithmetic::kBf16x3) return 2e-5;
  if (arithmetic == Arithmetic::kTf32 || arithmetic == Arithmetic::kFp16) return 5e-3;
  if (arithmetic == Arithmetic::kBf16) return 3e-2;
  return fp8_tolerance(kHopperFp8SumBits, static_cast<int>(sizes.layers) - 1, static_cast<int>(sizes.hidden));
}

std::string name_of(const ProjectionRules& rules) {
  constexpr std::array<std::string_view, 3> kNames = {"at the nearest pixel", "bilinearly", "by floor and ceil"};
  return fmt::format("{}{}", kNames[static_cast<std::size_t>(rules.sampling)],
                     rules.normalised_origin ? " as in design_b" : "");
}

constexpr double kLookupTolerance = 2e-4;  // standard deviations near 0 amplify rounding errors
constexpr double kFloatTolerance = 1e-5;
constexpr double kDoubleTolerance = 1e-12;
constexpr double kExact = 0;

/// The reference for operations on which plain loops are slow: the check at every start has to be fast.
enum class Reference { kCpu, kPlainLoops };

/// Collects findings. A problem that fails to run is a finding, too.
class Checks {
 public:
  Checks(DeviceRuntime& runtime, Reference reference, unsigned seed)
      : runtime_(runtime), reference_(reference), seed_(seed) {}

  /// error(draw): draws a problem and returns its error.
  template <class Error>
  void add(std::string what, double tolerance, const Error& error) {
    Finding finding{.what = std::move(what), .tolerance = tolerance};
    try {
      Draw draw(seed_++);
      finding.error = error(draw);
    } catch (const std::exception& failure) {
      finding.error = std::numeric_limits<double>::infinity();
      finding.problem = failure.what();
    }
    findings_.push_back(std::move(finding));
  }

  void add_convolution(Arithmetic arithmetic, const ConvolutionSizes& sizes, int slices) {
    const std::string what = fmt::format("convolution, {}, {}x{} of {} to {} channels", name_of(arithmetic),
                                         sizes.kernel, sizes.kernel, sizes.in, sizes.out);
    add(what, product_tolerance(arithmetic), [&](Draw& draw) {
      const DrawnConvolution drawn(draw, sizes);
      return relative_difference(convolved_on(runtime_, drawn, arithmetic, slices),
                                 drawn.expected(rounding_in_memory(arithmetic)));
    });
  }

  void add_product(Arithmetic arithmetic, std::size_t rows, std::size_t in, std::size_t out) {
    add(fmt::format("first layer's products, {}", name_of(arithmetic)), product_tolerance(arithmetic), [&](Draw& draw) {
      const std::vector<float> x = draw.values(rows * in);
      const std::vector<float> weight = draw.values(in * out);
      return relative_difference(multiplied_on(runtime_, arithmetic, x, weight, in),
                                 plain::multiply(plain::as_matrix(x, in), weight).values);
    });
  }

  void add_graph(Arithmetic arithmetic, std::size_t samples, std::size_t vertices, std::size_t channels,
                 std::size_t layers) {
    std::vector<float> one_by_one;
    Draw same(seed_);
    const DrawnGraph drawn(same, samples, vertices, channels, layers);
    add(fmt::format("graph convolution, {}, {} channels", name_of(arithmetic), channels), product_tolerance(arithmetic),
        [&](Draw&) {
          one_by_one = graph_convolved_on(runtime_, drawn, arithmetic, GraphLaunch::kOneByOne);
          if (reference_ == Reference::kPlainLoops) return relative_difference(one_by_one, drawn.expected());
          return relative_difference(one_by_one, graph_convolved<float>(usable_instruction_sets().back(), drawn));
        });
    if (!fits_together(runtime_, drawn)) return;
    add(fmt::format("graph convolutions in one launch, {}, {} channels", name_of(arithmetic), channels), kExact,
        [&](Draw&) {
          return relative_difference(graph_convolved_on(runtime_, drawn, arithmetic, GraphLaunch::kTogether),
                                     one_by_one);
        });
  }

  void add_levels(std::size_t coarse, std::size_t edges, std::size_t channels) {
    add("first layer's end", kFloatTolerance, [&](Draw& draw) {
      const DrawnLevel drawn(draw, coarse, edges, channels);
      return relative_difference(combined_on(runtime_, drawn), expected_combined(drawn));
    });
    add("coordinates", kFloatTolerance, [&](Draw& draw) {
      const DrawnLevel drawn(draw, coarse, 0, channels);
      return relative_difference(coordinates_on(runtime_, drawn), expected_coordinates(drawn));
    });
  }

  void add_projection(std::string what, const ProjectionRules& rules, std::size_t views) {
    constexpr std::array kMaps = {MapSizes{56, 16}, MapSizes{28, 40}, MapSizes{14, 5}, MapSizes{7, 64}};
    add(fmt::format("projection, {}, {} views", what, views), kLookupTolerance, [&](Draw& draw) {
      const DrawnLevel level(draw, 13, 10, 40);
      const DrawnViews drawn(draw, views, kMaps, rounding_in_memory(Arithmetic::kFp32));
      const std::vector<float> points = drawn_points(draw, level.coarse);
      return relative_difference(projected_on(runtime_, level, rules, drawn, points),
                                 expected_projected(level, rules, drawn, points));
    });
  }

  void add_reasoning(Arithmetic arithmetic, ReasoningKernel kernel, const ReasoningSizes& sizes) {
    const std::string what =
        fmt::format("deformation reasoning{}, {}, {} views sampled {}, {} hypotheses, {} layers of {} channels",
                    kernel == ReasoningKernel::kHopper ? " on Hopper" : "", name_of(arithmetic), sizes.views,
                    name_of(sizes.rules) + (sizes.mask_evidence ? " with evidence" : ""), sizes.hypotheses,
                    sizes.layers, sizes.hidden);
    std::unique_ptr<ReasoningProblem> problem;
    add(what + ": features", kLookupTolerance, [&](Draw& draw) {
      problem = std::make_unique<ReasoningProblem>(runtime_, sizes, arithmetic, kernel,
                                                   static_cast<unsigned>(draw.whole(0, 1U << 30U)));
      if (!problem->fits()) throw Error("it needs more shared memory than the device has");
      problem->run();
      return relative_difference(problem->features, problem->expected_features());
    });
    if (!findings_.back().problem.empty()) return;
    // Only the plain loops reproduce the rounding of fp8.
    const bool by_cpu = reference_ == Reference::kCpu && arithmetic != Arithmetic::kFp8;
    add(what + ": scores", score_tolerance(arithmetic, sizes), [&](Draw&) {
      return by_cpu ? relative_difference(problem->scores, problem->scores_of_cpu())
                    : relative_difference(problem->scores, problem->expected_scores());
    });
    add(what + ": moves", kFloatTolerance,
        [&](Draw&) { return relative_difference(problem->moved, problem->expected_moves()); });
  }

  void add_images(Arithmetic arithmetic, std::span<const std::pair<int, int>> sizes) {
    const auto add_rules = [&](std::string_view what, const ImageRules& rules) {
      add(fmt::format("preprocess{}, {}", what, name_of(arithmetic)), kExact, [&](Draw& draw) {
        std::vector<Image> images;
        for (const auto& [width, height] : sizes) {
          images.push_back(plain::drawn_image(draw, width, height));
          if (rules.channels == kMaskedImageChannels) images.push_back(plain::drawn_opaque_image(draw, width, height));
        }
        return preprocess_difference(runtime_, images, rules, arithmetic);
      });
    };
    add_rules("", {AlphaRule::kTransparentToWhite, kColourChannels});
    add_rules("", {AlphaRule::kBlendOnWhite, kColourChannels});
    add_rules(" with masks", {AlphaRule::kBlendOnWhite, kMaskedImageChannels});
  }

  void add_neighbours(std::size_t queries, std::size_t targets) {
    add("nearest neighbours", kDoubleTolerance, [&](Draw& draw) {
      const Points from = plain::drawn_cloud(draw, queries);
      const Points to = plain::drawn_cloud(draw, targets);
      DeviceBlock block;
      return plain::squared_distance_difference(find_nearest(runtime_, block, from, to), from, to);
    });
  }

  [[nodiscard]] std::vector<Finding> take() { return std::move(findings_); }

 private:
  DeviceRuntime& runtime_;
  Reference reference_;
  unsigned seed_;
  const Kernels<float>& cpu_ = kernels_for<float>(usable_instruction_sets().back());
  std::vector<Finding> findings_;
};

/// More than the kernels keep in registers: they take another path.
constexpr std::size_t kManyCheckedViews = 8;

constexpr ProjectionRules kNearest{Sampling::kNearest, true, false};
constexpr ProjectionRules kBilinear{Sampling::kBilinear, false, false};
constexpr ProjectionRules kFloorCeil{Sampling::kFloorCeil, false, false};
constexpr ProjectionRules kNormalisedOrigin{Sampling::kBilinear, false, true};

bool takes_hopper(DeviceRuntime& runtime, Arithmetic arithmetic, const ReasoningSizes& sizes) {
  return runtime.is_hopper() && of(runtime.kernels().reason_on_hopper, arithmetic) != nullptr &&
         sizes.hidden <= kMostWarpgroups * kWarpgroupChannels;
}

// As many channels as the published sizes, but few pixels.
std::vector<MapSizes> reasoning_maps() { return {{28, 16}, {14, 32}, {7, 64}}; }

}  // namespace

std::string_view name_of(Arithmetic arithmetic) {
  constexpr std::array<std::string_view, kArithmeticCount> kNames = {"fp32", "bf16x3", "tf32", "bf16", "fp16", "fp8"};
  return kNames[static_cast<std::size_t>(arithmetic)];
}

std::string DeviceCheckSizes::describe() const {
  return fmt::format("{} views, {} hypotheses, {} channels, {} layers of {} channels, sampled {}", views, hypotheses,
                     hidden, reasoning_layers, reasoning_hidden, name_of(reasoning_rules));
}

std::vector<Finding> check_device(DeviceRuntime& runtime, Precision precision, const DeviceCheckSizes& sizes) {
  const auto [stage1, stage2, reasoning] = list_arithmetics(precision);
  constexpr std::array kImages = {std::pair(137, 137)};
  Checks checks(runtime, Reference::kCpu, 1);
  checks.add_images(stage2, kImages);
  for (const Arithmetic arithmetic : {stage1, stage2}) {
    checks.add_convolution(arithmetic, {2, 13, 16, 37, 3, 1}, 1);
    checks.add_convolution(arithmetic, {1, 13, 40, 70, 5, 2}, 8);
    if (stage1 == stage2) break;
  }
  checks.add_projection("nearest", kNearest, sizes.views);
  checks.add_projection("bilinear", kBilinear, sizes.views);
  checks.add_projection("floor and ceil", kFloorCeil, sizes.views);
  checks.add_projection("bilinear", kBilinear, kManyCheckedViews);
  checks.add_product(stage1, 150, 208, 2 * sizes.hidden);
  checks.add_levels(37, 30, sizes.hidden);
  checks.add_graph(stage1, 2, 55, sizes.hidden, 5);
  const ReasoningSizes block{5,           sizes.hypotheses, sizes.reasoning_hidden, sizes.reasoning_layers,
                             sizes.views, reasoning_maps(), sizes.reasoning_rules};
  const bool hopper = takes_hopper(runtime, reasoning, block);
  checks.add_reasoning(reasoning, hopper ? ReasoningKernel::kHopper : ReasoningKernel::kPortable, block);
  if (reasoning == Arithmetic::kFp8) {  // errors do not accumulate over one layer, so a mistake stands out clearly
    ReasoningSizes one_layer = block;
    one_layer.layers = 2;
    checks.add_reasoning(reasoning, ReasoningKernel::kHopper, one_layer);
  }
  ReasoningSizes with_masks = with_evidence(block);
  with_masks.vertices = 2;
  with_masks.layers = 2;
  checks.add_reasoning(reasoning, hopper ? ReasoningKernel::kHopper : ReasoningKernel::kPortable, with_masks);
  ReasoningSizes of_many_views = block;
  of_many_views.vertices = 2;
  of_many_views.layers = 2;
  of_many_views.views = kManyCheckedViews;
  checks.add_reasoning(reasoning, hopper ? ReasoningKernel::kHopper : ReasoningKernel::kPortable, of_many_views);
  checks.add_neighbours(300, 700);
  return checks.take();
}

std::vector<Finding> check_device_thoroughly(DeviceRuntime& runtime, Precision precision) {
  const auto [stage1, stage2, reasoning] = list_arithmetics(precision);
  constexpr std::array kImages = {std::pair(137, 137), std::pair(5, 300), std::pair(224, 224), std::pair(1, 1),
                                  std::pair(500, 3)};
  Checks checks(runtime, Reference::kPlainLoops, 101);
  checks.add_images(stage2, kImages);
  for (const Arithmetic arithmetic : {stage1, stage2}) {
    for (const auto& [sizes, slices] :
         {std::pair(ConvolutionSizes{3, 31, 3, 16, 3, 1}, 1), std::pair(ConvolutionSizes{2, 23, 40, 37, 3, 2}, 2),
          std::pair(ConvolutionSizes{2, 13, 70, 70, 5, 2}, 4), std::pair(ConvolutionSizes{1, 7, 256, 96, 3, 1}, 8)}) {
      checks.add_convolution(arithmetic, sizes, slices);
    }
    if (stage1 == stage2) break;
  }
  for (const std::size_t views : {2U, 3U, 4U, 5U, 8U, 64U}) {
    checks.add_projection("nearest", kNearest, views);
    checks.add_projection("bilinear", kBilinear, views);
    checks.add_projection("floor and ceil", kFloorCeil, views);
    checks.add_projection("of design_b", kNormalisedOrigin, views);
  }
  checks.add_product(stage1, 500, 992, 384);
  checks.add_levels(400, 700, 192);
  for (const std::size_t channels : {16U, 192U, 256U}) checks.add_graph(stage1, 3, 150, channels, 6);
  for (const ReasoningSizes& sizes :
       {ReasoningSizes{37, 43, 192, 6, 3, reasoning_maps()}, ReasoningSizes{11, 64, 192, 3, 5, reasoning_maps()},
        ReasoningSizes{9, 20, 100, 4, 2, {{28, 16}}}, ReasoningSizes{6, 57, 64, 7, 4, {{14, 24}, {7, 8}}},
        ReasoningSizes{5, 43, 192, 3, 8, reasoning_maps()},
        ReasoningSizes{5, 43, 192, 3, 3, reasoning_maps(), kFloorCeil},
        ReasoningSizes{5, 43, 192, 3, 3, reasoning_maps(), kNormalisedOrigin},
        with_evidence({5, 43, 192, 6, 3, reasoning_maps()}), with_evidence({3, 20, 64, 3, 8, {{14, 24}}}),
        ReasoningSizes{2, 64, 64, 2, 64, {{14, 24}, {7, 8}}}}) {
    for (const ReasoningKernel kernel : {ReasoningKernel::kPortable, ReasoningKernel::kHopper}) {
      const bool hopper = kernel == ReasoningKernel::kHopper;
      if (hopper ? !takes_hopper(runtime, reasoning, sizes) : of(runtime.kernels().reason, reasoning) == nullptr)
        continue;
      checks.add_reasoning(reasoning, kernel, sizes);
    }
  }
  checks.add_neighbours(3000, 5000);
  return checks.take();
}

namespace {

bool only_warns() {
  const char* value = std::getenv("P2MPP_SELF_CHECK");  // NOLINT(concurrency-mt-unsafe): nothing here sets variables
  return value != nullptr && std::string_view(value) == "warn";
}

}  // namespace

std::string check_identity(const DeviceRuntime& runtime, const std::string& build, Precision precision,
                           const DeviceCheckSizes& sizes) {
  return fmt::format("{}\nbuild {}\nprecision {}\n{}\n", runtime.identity(), build,
                     name_of(list_arithmetics(precision).reasoning), sizes.describe());
}

void check_before_use(DeviceRuntime& runtime, const std::string& build, Precision precision,
                      const DeviceCheckSizes& sizes, const PassedChecks& passed) {
  const std::string identity = check_identity(runtime, build, precision, sizes);
  if (!build.empty() && passed.has(identity)) return;
  runtime.use();
  const std::vector<Finding> findings = check_device(runtime, precision, sizes);
  if (const Finding* failure = first_failure(findings)) {
    const std::string line = fmt::format("the self-check of the GPU's kernels failed: {}", describe_failure(*failure));
    if (!only_warns()) throw SelfCheckFailed(line);
    fmt::print(stderr, "p2mpp: warning: {}\n", line);
    return;
  }
  if (!build.empty()) passed.remember(identity);
}

}  // namespace p2mpp
