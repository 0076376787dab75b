#pragma once

#include <ATen/core/Tensor.h>

#include <vector>

#include "model/model.h"

namespace p2mpp::torchscript {

/// A model without its weights, in the form in which the modules' methods take it: copied to the device once and reused
/// by every pass.
struct ResidentTensors {
  ResidentTensors(const Model& model, c10::Device device);

  at::Tensor template_vertices;          ///< [N0,3]
  at::Tensor hypotheses;                 ///< [S,3]
  at::Tensor local_support;              ///< [S,S]
  std::vector<at::Tensor> supports;      ///< per level: sparse [N,N]
  std::vector<at::Tensor> unpool_edges;  ///< per level except the last: [E,2]
};

}  // namespace p2mpp::torchscript
