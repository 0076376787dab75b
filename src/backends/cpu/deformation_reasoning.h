#pragma once

#include <chrono>
#include <span>
#include <vector>

#include "backends/cpu/graph_convolution.h"
#include "backends/cpu/projection.h"
#include "base/clock.h"

namespace p2mpp {

/// The local graph of hypotheses around every vertex.
struct LocalGraphOfHypotheses {
  std::vector<float> offsets;  ///< [S,3], relative to the vertex
  Support support;             ///< T1, [S,S]
};

/// Intermediate results of one block for tests; row-major, in the checkpoint's order.
struct ReasoningTrace {
  std::vector<float> projection;  ///< [N,S,F]
  std::vector<float> scores;      ///< [N,S], the softmax's input
};

/// Wall-clock milliseconds, split in proportion to the time that the threads spent on each part.
struct ReasoningTimes {
  double projection_ms = 0;
  double reasoning_ms = 0;
};

/// A deformation reasoning block. Hypotheses around each vertex are projected, sampled and scored by local graph
/// convolutions, all with ReLU except the last. Then each vertex moves by the softmax-weighted offset. From the third
/// layer on, every second inner layer adds the input of the layer before it to its output.
///
/// A thread takes a panel of vertices from projection to new positions. Its rows stay in the L2 cache through all
/// layers, and the tensor of all rows is never stored.
template <class Number>
class DeformationReasoning {
 public:
  using Element = ElementOf<Number>;

  /// `layers`: the last has one output channel. `rectified`: ReLU before the softmax (tf). The references must outlive
  /// this object.
  DeformationReasoning(const Kernels<Element>& kernels, std::span<const GraphConvolutionWeights> layers,
                       const ProjectionLayout& layout, const LocalGraphOfHypotheses& local_graph, bool rectified);

  /// Vertices [N,3] -> moved vertices [N,3]. Each result depends only on its own vertex. `trace` may be null. Not
  /// thread-safe.
  ReasoningTimes run(const Projection& projection, std::span<const float> vertices, std::span<float> moved,
                     ThreadPool& pool, ReasoningTrace* trace);

 private:
  /// The buffers of one thread, allocated before the first run.
  struct Panel {
    std::vector<float> points;
    Projection::Scratch lookups;
    States<Number> projected;
    States<Number> hidden[2];
    NeighbourSums<Number> neighbours;
    std::vector<float> own, others;  // the last layer's two products
    std::vector<float> scores;
    Clock::duration projecting{}, reasoning{};
  };

  void reserve(Panel& panel) const;
  void project(const Projection& projection, std::span<const float> vertices, Panel& panel) const;
  void score(std::size_t vertex_count, Panel& panel) const;
  void run_layer(std::size_t layer, const States<Number>& x, std::size_t rows, Panel& panel, States<Number>& out) const;
  void run_last_layer(const States<Number>& x, std::size_t vertex_count, Panel& panel) const;
  void move(std::span<const float> vertices, Panel& panel, std::span<float> moved) const;
  void keep_trace(std::size_t first_vertex, std::size_t vertex_count, const Panel& panel, ReasoningTrace& trace) const;

  [[nodiscard]] std::size_t hypotheses() const { return local_graph_->support.size(); }

  const Kernels<Element>* kernels_;
  const ProjectionLayout* layout_;
  const LocalGraphOfHypotheses* local_graph_;
  bool rectified_;
  std::size_t panel_vertices_;
  std::vector<GraphConvolution<Number>> layers_;  // all except the last
  AlignedBuffer<float> last_weight0_, last_weight1_;
  float last_bias_;
  std::vector<Panel> panels_;  // one per thread
};

}  // namespace p2mpp
