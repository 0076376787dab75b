#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "p2mpp/engine.h"

namespace p2mpp::cli {

/// Stage 1's meshes, coarse to fine, wound outward.
[[nodiscard]] std::vector<TriangleMesh> coarse_meshes(const Sample& sample, const Reconstruction& reconstruction,
                                                      const MeshTemplate& mesh_template, Frame frame);

/// Writes them as FOLDER/{id}_coarse1.obj and on and gives their paths. Throws Error naming the file that cannot be
/// written.
std::vector<std::filesystem::path> write_coarse_meshes(const std::filesystem::path& folder, const std::string& id,
                                                       const std::vector<TriangleMesh>& meshes,
                                                       const std::string& comment);

}  // namespace p2mpp::cli
