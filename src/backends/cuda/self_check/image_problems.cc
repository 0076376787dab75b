#include <algorithm>
#include <cmath>
#include <vector>

#include "backends/common/mask_evidence.h"
#include "backends/common/preprocess.h"
#include "backends/cuda/self_check/stage1_problems.h"
#include "backends/cuda/tiling.h"

namespace p2mpp {
namespace {

// The largest difference between the evidence of masks on the device, [images, 224, 224], and the CPU's.
double evidence_difference(DeviceArrays& arrays, const std::uint8_t* masks, std::span<const Image> images,
                           const ImageRules& rules) {
  constexpr std::size_t kPlane = std::size_t{kResizedSide} * kResizedSide;
  const std::size_t count = images.size() * kPlane * kEvidenceChannels;
  float* evidence = arrays.make(count);
  EvidenceArguments arguments{
      .masks = masks, .rows = arrays.upload(std::vector<RowDistance>(images.size() * kPlane)), .evidence = evidence};
  const Launch launch{.blocks_x = blocks_for(kPlane, kBlockThreads),
                      .blocks_y = static_cast<int>(images.size()),
                      .threads = kBlockThreads};
  for (int pass = 0; pass < 2; ++pass) {
    arrays.check_launch(arrays.kernels().find_evidence(launch, arguments, arrays.stream()), "evidence");
    arguments.masks = nullptr;
  }
  const std::vector<float> found = arrays.download(evidence, count);
  std::vector<float> planes(rules.channels * kPlane);
  std::vector<float> expected(kPlane * kEvidenceChannels);
  double largest = 0;
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t place = i % expected.size();
    if (place == 0) {
      preprocess(images[i / expected.size()], rules, planes);
      find_evidence(std::span(planes).subspan(kColourChannels * kPlane), expected);
    }
    const float difference = found[i] - expected[place];
    largest = std::max(largest, std::isnan(difference) ? INFINITY : std::abs(static_cast<double>(difference)));
  }
  return largest;
}

}  // namespace

double preprocess_difference(DeviceRuntime& runtime, std::span<const Image> images, const ImageRules& rules,
                             Arithmetic arithmetic) {
  DeviceArrays arrays(runtime);
  std::vector<std::uint8_t> pixels;
  std::vector<SourceImage> sources;
  std::vector<Tap> rows;
  std::vector<Tap> columns;
  for (const Image& image : images) {
    const auto place = static_cast<int>(sources.size());
    sources.push_back({.offset = pixels.size(),
                       .width = image.width,
                       .height = image.height,
                       .mask = mask_source(image, rules),
                       .stage1 = place,
                       .stage2 = place});
    pixels.insert(pixels.end(), image.rgba.begin(), image.rgba.end());
    std::ranges::copy(row_taps(image.height), std::back_inserter(rows));
    std::ranges::copy(column_taps(image.width), std::back_inserter(columns));
  }
  constexpr std::size_t kPlane = std::size_t{kResizedSide} * kResizedSide;
  const std::size_t count = images.size() * kPlane * kPixelStride;
  float* stage1 = arrays.make(count);
  const OperandArray stage2(arrays, arithmetic, std::vector<float>(count, NAN));
  const bool masked = rules.channels == kMaskedImageChannels;
  std::uint8_t* masks = masked ? arrays.upload(std::vector<std::uint8_t>(images.size() * kPlane)) : nullptr;
  const PreprocessArguments arguments{.pixels = arrays.upload(pixels),
                                      .images = arrays.upload(sources),
                                      .rows = arrays.upload(rows),
                                      .columns = arrays.upload(columns),
                                      .stage1 = stage1,
                                      .stage2 = stage2.data(),
                                      .masks = masks,
                                      .blend = rules.alpha == AlphaRule::kBlendOnWhite};
  const Launch launch{.blocks_x = blocks_for(kPlane, kBlockThreads),
                      .blocks_y = static_cast<int>(images.size()),
                      .threads = kBlockThreads};
  arrays.check_launch(of(arrays.kernels().preprocess, arithmetic)(launch, arguments, arrays.stream()), "preprocess");
  const std::vector<float> found1 = arrays.download(stage1, count);
  const std::vector<float> found2 = stage2.download();
  const Rounding rounding = rounding_in_memory(arithmetic);
  double largest = masked ? evidence_difference(arrays, masks, images, rules) : 0;
  std::vector<float> planes(rules.channels * kPlane);
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t channel = i % kPixelStride;
    const std::size_t place = i / kPixelStride % kPlane;
    if (channel == 0 && place == 0) preprocess(images[i / (kPixelStride * kPlane)], rules, planes);
    const float expected = channel < rules.channels ? planes[channel * kPlane + place] : 0;
    for (const float difference : {found1[i] - expected, found2[i] - rounding(expected)}) {
      largest = std::max(largest, std::isnan(difference) ? INFINITY : std::abs(static_cast<double>(difference)));
    }
  }
  return largest;
}

}  // namespace p2mpp
