#include "backends/cuda/workspace.h"

#include <algorithm>

namespace p2mpp {
namespace {

std::size_t product(std::initializer_list<int> factors) {
  std::size_t result = 1;
  for (const int factor : factors) result *= static_cast<std::size_t>(factor);
  return result;
}

}  // namespace

InputBuffers::InputBuffers(Arena& arena, const BatchShape& shape, std::size_t levels, std::size_t pixel_bytes)
    : images(arena.allocate<SourceImage>(product({shape.images()}))),
      rows(arena.allocate<Tap>(product({shape.images(), kResizedSide}))),
      columns(arena.allocate<Tap>(product({shape.images(), kResizedSide}))),
      stage1(arena.allocate<ViewTransform>(product({shape.samples, shape.views1}))),
      stage2(arena.allocate<ViewTransform>(product({shape.samples, shape.views2}))),
      vertices(arena.allocate<float>(product({shape.vertices, 3}))),
      arrivals(arena.allocate<std::uint32_t>(levels * product({shape.samples}))),
      pixels(arena.allocate<std::uint8_t>(pixel_bytes)) {}

OutputBuffers::OutputBuffers(Arena& arena, const BatchShape& shape, const ResidentNetwork& network) {
  if (!shape.has_initial_mesh()) {
    for (const ResidentLevel& level : network.levels) {
      coarse.push_back(arena.allocate<float>(product({shape.samples, level.vertices, 3})));
    }
  }
  const int vertices = shape.has_initial_mesh() ? shape.vertices : network.levels.back().vertices;
  for (std::size_t i = 0; i < network.reasoning.size(); ++i) {
    refined.push_back(arena.allocate<float>(product({shape.samples, vertices, 3})));
  }
}

Workspace::Workspace(Arena& arena, const BatchShape& shape, const ResidentNetwork& network)
    : stage1(allocate_maps(arena, shape.samples * shape.views1, network.cnn1, kStage1Maps,
                           element_bytes(network.arithmetics.stage1))),
      stage2(allocate_maps(arena, shape.samples * shape.views2, network.cnn2, kStage2Maps,
                           element_bytes(network.arithmetics.stage2))) {
  if (network.mask_evidence) {
    const std::size_t pixels = product({shape.samples, shape.views2, kResizedSide, kResizedSide});
    masks = arena.allocate<std::uint8_t>(pixels);
    mask_rows = arena.allocate<RowDistance>(pixels);
    evidence = arena.allocate<float>(kEvidenceChannels * pixels);
  }
  if (!shape.has_initial_mesh()) allocate_states(arena, shape, network);
}

void Workspace::allocate_states(Arena& arena, const BatchShape& shape, const ResidentNetwork& network) {
  const int vertices = network.levels.back().vertices;
  std::size_t feature_count = 0;
  for (std::size_t i = 0; i < network.blocks.size(); ++i) {
    feature_count =
        std::max(feature_count, product({shape.samples, network.levels[i].vertices, network.blocks[i].input_stride}));
  }
  features = arena.allocate<float>(feature_count);
  products = arena.allocate<float>(product({shape.samples, vertices, 2, network.product_columns}));
  for (auto& level : hidden) {
    for (float*& state : level)
      state = arena.allocate<float>(product({shape.samples, vertices, network.hidden_stride}));
  }
}

Workspace::Maps Workspace::allocate_maps(Arena& arena, int images, std::span<const ResidentConvolution> cnn,
                                         std::span<const std::size_t> layers_read, std::size_t element_size) {
  const auto map_bytes = [&](const ResidentConvolution& layer) {
    return product({images, layer.output_side, layer.output_side, layer.output_stride}) * element_size;
  };
  const auto is_read = [&](std::size_t layer) { return std::ranges::find(layers_read, layer) != layers_read.end(); };
  std::size_t largest = 0;
  for (std::size_t i = 0; i < cnn.size(); ++i) {
    if (!is_read(i)) largest = std::max(largest, map_bytes(cnn[i]));
  }
  const ResidentConvolution& first = cnn.front();
  Maps maps;
  maps.images = arena.allocate<std::byte>(product({images, first.input_side, first.input_side, first.input_stride}) *
                                          element_size);
  std::byte* turns[2] = {arena.allocate<std::byte>(largest), arena.allocate<std::byte>(largest)};
  for (std::size_t i = 0; i < cnn.size(); ++i) {
    maps.layers.push_back(is_read(i) ? arena.allocate<std::byte>(map_bytes(cnn[i])) : turns[i % 2]);
  }
  return maps;
}

BatchBytes::BatchBytes(const BatchShape& shape, std::size_t pixel_bytes, const ResidentNetwork& network) {
  Arena inputs(nullptr);
  Arena outputs(nullptr);
  Arena between(nullptr);
  static_cast<void>(InputBuffers(inputs, shape, network.levels.size(), pixel_bytes));
  static_cast<void>(OutputBuffers(outputs, shape, network));
  static_cast<void>(Workspace(between, shape, network));
  input = inputs.bytes();
  output = outputs.bytes();
  workspace = between.bytes();
}

}  // namespace p2mpp
