#pragma once

#include <ATen/core/Tensor.h>

#include <vector>

#include "p2mpp/model.h"

namespace p2mpp::torchscript {

/// A model but for its weights, as the modules' methods take it: copied to the device that computes once, and passed to
/// every pass from there.
struct ResidentTensors {
  ResidentTensors(const Model& model, c10::Device device);

  at::Tensor template_vertices;          ///< [N0,3]
  at::Tensor hypotheses;                 ///< [S,3]
  at::Tensor local_support;              ///< [S,S]
  std::vector<at::Tensor> supports;      ///< a level: sparse [N,N]
  std::vector<at::Tensor> unpool_edges;  ///< a level but the last: [E,2]
};

}  // namespace p2mpp::torchscript
