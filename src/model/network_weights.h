#pragma once

#include <span>
#include <string>
#include <vector>

#include "model/model.h"
#include "model/network_layout.h"
#include "model/stage_archive.h"

namespace p2mpp {

/// The problem of an archive whose first convolution has another number of input channels than model.json (one clause).
[[nodiscard]] std::string describe_other_image_channels(std::int64_t found, std::int64_t expected);

/// A convolution's parameters. Non-owning; they may be released after packing.
struct ConvolutionWeights {
  std::span<const float> weight;  ///< [out, in, kernel, kernel]
  std::span<const float> bias;    ///< [out]
  int kernel = 0;                 ///< pixels
  int stride = 1;

  [[nodiscard]] std::size_t in() const {
    return weight.size() / (bias.size() * static_cast<std::size_t>(kernel * kernel));
  }
};

/// The parameters of x W0 + T1 (x W1) + b; T0 is the identity. Non-owning; they may be released after packing.
struct GraphConvolutionWeights {
  std::span<const float> weight0;  ///< [in, out]
  std::span<const float> weight1;  ///< [in, out]
  std::span<const float> bias;     ///< [out]

  [[nodiscard]] std::size_t out() const { return bias.size(); }
  [[nodiscard]] std::size_t in() const { return weight0.size() / bias.size(); }
};

/// A stage's parameters by operation, with consistent sizes. The results are valid during this object's lifetime.
class StageWeights {
 public:
  /// `stage`: 1 or 2. Throws InputError naming the file if sizes contradict each other.
  StageWeights(const Model& model, int stage);

  [[nodiscard]] std::vector<ConvolutionWeights> convolutions() const;

  /// Output channels of these convolutions.
  [[nodiscard]] std::vector<std::size_t> channels(std::span<const std::size_t> layers) const;

  /// The layers of each block [blocks][layers]; kind: "gcn" or "drb".
  [[nodiscard]] std::vector<std::vector<GraphConvolutionWeights>> blocks(const std::string& kind) const;

 private:
  void check_convolutions(const CnnSizes& sizes) const;
  void check_blocks(const NetworkSizes& sizes, int stage) const;
  [[nodiscard]] GraphConvolutionWeights graph_convolution(const std::string& name, std::size_t in) const;

  StageArchive parameters_;
  std::int64_t image_channels_;
  std::size_t convolution_count_;
  std::size_t projected_width_;  // [xyz, max, mean, std]
};

}  // namespace p2mpp
