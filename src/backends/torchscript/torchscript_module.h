#pragma once

#include <torch/csrc/jit/api/module.h>

#include <filesystem>
#include <string>

#include "p2mpp/model.h"

namespace p2mpp::torchscript {

/// Loads a TorchScript archive whose hash has been checked onto a device. Throws InputError naming the file if its
/// `stage` differs from the argument, its `semantics` or the channels of its images from model.json's, or a weight is
/// not finite.
[[nodiscard]] torch::jit::Module open_module(const std::filesystem::path& path, const std::string& archive, int stage,
                                             const ModelInfo& info, c10::Device device);

}  // namespace p2mpp::torchscript
