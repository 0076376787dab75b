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
  enter = convolution("unet.enter", 3);
  down1 = convolution("unet.down1", 3, 2);
  down2 = convolution("unet.down2", 3, 2);
  up1 = convolution("unet.up1", 3);
  up0 = convolution("unet.up0", 3);
  top_before = residual("unet.top_before");
  top_after = residual("unet.top_after");
  middle_before = residual("unet.middle_before");
  middle_after = residual("unet.middle_after");
  bottom1 = residual("unet.bottom.0");
  bottom2 = residual("unet.bottom.1");
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

void DistanceWeights::check_sizes() const {
  const auto expect = [this](const char* what, std::size_t found, std::size_t expected) {
    if (found == expected) return;
    parameters_.fail(fmt::format("{} reads {} channels; expected {}", what, found, expected));
  };
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
  expect("view1", view1.in(), maps(1, kLevels) + kFacts);
  expect("view2", view2.in(), view1.out());
  expect("unet.enter", enter.in(), 3 * view2.out() + kHullFacts + kPlace);
  for (const ResidualWeights* each : {&top_before, &top_after}) {
    expect("a residual", each->first.in(), enter.layer.out());
    expect("a residual", each->second.in(), each->first.layer.out());
    expect("a residual's result", each->second.layer.out(), enter.layer.out());
  }
  expect("unet.down1", down1.in(), enter.layer.out());
  for (const ResidualWeights* each : {&middle_before, &middle_after}) {
    expect("a residual", each->first.in(), down1.layer.out());
    expect("a residual", each->second.in(), each->first.layer.out());
    expect("a residual's result", each->second.layer.out(), down1.layer.out());
  }
  expect("unet.down2", down2.in(), down1.layer.out());
  for (const ResidualWeights* each : {&bottom1, &bottom2}) {
    expect("a residual", each->first.in(), down2.layer.out());
    expect("a residual", each->second.in(), each->first.layer.out());
    expect("a residual's result", each->second.layer.out(), down2.layer.out());
  }
  expect("unet.up1", up1.in(), down2.layer.out());
  expect("unet.up1's result", up1.layer.out(), down1.layer.out());
  expect("unet.up0", up0.in(), down1.layer.out());
  expect("unet.up0's result", up0.layer.out(), enter.layer.out());
  expect("coarse_head", coarse_head.in(), enter.layer.out());
  expect("coarse_head's result", coarse_head.out(), kDistanceChannels);
  expect("fine_view1", fine_view1.in(), maps(0, 2) + kFacts);
  expect("fine_view2", fine_view2.in(), fine_view1.out());
  expect("fine1", fine1.in(), 3 * fine_view2.out() + kHullFacts + enter.layer.out() + kDistanceChannels);
  expect("fine2", fine2.in(), fine1.out());
  expect("fine_head", fine_head.in(), fine2.out());
  expect("fine_head's result", fine_head.out(), kDistanceChannels);
}

}  // namespace p2mpp
