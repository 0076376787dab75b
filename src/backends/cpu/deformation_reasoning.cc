#include "backends/cpu/deformation_reasoning.h"

#include <cmath>

namespace p2mpp {
namespace {

// Rows of a panel: enough for full tiles, few enough that the panel's activations and a layer's weights share a core's
// L2 cache (1 MiB).
constexpr std::size_t kPanelRows = 172;

double milliseconds(std::chrono::steady_clock::duration duration) {
  return std::chrono::duration<double, std::milli>(duration).count();
}

}  // namespace

template <class Number>
DeformationReasoning<Number>::DeformationReasoning(const Kernels<Element>& kernels,
                                                   std::span<const GraphConvolutionWeights> layers,
                                                   const ProjectionLayout& layout,
                                                   const LocalGraphOfHypotheses& local_graph, bool rectified)
    : kernels_(&kernels),
      layout_(&layout),
      local_graph_(&local_graph),
      rectified_(rectified),
      panel_vertices_(std::max<std::size_t>(1, kPanelRows / local_graph.support.size())) {
  for (std::size_t i = 0; i + 1 < layers.size(); ++i) {
    layers_.emplace_back(kernels, layers[i], i == 0 ? layout.checkpoint_columns() : std::span<const std::size_t>());
  }
  last_weight0_ = padded(layers.back().weight0);
  last_weight1_ = padded(layers.back().weight1);
  last_bias_ = layers.back().bias.front();
}

template <class Number>
ReasoningTimes DeformationReasoning<Number>::run(const Projection& projection, std::span<const float> vertices,
                                                 std::span<float> moved, ThreadPool& pool, ReasoningTrace* trace) {
  const auto start = Clock::now();
  const std::size_t vertex_count = vertices.size() / 3;
  panels_.resize(static_cast<std::size_t>(pool.thread_count()));
  for (Panel& panel : panels_) reserve(panel);
  if (trace != nullptr) {
    trace->projection.resize(vertex_count * hypotheses() * layout_->checkpoint_width());
    trace->scores.resize(vertex_count * hypotheses());
  }
  const std::size_t panel_count = (vertex_count + panel_vertices_ - 1) / panel_vertices_;
  pool.run(panel_count, [&](std::size_t task, int worker) {
    Panel& panel = panels_[static_cast<std::size_t>(worker)];
    const std::size_t first = task * panel_vertices_;
    const std::size_t count = std::min(panel_vertices_, vertex_count - first);
    const auto begin = Clock::now();
    project(projection, vertices.subspan(3 * first, 3 * count), panel);
    const auto projected = Clock::now();
    score(count, panel);
    if (trace != nullptr) keep_trace(first, count, panel, *trace);
    move(vertices.subspan(3 * first, 3 * count), panel, moved.subspan(3 * first, 3 * count));
    panel.projecting += projected - begin;
    panel.reasoning += Clock::now() - projected;
  });
  Clock::duration projecting{};
  Clock::duration reasoning{};
  for (const Panel& panel : panels_) {
    projecting += panel.projecting;
    reasoning += panel.reasoning;
  }
  const double total_ms = milliseconds(Clock::now() - start);
  const double busy_ms = milliseconds(projecting + reasoning);
  return {total_ms * milliseconds(projecting) / busy_ms, total_ms * milliseconds(reasoning) / busy_ms};
}

template <class Number>
void DeformationReasoning<Number>::reserve(Panel& panel) const {
  const std::size_t rows = panel_vertices_ * hypotheses();
  panel.points.resize(3 * rows);
  panel.projected.reserve(rows, layout_->width());
  for (States<Number>& hidden : panel.hidden) hidden.reserve(rows, layers_.front().out_channels());
  const std::size_t widest = std::max(panel.projected.stride(), panel.hidden[0].stride());
  panel.neighbours.reserve(*kernels_, widest);
  panel.own.resize(rows);
  panel.others.resize(rows);
  panel.scores.resize(rows);
  panel.projecting = panel.reasoning = {};
}

template <class Number>
void DeformationReasoning<Number>::project(const Projection& projection, std::span<const float> vertices,
                                           Panel& panel) const {
  float* point = panel.points.data();
  for (std::size_t vertex = 0; vertex < vertices.size(); vertex += 3) {
    for (std::size_t i = 0; i < local_graph_->offsets.size(); ++i)
      *point++ = vertices[vertex + i % 3] + local_graph_->offsets[i];
  }
  const std::size_t rows = vertices.size() / 3 * hypotheses();
  States<Number>& projected = panel.projected;
  projection.run(panel.points.data(), rows, panel.lookups, projected.row(0), projected.stride());
  projected.round(*kernels_, 0, rows);
}

template <class Number>
void DeformationReasoning<Number>::score(std::size_t vertex_count, Panel& panel) const {
  const States<Number>* x = &panel.projected;
  const KernelSession session(*kernels_);
  for (std::size_t layer = 0; layer < layers_.size(); ++layer) {
    States<Number>& out = panel.hidden[layer % 2];
    run_layer(layer, *x, vertex_count * hypotheses(), panel, out);
    x = &out;
  }
  run_last_layer(*x, vertex_count, panel);
}

template <class Number>
void DeformationReasoning<Number>::run_layer(std::size_t layer, const States<Number>& x, std::size_t rows, Panel& panel,
                                             States<Number>& out) const {
  const std::size_t size = hypotheses();
  const bool adds = has_residual(layer);
  const Tiles tiles(rows, *kernels_);
  for (std::size_t tile = 0; tile < tiles.count; ++tile) {
    const std::size_t first = tiles.begin(tile);
    const std::size_t end = tiles.begin(tile + 1);
    for (std::size_t row = first; row < end;) {  // one graph at a time: a tile may span two
      const std::size_t node = row % size;
      const std::size_t count = std::min(end - row, size - node);
      panel.neighbours.sum(*kernels_, local_graph_->support.rows(), node, count, x.row(row - node), x.stride(),
                           row - first);
      row += count;
    }
    layers_[layer].run_tile(x, first, end - first, panel.neighbours, Activation::kRelu,
                            adds ? Residual::kSum : Residual::kNone, out);
  }
}

// The last layer has one output channel, so two dot products per row replace the matrix product.
template <class Number>
void DeformationReasoning<Number>::run_last_layer(const States<Number>& x, std::size_t vertex_count,
                                                  Panel& panel) const {
  const std::size_t size = hypotheses();
  kernels_->dot_product_pairs(x.row(0), x.stride(), vertex_count * size, x.stride(), last_weight0_.data(),
                              last_weight1_.data(), panel.own.data(), panel.others.data());
  const SupportRows support = local_graph_->support.rows();
  for (std::size_t row = 0; row < vertex_count * size; ++row) {
    const std::size_t node = row % size;
    const float* others = panel.others.data() + (row - node);
    float score = panel.own[row] + last_bias_;
    for (auto i = support.first[node]; i < support.first[node + 1]; ++i) {
      score += support.weight[i] * others[support.column[i]];
    }
    panel.scores[row] = rectified_ && score < 0 ? 0 : score;
  }
}

template <class Number>
void DeformationReasoning<Number>::move(std::span<const float> vertices, Panel& panel, std::span<float> moved) const {
  const std::size_t size = hypotheses();
  for (std::size_t vertex = 0; vertex < vertices.size() / 3; ++vertex) {
    const float* scores = panel.scores.data() + vertex * size;
    const float largest = *std::max_element(scores, scores + size);
    float sum = 0;
    float offset[3] = {};
    for (std::size_t i = 0; i < size; ++i) {
      const float weight = std::exp(scores[i] - largest);
      sum += weight;
      for (std::size_t axis = 0; axis < 3; ++axis) offset[axis] += weight * local_graph_->offsets[3 * i + axis];
    }
    for (std::size_t axis = 0; axis < 3; ++axis) {
      moved[3 * vertex + axis] = vertices[3 * vertex + axis] + offset[axis] / sum;
    }
  }
}

template <class Number>
void DeformationReasoning<Number>::keep_trace(std::size_t first_vertex, std::size_t vertex_count, const Panel& panel,
                                              ReasoningTrace& trace) const {
  const std::size_t rows = vertex_count * hypotheses();
  const auto projected = layout_->in_checkpoint_order(panel.projected.row(0), rows, panel.projected.stride());
  const std::size_t width = projected.size() / rows;
  std::ranges::copy(projected,
                    trace.projection.begin() + static_cast<std::ptrdiff_t>(first_vertex * hypotheses() * width));
  std::copy_n(panel.scores.begin(), rows,
              trace.scores.begin() + static_cast<std::ptrdiff_t>(first_vertex * hypotheses()));
}

template class DeformationReasoning<float>;
template class DeformationReasoning<Bfloat16>;
template class DeformationReasoning<SplitFloat>;

}  // namespace p2mpp
