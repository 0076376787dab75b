#include "model/network_weights.h"

#include <fmt/format.h>

namespace p2mpp {
namespace {

std::span<const std::size_t> maps_read(int stage) {
  if (stage == 1) return kStage1Maps;
  return kStage2Maps;
}

}  // namespace

std::string describe_other_image_channels(std::int64_t found, std::int64_t expected) {
  return fmt::format("its first convolution reads images of {} channels; expected {} (model.json)", found, expected);
}

StageWeights::StageWeights(const Model& model, int stage)
    : parameters_(model, stage),
      image_channels_(model.info.sizes.image_channels),
      convolution_count_(maps_read(stage).back() + 1) {
  const CnnSizes& cnn = stage == 1 ? model.info.sizes.stage1_cnn : model.info.sizes.stage2_cnn;
  check_convolutions(cnn);
  projected_width_ = static_cast<std::size_t>(
      projected_width(cnn.channels, maps_read(stage), stage == 2 && model.info.sizes.stage2_mask_evidence));
  check_blocks(model.info.sizes, stage);
}

void StageWeights::check_convolutions(const CnnSizes& sizes) const {
  const std::vector<ConvolutionWeights> all = convolutions();
  for (std::size_t i = 0; i < all.size(); ++i) {
    const auto channels = static_cast<std::int64_t>(all[i].bias.size());
    if (channels == sizes.channels.at(i) && all[i].kernel == sizes.kernels.at(i)) continue;
    parameters_.fail(
        fmt::format("its convolution {} has {} channels and a kernel of {} pixels; expected {} and {} "
                    "(model.json)",
                    i, channels, all[i].kernel, sizes.channels[i], sizes.kernels[i]));
  }
}

// Compares the numbers of blocks and layers, and the widths of layers, with model.json.
void StageWeights::check_blocks(const NetworkSizes& sizes, int stage) const {
  const auto found = blocks(stage == 1 ? "gcn" : "drb");
  std::vector<std::int64_t> layers = sizes.gcn_layers;
  if (stage == 2) layers.assign(static_cast<std::size_t>(sizes.drb_blocks), sizes.drb_layers);
  bool fits = found.size() == layers.size();
  for (std::size_t i = 0; fits && i < found.size(); ++i) {
    fits = static_cast<std::int64_t>(found[i].size()) == layers[i] && layers[i] >= 2 &&
           found[i].back().out() == (stage == 1 ? 3 : 1);
  }
  if (!fits) parameters_.fail("does not have the layers that model.json names");
  const auto width = static_cast<std::size_t>(stage == 1 ? sizes.hidden : sizes.drb_hidden);
  for (const auto& block : found) {
    for (std::size_t i = 0; i + 1 < block.size(); ++i) {
      if (block[i].out() == width) continue;
      parameters_.fail(fmt::format("its layers are {} wide; expected {} (\"{}\" in model.json)", block[i].out(), width,
                                   stage == 1 ? "hidden" : "drb_hidden"));
    }
  }
}

std::vector<ConvolutionWeights> StageWeights::convolutions() const {
  std::vector<ConvolutionWeights> result;
  std::int64_t channels = image_channels_;
  for (std::size_t i = 0; i < convolution_count_; ++i) {
    const std::string name = "cnn." + std::to_string(i);
    const Parameter& weight = parameters_.get(name + ".weight", 4);
    const Parameter& bias = parameters_.get(name + ".bias", 1);
    const auto& shape = weight.shape;
    if (i == 0 && shape[1] != channels) parameters_.fail(describe_other_image_channels(shape[1], channels));
    if (shape[0] != bias.shape[0] || shape[1] != channels || shape[2] != shape[3] || shape[2] > kLargestKernel) {
      parameters_.fail("the parameters of " + name + " do not fit each other or the layer before");
    }
    result.push_back({weight.values, bias.values, static_cast<int>(shape[2]), kStrides[i]});
    channels = shape[0];
  }
  return result;
}

std::vector<std::size_t> StageWeights::channels(std::span<const std::size_t> layers) const {
  const std::vector<ConvolutionWeights> all = convolutions();
  std::vector<std::size_t> result;
  for (const std::size_t layer : layers) result.push_back(all[layer].bias.size());
  return result;
}

GraphConvolutionWeights StageWeights::graph_convolution(const std::string& name, std::size_t in) const {
  const Parameter& weight0 = parameters_.get(name + ".weight0", 2);
  const Parameter& weight1 = parameters_.get(name + ".weight1", 2);
  const Parameter& bias = parameters_.get(name + ".bias", 1);
  const std::vector<std::int64_t> expected{static_cast<std::int64_t>(in), bias.shape[0]};
  if (weight0.shape != expected || weight1.shape != expected) {
    parameters_.fail("the parameters of " + name + " do not fit each other or the layer before");
  }
  return {weight0.values, weight1.values, bias.values};
}

std::vector<std::vector<GraphConvolutionWeights>> StageWeights::blocks(const std::string& kind) const {
  std::vector<std::vector<GraphConvolutionWeights>> blocks;
  const auto name_of = [&](std::size_t block, std::size_t layer) {
    return kind + "." + std::to_string(block) + "." + std::to_string(layer);
  };
  while (parameters_.has(name_of(blocks.size(), 0) + ".bias")) {
    const std::size_t index = blocks.size();
    std::vector<GraphConvolutionWeights>& layers = blocks.emplace_back();
    // Blocks of stage 1 after the first take the hidden state, too.
    const bool takes_hidden = kind == "gcn" && index > 0;
    std::size_t in = projected_width_ + (takes_hidden ? blocks.front().front().out() : 0);
    while (parameters_.has(name_of(index, layers.size()) + ".bias")) {
      layers.push_back(graph_convolution(name_of(index, layers.size()), in));
      in = layers.back().out();
    }
  }
  return blocks;
}

}  // namespace p2mpp
