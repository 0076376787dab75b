#pragma once

#include <vector>

#include "p2mpp/model.h"
#include "p2mpp/sample.h"

namespace p2mpp::plain {

/// What the whole network gives, in double precision.
struct Vertices {
  std::vector<std::vector<double>> coarse;   ///< [N_level,3] after each block of stage 1
  std::vector<std::vector<double>> refined;  ///< [N,3] after each deformation reasoning block
  /// [blocks][layers] of the deformation reasoning blocks: the largest magnitude of each layer's input, the coordinates
  /// among the first layer's left out; what fp8 is calibrated with.
  std::vector<std::vector<float>> largest_inputs;
};

/// Computes a sample by plain loops alone but for its images, which preprocess() composites and resizes. Takes about a
/// second for a network of drawn_model()'s size. Throws InputError for weights that contradict each other.
[[nodiscard]] Vertices run_network(const Model& model, const Sample& sample);

}  // namespace p2mpp::plain
