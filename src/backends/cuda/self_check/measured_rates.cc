#include "backends/cuda/self_check/measured_rates.h"

#include <algorithm>
#include <chrono>
#include <limits>

#include "backends/cuda/resident_network.h"
#include "backends/cuda/self_check/device_arrays.h"
#include "backends/cuda/tiling.h"

namespace p2mpp {
namespace {

constexpr double kGiga = 1e9;

/// The shortest time in seconds that the device needs for the work queued by `work`.
template <class Work>
double shortest(DeviceRuntime& runtime, int repeats, const Work& work) {
  const DeviceStream stream = runtime.stream(kComputeStream);
  const std::unique_ptr<DeviceEvent> begin = runtime.make_event();
  const std::unique_ptr<DeviceEvent> end = runtime.make_event();
  double best = std::numeric_limits<double>::infinity();
  for (int i = 0; i <= repeats; ++i) {  // the first one is a warm-up
    runtime.record(*begin, stream);
    work();
    runtime.record(*end, stream);
    runtime.wait(*end);
    if (i > 0) best = std::min(best, runtime.milliseconds_between(*begin, *end) / 1000);
  }
  return best;
}

double copied(DeviceRuntime& runtime, const RateSizes& sizes) {
  const DeviceBlock from(runtime, sizes.copied_bytes);
  const DeviceBlock to(runtime, sizes.copied_bytes);
  const DeviceStream stream = runtime.stream(kComputeStream);
  const double seconds = shortest(runtime, sizes.repeats,
                                  [&] { runtime.copy_on_device(to.data(), from.data(), sizes.copied_bytes, stream); });
  return 2 * static_cast<double>(sizes.copied_bytes) / seconds / kGiga;
}

double multiplied(DeviceRuntime& runtime, Arithmetic arithmetic, const RateSizes& sizes) {
  DeviceArrays arrays(runtime);
  const auto rows = static_cast<int>(sizes.rows);
  const auto channels = static_cast<int>(sizes.channels);
  const OperandArray input(arrays, arithmetic, std::vector<float>(sizes.rows * sizes.channels));
  const OperandArray output(arrays, arithmetic, std::vector<float>(sizes.rows * sizes.channels));
  const std::size_t words = sizes.channels * sizes.channels * static_cast<std::size_t>(parts_of(arithmetic));
  const ConvolutionArguments arguments{.input = input.data(),
                                       .output = output.data(),
                                       .weights = arrays.upload(std::vector<std::uint32_t>(words)),
                                       .bias = nullptr,
                                       .output_pixels = rows,
                                       .input_height = 1,
                                       .input_width = 1,
                                       .input_stride = channels,
                                       .output_height = 1,
                                       .output_width = 1,
                                       .output_stride = channels,
                                       .kernel = 1,
                                       .stride = 1,
                                       .border_before = 0,
                                       .slices = 1};
  const Launch launch{.blocks_x = blocks_for(rows, kConvolutionWarpPixels * kBlockWarps),
                      .blocks_y = channels / kPairChannels,
                      .threads = kBlockThreads};
  const auto kernel = of(arrays.kernels().convolve, arithmetic);
  const double seconds = shortest(runtime, sizes.repeats,
                                  [&] { arrays.check_launch(kernel(launch, arguments, arrays.stream()), "product"); });
  const auto size = static_cast<double>(sizes.channels);
  return 2 * static_cast<double>(sizes.rows) * size * size / seconds / kGiga;
}

double checked_ms(DeviceRuntime& runtime, Precision precision, const DeviceCheckSizes& sizes) {
  const auto begin = std::chrono::steady_clock::now();
  static_cast<void>(check_device(runtime, precision, sizes));
  return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begin).count();
}

}  // namespace

DeviceRates measure_rates(DeviceRuntime& runtime, Precision precision, const RateSizes& sizes) {
  return {.copied_gb_per_s = copied(runtime, sizes),
          .product_gflop_per_s = multiplied(runtime, list_arithmetics(precision).stage2, sizes),
          .start_check_ms = checked_ms(runtime, precision, sizes.checked)};
}

}  // namespace p2mpp
