#pragma once

#include <Eigen/Core>
#include <filesystem>
#include <string>
#include <vector>

#include "p2mpp/model.h"
#include "p2mpp/triangle_mesh.h"

namespace p2mpp {

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
