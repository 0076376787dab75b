#include "model/distance_weights.h"

#include <fmt/format.h>

#include <string>

namespace p2mpp {

DistanceWeights::DistanceWeights(const Model& model) : parameters_(model, kDistanceStage) {
  for (std::size_t level = 0; level < kLevels; ++level) {
    const std::string number = std::to_string(level);
    first[level] = convolution("image_network.first." + number, 2, 2);
    second[level] = convolution("image_network.second." + number, 2);
    lateral[level] = convolution("image_network.lateral." + number, 2);
  }
  view1 = layer("view1");
  view2 = layer("view2");
  unet.enter = convolution("unet.enter", 3);
  unet.down1 = convolution("unet.down1", 3, 2);
  unet.down2 = convolution("unet.down2", 3, 2);
  unet.up1 = convolution("unet.up1", 3);
  unet.up0 = convolution("unet.up0", 3);
  unet.top_before = residual("unet.top_before");
  unet.top_after = residual("unet.top_after");
  unet.middle_before = residual("unet.middle_before");
  unet.middle_after = residual("unet.middle_after");
  unet.bottom1 = residual("unet.bottom.0");
  unet.bottom2 = residual("unet.bottom.1");
  coarse_head = layer("coarse_head");
  fine_view1 = layer("fine_view1");
  fine_view2 = layer("fine_view2");
  fine1 = layer("fine1");
  fine2 = layer("fine2");
  fine_head = layer("fine_head");
  check_sizes();
}

LayerWeights DistanceWeights::layer(const std::string& name) const {
  const Parameter& weight = parameters_.get(name + ".weight", 2);
  const Parameter& bias = parameters_.get(name + ".bias", 1);
  if (weight.shape[0] != bias.shape[0] || bias.shape[0] == 0 || weight.shape[1] == 0) {
    parameters_.fail("the parameters of " + name + " do not fit each other");
  }
  return {weight.values, bias.values};
}

GridConvolutionWeights DistanceWeights::convolution(const std::string& name, int dimensions, int stride) const {
  const Parameter& weight = parameters_.get(name + ".weight", static_cast<std::size_t>(dimensions) + 2);
  const Parameter& bias = parameters_.get(name + ".bias", 1);
  const auto side = static_cast<int>(weight.shape.back());
  bool fits = weight.shape[0] == bias.shape[0] && bias.shape[0] > 0 && weight.shape[1] > 0 && (side == 1 || side == 3);
  for (std::size_t axis = 2; axis < weight.shape.size(); ++axis) fits = fits && weight.shape[axis] == side;
  if (!fits) parameters_.fail("the parameters of " + name + " do not fit each other");
  return {.layer = {weight.values, bias.values}, .kernel = {dimensions == 3 ? side : 1, side, side}, .stride = stride};
}

ResidualWeights DistanceWeights::residual(const std::string& name) const {
  return {convolution(name + ".first", 3), convolution(name + ".second", 3)};
}

void DistanceWeights::expect(const char* what, std::size_t found, std::size_t expected) const {
  if (found == expected) return;
  parameters_.fail(fmt::format("{} reads {} channels; expected {}", what, found, expected));
}

void DistanceWeights::check_sizes() const {
  std::size_t before = kReadChannels;
  for (std::size_t level = 0; level < kLevels; ++level) {
    expect("a convolution of the pictures", first[level].in(), before);
    expect("a convolution of the pictures", second[level].in(), first[level].layer.out());
    expect("a map", lateral[level].in(), second[level].layer.out());
    before = second[level].layer.out();
  }
  const auto maps = [this](std::size_t from, std::size_t to) {
    std::size_t channels = 0;
    for (std::size_t level = from; level < to; ++level) channels += lateral[level].layer.out();
    return channels;
  };
  const std::size_t features = unet.enter.layer.out();
  expect("view1", view1.in(), maps(1, kLevels) + kFacts);
  expect("view2", view2.in(), view1.out());
  expect("unet.enter", unet.enter.in(), 3 * view2.out() + kHullFacts + kPlace + kPriorFacts);
  check_unet();
  expect("coarse_head", coarse_head.in(), features);
  expect("coarse_head's result", coarse_head.out(), kDistanceChannels);
  expect("fine_view1", fine_view1.in(), maps(0, 2) + kFacts);
  expect("fine_view2", fine_view2.in(), fine_view1.out());
  expect("fine1", fine1.in(), 3 * fine_view2.out() + kHullFacts + features + kDistanceChannels + kPriorFacts);
  expect("fine2", fine2.in(), fine1.out());
  expect("fine_head", fine_head.in(), fine2.out());
  expect("fine_head's result", fine_head.out(), kDistanceChannels);
}

void DistanceWeights::check_unet() const {
  const std::size_t top = unet.enter.layer.out(), middle = unet.down1.layer.out(), bottom = unet.down2.layer.out();
  const auto expect_residual = [this](const ResidualWeights& residual, std::size_t channels) {
    expect("a residual", residual.first.in(), channels);
    expect("a residual", residual.second.in(), residual.first.layer.out());
    expect("a residual's result", residual.second.layer.out(), channels);
  };
  for (const ResidualWeights* each : {&unet.top_before, &unet.top_after}) expect_residual(*each, top);
  for (const ResidualWeights* each : {&unet.middle_before, &unet.middle_after}) expect_residual(*each, middle);
  for (const ResidualWeights* each : {&unet.bottom1, &unet.bottom2}) expect_residual(*each, bottom);
  expect("unet.down1", unet.down1.in(), top);
  expect("unet.down2", unet.down2.in(), middle);
  expect("unet.up1", unet.up1.in(), bottom);
  expect("unet.up1's result", unet.up1.layer.out(), middle);
  expect("unet.up0", unet.up0.in(), middle);
  expect("unet.up0's result", unet.up0.layer.out(), top);
}

}  // namespace p2mpp
