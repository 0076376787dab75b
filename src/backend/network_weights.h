#pragma once

#include <string>
#include <vector>

#include "model/network_layout.h"
#include "model/stage_archive.h"
#include "ops/cpu/convolution.h"
#include "ops/cpu/graph_convolution.h"

namespace p2mpp {

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
