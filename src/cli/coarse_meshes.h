#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "p2mpp/engine.h"

namespace p2mpp::cli {

/// Writes stage 1's meshes, coarse to fine, as FOLDER/{id}_coarse1.obj and on, wound outward, and gives their paths.
/// Throws Error naming the file that cannot be written.
std::vector<std::filesystem::path> write_coarse_meshes(const std::filesystem::path& folder, const Sample& sample,
                                                       const Reconstruction& reconstruction,
                                                       const MeshTemplate& mesh_template, Frame frame,
                                                       const std::string& comment);

}  // namespace p2mpp::cli
