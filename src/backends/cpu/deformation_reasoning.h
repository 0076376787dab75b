#pragma once

#include <chrono>
#include <span>
#include <vector>

#include "backends/cpu/graph_convolution.h"
#include "backends/cpu/projection.h"

namespace p2mpp {

/// The local graph that stands around every vertex.
struct LocalGraphOfHypotheses {
  std::vector<float> offsets;  ///< [S,3]
  Support support;             ///< T1, [S,S]
};

/// What a test wants to see of one block; row-major, in the checkpoint's order.
struct ReasoningTrace {
  std::vector<float> projection;  ///< [N,S,F]
  std::vector<float> scores;      ///< [N,S] that enter the softmax
};

/// Milliseconds of wall clock, divided by what the threads were busy with.
struct ReasoningTimes {
  double projection_ms = 0;
  double reasoning_ms = 0;
};

/// A deformation reasoning block: hypotheses around each vertex are projected, sampled and scored by local graph
/// convolutions with ReLU but on the last, and the vertex moves by their softmax-weighted offset. From the third layer
/// on, every second inner one adds what entered the one before it.
///
/// A panel of vertices goes from its projection to its new positions in one thread: its rows stay in the L2 cache
/// through all layers, and the tensor of all rows never exists.
template <class Element>
class DeformationReasoning {
 public:
  /// `layers`: the last gives one channel. `rectified`: ReLU before the softmax (tf).
  DeformationReasoning(const Kernels<Element>& kernels, std::span<const GraphConvolutionWeights> layers,
                       const ProjectionLayout& layout, const LocalGraphOfHypotheses& local_graph, bool rectified);

  /// Vertices [N,3] -> moved vertices [N,3]; every vertex's result depends on that vertex alone.
  ReasoningTimes run(const Projection& projection, std::span<const float> vertices, std::span<float> moved,
                     ThreadPool& pool, ReasoningTrace* trace);

 private:
  using Clock = std::chrono::steady_clock;

  /// What a thread works on; allocated at its first panel.
  struct Panel {
    std::vector<float> points;
    Projection::Scratch lookups;
    States<Element> projected;
    States<Element> hidden[2];
    AlignedBuffer<Element> neighbours;  // T1 x of a tile
    std::vector<float> own, others;     // the last layer's two products
    std::vector<float> scores;
    Clock::duration projecting{}, reasoning{};
  };

  void reserve(Panel& panel) const;
  void project(const Projection& projection, std::span<const float> vertices, Panel& panel) const;
  void score(std::size_t vertex_count, Panel& panel) const;
  void run_layer(std::size_t layer, const States<Element>& x, std::size_t rows, Panel& panel,
                 States<Element>& out) const;
  void run_last_layer(const States<Element>& x, std::size_t vertex_count, Panel& panel) const;
  void move(std::span<const float> vertices, Panel& panel, std::span<float> moved) const;
  void keep_trace(std::size_t first_vertex, std::size_t vertex_count, const Panel& panel, ReasoningTrace& trace) const;

  [[nodiscard]] std::size_t hypotheses() const { return local_graph_->support.size(); }

  const Kernels<Element>* kernels_;
  const ProjectionLayout* layout_;
  const LocalGraphOfHypotheses* local_graph_;
  bool rectified_;
  std::size_t panel_vertices_;
  std::vector<GraphConvolution<Element>> layers_;  // but the last
  AlignedBuffer<float> last_weight0_, last_weight1_;
  float last_bias_;
  std::vector<Panel> panels_;  // one a thread
};

}  // namespace p2mpp
