#pragma once

#include <torch/csrc/jit/api/module.h>

#include <filesystem>
#include <string>

#include "p2mpp/model.h"

namespace p2mpp::torchscript {

/// Opens a TorchScript archive whose hash has been checked, puts it on a device and checks that it is this stage of
/// this model: its own `stage` and `semantics`, and every weight finite. Throws InputError naming the file otherwise.
[[nodiscard]] torch::jit::Module open_module(const std::filesystem::path& path, const std::string& archive, int stage,
                                             Semantics semantics, c10::Device device);

}  // namespace p2mpp::torchscript
