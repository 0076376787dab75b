#pragma once

#include <CLI/CLI.hpp>

#include "p2mpp/engine.h"
#include "pipeline/prediction_files.h"

namespace p2mpp::cli {

/// --frame, --format and --normals.
void add_mesh_output_options(CLI::App& command, MeshOutput& output, Frame& frame);

}  // namespace p2mpp::cli
