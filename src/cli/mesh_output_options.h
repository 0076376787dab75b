#pragma once

#include <CLI/CLI.hpp>

#include "eval/prediction_files.h"

namespace p2mpp::cli {

/// --format and --normals.
void add_mesh_output_options(CLI::App& command, MeshOutput& output);

}  // namespace p2mpp::cli
