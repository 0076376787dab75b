#pragma once

#include <Eigen/Core>
#include <array>
#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "geometry/mesh_template.h"
#include "model/sampling_rules.h"
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
  /// The parameters of stages 1 and 2 and of the distance network, by their names in the archives. They replace the
  /// archives of a model that was created in memory.
  std::array<std::map<std::string, GivenParameter>, 3> given_parameters;
};

/// Whether the model has a distance network.
[[nodiscard]] bool has_distance_network(const Model& model);

/// Reads a folder written by p2mpp-export. Throws InputError naming the file and the problem: missing,
/// malformed, of a newer format, with a hash that differs from model.json's, or with contradicting sizes.
[[nodiscard]] Model load_model(const std::filesystem::path& folder, HashCheck hash_check = HashCheck::kRequire);

// The rules of each semantics; docs/models.md has the table.

[[nodiscard]] inline ImageRules image_rules(const ModelInfo& info) {
  return {.alpha = info.semantics == Semantics::kTf ? AlphaRule::kTransparentToWhite : AlphaRule::kBlendOnWhite,
          .channels = static_cast<std::size_t>(info.sizes.image_channels)};
}

[[nodiscard]] inline ProjectionRules stage1_rules(Semantics semantics) {
  const bool clean = semantics == Semantics::kClean;
  return {.sampling = clean ? Sampling::kBilinear : Sampling::kNearest,
          .view_index_scaled = !clean,
          .normalised_origin = false};
}

[[nodiscard]] inline ProjectionRules stage2_rules(Semantics semantics) {
  return {.sampling = semantics == Semantics::kTf ? Sampling::kFloorCeil : Sampling::kBilinear,
          .view_index_scaled = false,
          .normalised_origin = semantics == Semantics::kDesignB};
}

/// Whether a finer level's features are unpooled from the coarser level, rather than sampled at its own vertices.
[[nodiscard]] inline bool unpools_features(Semantics semantics) { return semantics == Semantics::kTf; }

/// Whether ReLU is applied to the scores before the softmax.
[[nodiscard]] inline bool rectifies_scores(Semantics semantics) { return semantics == Semantics::kTf; }

/// Parses model.json; `path` is for messages. Throws InputError naming the file and the key if anything is malformed or
/// of a newer format.
[[nodiscard]] ModelInfo parse_model_json(const std::filesystem::path& path, std::string_view text);

struct LocalGraph {
  Points hypotheses;                                                              ///< [S,3] offsets from a vertex
  Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor> support;  ///< [S,S] Chebyshev support T1
};

/// local_graph.json: {"hypotheses": [[x,y,z], ...], "support": [[...], ...]}. Throws InputError as above.
[[nodiscard]] LocalGraph parse_local_graph(const std::filesystem::path& path, std::string_view text);

}  // namespace p2mpp
