#include "backends/cpu/coarse_deformation.h"

namespace p2mpp {
namespace {

// Tiles of the first layer's input that a thread keeps in its cache beside a block of weights. Each block is then read
// from memory once for all these tiles.
constexpr std::size_t kTilesAtOnce = 2;

// Packs both weight matrices of a graph convolution side by side, each padded.
template <class Number>
PackedWeights<Number> side_by_side(const Kernels<ElementOf<Number>>& kernels, const GraphConvolutionWeights& weights,
                                   std::span<const std::size_t> checkpoint_columns) {
  const std::size_t padded = padded_channels(weights.out());
  return {kernels, 1, checkpoint_columns.size(), 2 * padded, [&](std::size_t row, std::size_t column) {
            const auto& half = column < padded ? weights.weight0 : weights.weight1;
            const std::size_t out = column % padded;
            return out < weights.out() ? weight_at(half, weights.out(), checkpoint_columns, row, out) : 0.0F;
          }};
}

}  // namespace

Points unpool(const Points& vertices, std::span<const Edge> unpool_edges) {
  Points result = vertices;
  result.reserve(vertices.size() + unpool_edges.size());
  for (const Edge& edge : unpool_edges) {
    result.push_back((vertices[static_cast<std::size_t>(edge[0])] + vertices[static_cast<std::size_t>(edge[1])]) *
                     0.5F);
  }
  return result;
}

template <class Number>
CoarseDeformation<Number>::CoarseDeformation(const Kernels<Element>& kernels,
                                             std::span<const std::vector<GraphConvolutionWeights>> blocks,
                                             const ProjectionLayout& layout, const MeshTemplate& mesh_template,
                                             bool unpools_features)
    : kernels_(&kernels),
      layout_(&layout),
      unpools_features_(unpools_features),
      template_vertices_(mesh_template.vertices),
      levels_(mesh_template.levels.begin(), mesh_template.levels.end()) {
  for (const std::vector<GraphConvolutionWeights>& block : blocks) blocks_.push_back(make_block(block));
  const std::size_t finest = levels_.back().support.size();
  const std::size_t hidden = padded_channels(blocks.front().front().out());
  products_.reserve(finest * 2 * hidden);
  if (unpools_features) unpooled_products_.reserve(finest * 2 * hidden);
  for (auto& level : hidden_) {
    for (States<Number>& states : level) states.reserve(finest, hidden);
  }
  coordinates_.reserve(finest, 3);
}

template <class Number>
auto CoarseDeformation<Number>::make_block(std::span<const GraphConvolutionWeights> layers) const -> Block {
  const GraphConvolutionWeights& first = layers.front();
  const std::size_t hidden = first.in() - layout_->checkpoint_width();
  // The checkpoint puts the hidden state last. Here it comes first so that its columns do not depend on the maps.
  std::vector<std::size_t> columns(padded_channels(hidden), kNoColumn);
  for (std::size_t i = 0; i < hidden; ++i) columns[i] = layout_->checkpoint_width() + i;
  const std::size_t hidden_columns = columns.size();
  columns.insert(columns.end(), layout_->checkpoint_columns().begin(), layout_->checkpoint_columns().end());
  Block block{.first_weights = side_by_side<Number>(*kernels_, first, columns),
              .first_bias = padded(first.bias),
              .layers = {},
              .hidden_columns = hidden_columns};
  for (const GraphConvolutionWeights& each : layers.subspan(1)) {
    block.layers.emplace_back(*kernels_, each);
  }
  return block;
}

template <class Number>
std::vector<Points> CoarseDeformation<Number>::run(const Projection& projection, ThreadPool& pool) {
  workers_.resize(static_cast<std::size_t>(pool.thread_count()));
  std::vector<Points> result;
  const States<Number>* hidden = nullptr;
  for (std::size_t level = 0; level < blocks_.size(); ++level) {
    const Block& block = blocks_[level];
    const Support& support = levels_[level].support;
    States<Number>(&states)[2] = hidden_[level % 2];
    run_first_layer(level, projection, level == 0 ? template_vertices_ : result.back(), hidden, pool, states[0]);
    const std::size_t inner_count = block.layers.size() - 1;
    for (std::size_t i = 0; i < inner_count; ++i) {
      const std::size_t layer = i + 1;
      const bool averages = has_residual(layer);
      run_layer(block.layers[i], support, states[(layer + 1) % 2], Activation::kRelu,
                averages ? Residual::kMean : Residual::kNone, pool, states[layer % 2]);
    }
    hidden = &states[inner_count % 2];
    run_layer(block.layers.back(), support, *hidden, Activation::kNone, Residual::kNone, pool, coordinates_);
    Points& vertices = result.emplace_back(support.size());
    for (std::size_t i = 0; i < vertices.size(); ++i)
      vertices[i] = Eigen::Map<const Eigen::Vector3f>(coordinates_.row(i));
  }
  return result;
}

template <class Number>
void CoarseDeformation<Number>::run_first_layer(std::size_t level, const Projection& projection, const Points& vertices,
                                                const States<Number>* hidden, ThreadPool& pool, States<Number>& out) {
  const Block& block = blocks_[level];
  const std::size_t width = block.first_weights.columns() / 2;
  const std::size_t stride = block.first_weights.columns();
  const float* products = products_.data();
  if (level == 0) {
    multiply_first(level, projection, vertices, {}, pool);
  } else if (unpools_features_) {
    // Unpooling and the product are both linear, so multiplying first handles only a quarter of the rows.
    multiply_first(level, projection, vertices, {nullptr, hidden, vertices.size()}, pool);
    const std::vector<Edge>& edges = levels_[level - 1].unpool_edges;
    std::copy_n(products, vertices.size() * stride, unpooled_products_.data());
    for (std::size_t i = 0; i < edges.size(); ++i) {
      kernels_->average(products + static_cast<std::size_t>(edges[i][0]) * stride,
                        products + static_cast<std::size_t>(edges[i][1]) * stride, stride,
                        unpooled_products_.data() + (vertices.size() + i) * stride);
    }
    products = unpooled_products_.data();
  } else {
    const std::vector<Edge>& edges = levels_[level - 1].unpool_edges;
    multiply_first(level, projection, unpool(vertices, edges), {&edges, hidden, vertices.size()}, pool);
  }
  const SupportRows support = levels_[level].support.rows();
  const Tiles tiles(levels_[level].support.size(), *kernels_);
  pool.run(tiles.count, [&](std::size_t tile, int) {
    kernels_->combine_neighbours(support, tiles.begin(tile), tiles.size(tile), products, products + width, stride,
                                 block.first_bias.data(), width, out.row(0));
    out.round(*kernels_, tiles.begin(tile), tiles.size(tile));
  });
}

template <class Number>
void CoarseDeformation<Number>::multiply_first(std::size_t level, const Projection& projection, const Points& vertices,
                                               const Input& input, ThreadPool& pool) {
  const Block& block = blocks_[level];
  const Tiles tiles(vertices.size(), *kernels_);
  const std::size_t task_count = (tiles.count + kTilesAtOnce - 1) / kTilesAtOnce;
  const std::size_t width = block.hidden_columns + layout_->width();
  for (Worker& worker : workers_) {
    worker.inputs.resize(blocks_.size());
    worker.inputs[level].reserve(kTilesAtOnce * static_cast<std::size_t>(kernels_->tile_rows), width);
  }
  pool.run(task_count, [&](std::size_t task, int worker_index) {
    const KernelSession session(*kernels_);
    Worker& worker = workers_[static_cast<std::size_t>(worker_index)];
    States<Number>& x = worker.inputs[level];
    const std::size_t first_tile = task * kTilesAtOnce;
    const std::size_t last_tile = std::min(first_tile + kTilesAtOnce, tiles.count);
    const std::size_t first = tiles.begin(first_tile);
    const std::size_t count = tiles.begin(last_tile) - first;
    if (block.hidden_columns > 0) {
      for (std::size_t i = 0; i < count; ++i) fill_hidden(input, first + i, x.row(i));
    }
    projection.run(vertices[first].data(), count, worker.lookups, x.row(0) + block.hidden_columns, x.stride());
    x.round(*kernels_, 0, count);
    Product<Element> product = product_with(block.first_weights);
    product.row_stride = x.stride();
    product.out_stride = block.first_weights.columns();
    for (std::size_t column = 0; column < block.first_weights.columns(); column += kernels_->block_columns) {
      product.first_column = column;
      product.last_column = std::min(column + kernels_->block_columns, block.first_weights.columns());
      for (std::size_t tile = first_tile; tile < last_tile; ++tile) {
        product.rows = static_cast<int>(tiles.size(tile));
        set_segment<Number>(product, 0, x.operand(tiles.begin(tile) - first), x.rest());
        product.out_float = products_.data() + tiles.begin(tile) * product.out_stride;
        kernels_->multiply(product);
      }
    }
  });
}

template <class Number>
void CoarseDeformation<Number>::fill_hidden(const Input& input, std::size_t row, float* out) const {
  const States<Number>& hidden = *input.hidden;
  if (row < input.hidden_rows) {
    std::copy_n(hidden.row(row), hidden.stride(), out);
  } else {
    const Edge& edge = (*input.unpool_edges)[row - input.hidden_rows];
    kernels_->average(hidden.row(static_cast<std::size_t>(edge[0])), hidden.row(static_cast<std::size_t>(edge[1])),
                      hidden.stride(), out);
  }
}

template <class Number>
void CoarseDeformation<Number>::run_layer(const GraphConvolution<Number>& layer, const Support& support,
                                          const States<Number>& x, Activation activation, Residual residual,
                                          ThreadPool& pool, States<Number>& out) {
  const Tiles tiles(support.size(), *kernels_);
  for (Worker& worker : workers_) worker.neighbours.reserve(*kernels_, x.stride());
  pool.run(tiles.count, [&](std::size_t tile, int worker) {
    const KernelSession session(*kernels_);
    NeighbourSums<Number>& neighbours = workers_[static_cast<std::size_t>(worker)].neighbours;
    const std::size_t first = tiles.begin(tile);
    const std::size_t count = tiles.size(tile);
    neighbours.sum(*kernels_, support.rows(), first, count, x.row(0), x.stride());
    layer.run_tile(x, first, count, neighbours, activation, residual, out);
  });
}

template <class Number>
std::vector<float> CoarseDeformation<Number>::first_projection(const Projection& projection) const {
  const std::size_t stride = padded_channels(layout_->width());
  AlignedBuffer<float> rows(template_vertices_.size() * stride);
  Projection::Scratch scratch;
  projection.run(template_vertices_.front().data(), template_vertices_.size(), scratch, rows.data(), stride);
  return layout_->in_checkpoint_order(rows.data(), template_vertices_.size(), stride);
}

template class CoarseDeformation<float>;
template class CoarseDeformation<SplitFloat>;

}  // namespace p2mpp
