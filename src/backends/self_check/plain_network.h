#pragma once

#include <vector>

#include "model/model.h"
#include "model/network_layout.h"
#include "p2mpp/sample.h"

namespace p2mpp {

/// A small model with random weights, held in memory; image_channels: of kClean also kMaskedImageChannels, and with
/// those stage 2 may read the masks' evidence. It has every kind of layer, every level, and more vertices, pixels and
/// channels than fit into one tile. It has no files, so the `torchscript` backend cannot run it. It is not calibrated
/// for fp8.
[[nodiscard]] Model drawn_model(Semantics semantics, std::size_t image_channels = kColourChannels,
                                bool mask_evidence = false);

}  // namespace p2mpp

namespace p2mpp::plain {

/// The output of the whole network in double precision.
struct Vertices {
  std::vector<std::vector<double>> coarse;   ///< [N_level,3] after each block of stage 1
  std::vector<std::vector<double>> refined;  ///< [N,3] after each deformation reasoning block
  /// [blocks][layers] of the deformation reasoning blocks: the largest magnitude in each layer's input, excluding the
  /// coordinates in the first layer's. Used to calibrate fp8.
  std::vector<std::vector<float>> largest_inputs;
};

/// Computes a sample with plain loops; only the images are prepared by preprocess(). Takes about a second for a network
/// of drawn_model()'s size. Throws InputError for weights of inconsistent shapes.
[[nodiscard]] Vertices run_network(const Model& model, const Sample& sample);

}  // namespace p2mpp::plain
