#pragma once

#include <span>
#include <string>
#include <vector>

#include "model/network_layout.h"
#include "model/stage_archive.h"

namespace p2mpp {

/// A convolution's parameters; whoever owns them may release them once it is packed.
struct ConvolutionWeights {
  std::span<const float> weight;  ///< [out, in, kernel, kernel]
  std::span<const float> bias;    ///< [out]
  int kernel = 0;                 ///< pixels
  int stride = 1;
};

/// x W0 + T1 (x W1) + b; T0 is the identity. Whoever owns the parameters may release them once they are packed.
struct GraphConvolutionWeights {
  std::span<const float> weight0;  ///< [in, out]
  std::span<const float> weight1;  ///< [in, out]
  std::span<const float> bias;     ///< [out]

  [[nodiscard]] std::size_t out() const { return bias.size(); }
  [[nodiscard]] std::size_t in() const { return weight0.size() / bias.size(); }
};

/// A stage's parameters as the operations take them, checked against each other. Valid while this object lives.
class StageWeights {
 public:
  /// Throws InputError naming the file for sizes that contradict each other.
  StageWeights(const Model& model, int stage);

  [[nodiscard]] std::vector<ConvolutionWeights> convolutions() const;

  /// Channels of the maps that these convolutions give.
  [[nodiscard]] std::vector<std::size_t> channels(std::span<const std::size_t> layers) const;

  /// The layers of each block; kind: "gcn" or "drb".
  [[nodiscard]] std::vector<std::vector<GraphConvolutionWeights>> blocks(const std::string& kind) const;

 private:
  void check_counts(const NetworkSizes& sizes, int stage) const;
  [[nodiscard]] GraphConvolutionWeights graph_convolution(const std::string& name, std::size_t in) const;

  StageArchive parameters_;
  std::size_t convolution_count_;
  std::size_t projected_width_;  // [xyz, max, mean, std]
};

}  // namespace p2mpp
