// From a decoded image of ShapeNet's renderings to the network's input. Not compiled for instruction sets.
#include "backends/common/preprocess.h"

#include "micro/benchmarks.h"
#include "micro/measure.h"
#include "p2mpp/camera.h"

namespace p2mpp::micro {
namespace {

constexpr int kRenderingSide = 137;
constexpr std::size_t kPixelBytes = 4;

// Opaque and transparent pixels side by side.
Image checkered_image() {
  Image image{.width = kRenderingSide, .height = kRenderingSide, .rgba = {}};
  image.rgba.resize(kPixelBytes * kRenderingSide * kRenderingSide);
  for (std::size_t i = 0; i < image.rgba.size(); ++i) {
    const bool is_alpha = i % kPixelBytes == kPixelBytes - 1;
    image.rgba[i] = static_cast<std::uint8_t>(is_alpha ? i / kPixelBytes % 2 * 255 : i % 251);
  }
  return image;
}

void run_preprocess(benchmark::State& state, const ImageRules& rules) {
  const Image image = checkered_image();
  const auto side = static_cast<std::size_t>(kImageSize);
  std::vector<float> planes(rules.channels * side * side);
  for (auto _ : state) {
    preprocess(image, rules, planes);
    benchmark::ClobberMemory();
  }
  count_bytes(state, static_cast<double>(image.rgba.size() + planes.size() * sizeof(float)));
}

}  // namespace

void add_preprocess_benchmarks() {
  add_benchmark("preprocess/blend_on_white", Clock::kThread, [](benchmark::State& state) {
    run_preprocess(state, {AlphaRule::kBlendOnWhite, 3});
  });
  add_benchmark("preprocess/blend_on_white_with_mask", Clock::kThread, [](benchmark::State& state) {
    run_preprocess(state, {AlphaRule::kBlendOnWhite, 4});
  });
  add_benchmark("preprocess/transparent_to_white", Clock::kThread, [](benchmark::State& state) {
    run_preprocess(state, {AlphaRule::kTransparentToWhite, 3});
  });
}

}  // namespace p2mpp::micro
