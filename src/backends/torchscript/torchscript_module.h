#pragma once

#include <torch/csrc/jit/api/module.h>

#include <filesystem>
#include <string>

#include "p2mpp/model.h"

namespace p2mpp::torchscript {

/// Loads a TorchScript archive whose hash has been checked onto a device. Throws InputError naming the file if its
/// `stage` or `semantics` differ from the arguments or a weight is not finite.
[[nodiscard]] torch::jit::Module open_module(const std::filesystem::path& path, const std::string& archive, int stage,
                                             Semantics semantics, c10::Device device);

}  // namespace p2mpp::torchscript
