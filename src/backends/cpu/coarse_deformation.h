#pragma once

#include <span>
#include <vector>

#include "backends/cpu/graph_convolution.h"
#include "backends/cpu/projection.h"
#include "p2mpp/mesh_template.h"

namespace p2mpp {

/// One resolution of the mesh as the CPU's operations hold it.
struct CoarseLevel {
  explicit CoarseLevel(const TemplateLevel& level) : support(level.support), unpool_edges(level.unpool_edges) {}

  Support support;
  std::vector<Edge> unpool_edges;  ///< whose midpoints the next level appends
};

/// Stage 1 after its CNN: for each level a block of graph convolutions on [projected features, unpooled hidden state],
/// with ReLU but on the last layer, which gives coordinates; from the third layer on, every second inner one averages
/// with what entered the layer before it. In fp32 always: what comes out are coordinates of the whole object, of which
/// bf16 would leave three digits.
class CoarseDeformation {
 public:
  /// blocks: the layers of each level. unpools_features (tf): levels after the first project the coarser level's
  /// vertices and unpool the features; otherwise they unpool the coordinates and project those.
  CoarseDeformation(const Kernels<float>& kernels, std::span<const std::vector<GraphConvolutionWeights>> blocks,
                    const ProjectionLayout& layout, const MeshTemplate& mesh_template, bool unpools_features);

  /// The vertices of each level, coarse to fine.
  std::vector<Points> run(const Projection& projection, ThreadPool& pool);

  /// What enters the first block, [N0,F] in the checkpoint's order.
  [[nodiscard]] std::vector<float> first_projection(const Projection& projection) const;

 private:
  /// The first layer takes thousands of channels from each vertex, which need not be in memory at once: products come
  /// first, a few rows at a time, neighbours are summed after.
  struct Block {
    PackedWeights<float> first_weights;  // [W0 | W1]
    AlignedBuffer<float> first_bias;
    std::vector<GraphConvolution<float>> layers;  // from the second on
    std::size_t hidden_columns;                   // of the first layer's input; the projection follows
  };
  struct Worker {
    Projection::Scratch lookups;
    std::vector<States<float>> inputs;  // of each level's first layer
    AlignedBuffer<float> neighbours;
  };
  /// What a block begins with: a vertex each row; hidden state of a coarser level, to be unpooled.
  struct Input {
    const std::vector<Edge>* unpool_edges = nullptr;  // null: the rows are there
    const States<float>* hidden = nullptr;
    std::size_t hidden_rows = 0;
  };

  [[nodiscard]] Block make_block(std::span<const GraphConvolutionWeights> layers) const;
  void multiply_first(std::size_t level, const Projection& projection, const Points& vertices, const Input& input,
                      ThreadPool& pool);
  void fill_hidden(const Input& input, std::size_t row, float* out) const;
  void run_first_layer(std::size_t level, const Projection& projection, const Points& vertices,
                       const States<float>* hidden, ThreadPool& pool, States<float>& out);
  void run_layer(const GraphConvolution<float>& layer, const Support& support, const States<float>& x,
                 Activation activation, Residual residual, ThreadPool& pool, States<float>& out);

  const Kernels<float>* kernels_;
  const ProjectionLayout* layout_;
  bool unpools_features_;
  Points template_vertices_;
  std::vector<CoarseLevel> levels_;
  std::vector<Block> blocks_;
  std::vector<Worker> workers_;
  AlignedBuffer<float> products_, unpooled_products_;  // [own | others] of the first layer
  States<float> hidden_[2][2];                         // of a level and of the one before it: [level % 2][layer % 2]
  States<float> coordinates_;
};

/// Appends the midpoint of each edge.
[[nodiscard]] Points unpool(const Points& vertices, std::span<const Edge> unpool_edges);

}  // namespace p2mpp
