#pragma once

#include <Eigen/Core>
#include <array>
#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "geometry/mesh_template.h"
#include "p2mpp/model.h"
#include "p2mpp/triangle_mesh.h"

namespace p2mpp {

/// A weight or bias that the program supplies instead of a file.
struct GivenParameter {
  std::vector<std::int64_t> shape;
  std::vector<float> values;  ///< row-major
};

/// A model folder that has been read and checked. None of its TorchScript code has been loaded yet.
struct Model {
  ModelInfo info;
  MeshTemplate mesh_template;
  Points hypotheses;  ///< [S,3] offsets from a vertex, in the object's unit
  /// [S,S] Chebyshev support T1 of the hypotheses' local graph.
  Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor> local_support;
  std::string stage1_archive;  ///< bytes of stage1.pt
  std::string stage2_archive;  ///< bytes of stage2.pt
  std::string volume_archive;  ///< bytes of volume.pt, the distance network; empty if the model has none
  /// The parameters of stages 1 and 2 and of the distance network, by their names in the archives. They replace the archives of a model that was
  /// created in memory.
  std::array<std::map<std::string, GivenParameter>, 3> given_parameters;
};

/// Whether the model has a distance network.
[[nodiscard]] bool has_distance_network(const Model& model);

/// Reads a folder written by p2mpp-export. Throws InputError naming the file and the problem: missing,
/// malformed, of a newer format, with a hash that differs from model.json's, or with contradicting sizes.
[[nodiscard]] Model load_model(const std::filesystem::path& folder, HashCheck hash_check = HashCheck::kRequire);

}  // namespace p2mpp
