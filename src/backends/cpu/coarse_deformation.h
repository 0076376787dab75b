#pragma once

#include <span>
#include <vector>

#include "backends/cpu/graph_convolution.h"
#include "backends/cpu/projection.h"
#include "geometry/mesh_template.h"

namespace p2mpp {

/// One resolution of the mesh in the form that the CPU kernels use.
struct CoarseLevel {
  explicit CoarseLevel(const TemplateLevel& level) : support(level.support), unpool_edges(level.unpool_edges) {}

  Support support;
  std::vector<Edge> unpool_edges;  ///< the next level appends their midpoints
};

/// Stage 1 after its CNN. Each level has a block of graph convolutions on [projected features, unpooled hidden state].
/// All layers have a ReLU except the last, which outputs coordinates. From the third layer on, every second inner layer
/// averages its output with the input of the layer before it. In fp32 or SplitFloat: the outputs are coordinates of the
/// whole object, and bf16 would keep only three digits of them.
template <class Number>
class CoarseDeformation {
 public:
  using Element = ElementOf<Number>;

  /// blocks: the layers of each level. unpools_features (tf): levels after the first project the coarser level's
  /// vertices, then unpool the features; otherwise they unpool the coordinates, then project those. `kernels` and
  /// `layout` must outlive this object.
  CoarseDeformation(const Kernels<Element>& kernels, std::span<const std::vector<GraphConvolutionWeights>> blocks,
                    const ProjectionLayout& layout, const MeshTemplate& mesh_template, bool unpools_features);

  /// The vertices of each level, coarse to fine. Not thread-safe.
  std::vector<Points> run(const Projection& projection, ThreadPool& pool);

  /// The first block's input, [N0,F] in the checkpoint's order.
  [[nodiscard]] std::vector<float> first_projection(const Projection& projection) const;

 private:
  /// The first layer has thousands of input channels per vertex. Its matrix products are computed first, a few rows at
  /// a time, and the neighbours are summed afterwards, so that not all rows have to be stored.
  struct Block {
    PackedWeights<Number> first_weights;  // [W0 | W1]
    AlignedBuffer<float> first_bias;
    std::vector<GraphConvolution<Number>> layers;  // from the second layer on
    std::size_t hidden_columns;                    // of the first layer's input; the projection follows them
  };
  struct Worker {
    Projection::Scratch lookups;
    std::vector<States<Number>> inputs;  // one tile of the first layer's input, for each level
    NeighbourSums<Number> neighbours;
  };
  /// The hidden state that enters a block: one row per vertex. At levels after the first, it is unpooled from the
  /// coarser level.
  struct Input {
    const std::vector<Edge>* unpool_edges = nullptr;  // null: `hidden` has every row
    const States<Number>* hidden = nullptr;
    std::size_t hidden_rows = 0;
  };

  [[nodiscard]] Block make_block(std::span<const GraphConvolutionWeights> layers) const;
  void multiply_first(std::size_t level, const Projection& projection, const Points& vertices, const Input& input,
                      ThreadPool& pool);
  void fill_hidden(const Input& input, std::size_t row, float* out) const;
  void run_first_layer(std::size_t level, const Projection& projection, const Points& vertices,
                       const States<Number>* hidden, ThreadPool& pool, States<Number>& out);
  void run_layer(const GraphConvolution<Number>& layer, const Support& support, const States<Number>& x,
                 Activation activation, Residual residual, ThreadPool& pool, States<Number>& out);

  const Kernels<Element>* kernels_;
  const ProjectionLayout* layout_;
  bool unpools_features_;
  Points template_vertices_;
  std::vector<CoarseLevel> levels_;
  std::vector<Block> blocks_;
  std::vector<Worker> workers_;
  AlignedBuffer<float> products_, unpooled_products_;  // [own | others] of the first layer
  States<Number> hidden_[2][2];  // [level % 2][layer % 2]: the current level's and the previous level's
  States<Number> coordinates_;
};

/// Appends the midpoint of each edge.
[[nodiscard]] Points unpool(const Points& vertices, std::span<const Edge> unpool_edges);

}  // namespace p2mpp
