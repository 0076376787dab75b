#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "p2mpp/model.h"

namespace p2mpp {

/// Throws InputError naming the file and the key for anything malformed or of a newer format.
[[nodiscard]] ModelInfo parse_model_json(const std::filesystem::path& path, std::string_view text);

struct LocalGraph {
  Points hypotheses;
  Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor> support;
};

/// local_graph.json: {"hypotheses": [[x,y,z], ...], "support": [[...], ...]}. Throws InputError as above.
[[nodiscard]] LocalGraph parse_local_graph(const std::filesystem::path& path, std::string_view text);

}  // namespace p2mpp
