#pragma once

#include <ATen/core/Tensor.h>
#include <torch/csrc/jit/api/module.h>

#include <filesystem>
#include <string>
#include <vector>

#include "model/model.h"
#include "p2mpp/model.h"

namespace p2mpp::torchscript {

/// Loads a TorchScript archive whose hash has been checked onto a device. Throws InputError naming the file if its
/// `stage` differs from the argument, its `semantics` or the channels of its images from model.json's, or a weight is
/// not finite.
[[nodiscard]] torch::jit::Module open_module(const std::filesystem::path& path, const std::string& archive, int stage,
                                             const ModelInfo& info, c10::Device device);

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
