#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "eval/output_paths.h"
#include "p2mpp/triangle_mesh.h"

namespace p2mpp {

/// The two files of a reconstruction.
struct WrittenPrediction {
  std::filesystem::path obj;                  ///< FOLDER/{id}_predict.obj: vertices and triangles
  std::filesystem::path xyz;                  ///< FOLDER/{id}_predict.xyz: the vertices alone, a line each
  std::map<std::string, std::string> sha256;  ///< of their bytes, by their names in the folder
};

/// Writes a mesh; each file appears whole or not at all. `comment` becomes the OBJ's first line.
/// Throws InputError for an id that is not a plain file name, Error naming the file that cannot be written.
WrittenPrediction write_prediction(const std::filesystem::path& folder, const std::string& id, const TriangleMesh& mesh,
                                   const std::string& comment);

/// FOLDER/{id}_predict.obj, or else {id}_predict.xyz. Throws InputError naming both if neither is there.
[[nodiscard]] std::filesystem::path find_prediction(const std::filesystem::path& folder, const std::string& id);

/// The ids of a folder's predictions, sorted. Throws InputError if there are none.
[[nodiscard]] std::vector<std::string> prediction_ids(const std::filesystem::path& folder);

}  // namespace p2mpp
