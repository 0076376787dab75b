#pragma once

#include <span>
#include <vector>

#include "ops/cpu/graph_convolution.h"
#include "ops/cpu/projection.h"
#include "p2mpp/mesh_template.h"

namespace p2mpp {

/// One resolution of the mesh as the CPU's operations hold it.
struct CoarseLevel {
  explicit CoarseLevel(const TemplateLevel& level)
      : support(level.support), unpool_edges(level.unpool_edges), vertex_count(level.vertex_count) {}

  Support support;
  std::vector<Edge> unpool_edges;  ///< whose midpoints the next level appends
  std::int64_t vertex_count;
};

/// Stage 1 after its CNN: for each level a block of graph convolutions on [projected features, unpooled hidden state],
/// with ReLU but on the last layer, which gives coordinates; from the third layer on, every second inner one averages
/// with what entered the layer before it.
template <class Element>
class CoarseDeformation {
 public:
  /// blocks: the layers of each level. unpools_features (tf): levels after the first project the coarser level's
  /// vertices and unpool the features; otherwise they unpool the coordinates and project those.
  CoarseDeformation(const Kernels<Element>& kernels, std::span<const std::vector<GraphConvolutionWeights>> blocks,
                    const ProjectionLayout& layout, const MeshTemplate& mesh_template, bool unpools_features);

  /// The vertices of each level, coarse to fine.
  std::vector<Points> run(const Projection<Element>& projection, ThreadPool& pool);

  /// What enters the first block, [N0,F] in the checkpoint's order.
  [[nodiscard]] std::vector<float> first_projection(const Projection<Element>& projection) const;

 private:
  /// The first layer takes thousands of channels from each vertex, which need not be in memory at once: products come
  /// first, a few rows at a time, neighbours are summed after.
  struct Block {
    PackedWeights<Element> first_weights;  // [W0 | W1]
    AlignedBuffer<float> first_bias;
    std::vector<GraphConvolution<Element>> layers;  // from the second on
    std::size_t hidden_columns;                     // of the first layer's input; the projection follows
  };
  struct Worker {
    std::vector<float> points;
    typename Projection<Element>::Scratch lookups;
    std::vector<States<Element>> inputs;  // of each level's first layer
    AlignedBuffer<Element> neighbours;
  };
  /// What a block begins with: a vertex each row; hidden state of a coarser level, to be unpooled.
  struct Input {
    const std::vector<Edge>* unpool_edges = nullptr;  // null: the rows are there
    const States<Element>* hidden = nullptr;
    std::size_t hidden_rows = 0;
  };

  [[nodiscard]] Block make_block(std::span<const GraphConvolutionWeights> layers) const;
  void multiply_first(std::size_t level, const Projection<Element>& projection, const Points& vertices,
                      const Input& input, ThreadPool& pool);
  void fill_hidden(const Input& input, std::size_t row, float* out) const;
  void run_first_layer(std::size_t level, const Projection<Element>& projection, const Points& vertices,
                       const States<Element>* hidden, ThreadPool& pool, States<Element>& out);
  void run_layer(const GraphConvolution<Element>& layer, const Support& support, const States<Element>& x,
                 Activation activation, Residual residual, ThreadPool& pool, States<Element>& out);

  const Kernels<Element>* kernels_;
  const ProjectionLayout* layout_;
  bool unpools_features_;
  Points template_vertices_;
  std::vector<CoarseLevel> levels_;
  std::vector<Block> blocks_;
  std::vector<Worker> workers_;
  AlignedBuffer<float> products_, unpooled_products_;  // [own | others] of the first layer
  States<Element> hidden_[2][2];                       // of a level and of the one before it: [level % 2][layer % 2]
  States<Element> coordinates_;
};

/// Appends the midpoint of each edge.
[[nodiscard]] Points unpool(const Points& vertices, std::span<const Edge> unpool_edges);

}  // namespace p2mpp
