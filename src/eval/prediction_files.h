#pragma once

#include <filesystem>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "eval/output_paths.h"
#include "io/mesh_format.h"
#include "p2mpp/triangle_mesh.h"

namespace p2mpp {

/// How a reconstruction is written.
struct MeshOutput {
  std::vector<MeshFormat> formats = {MeshFormat::kObj, MeshFormat::kXyz};
  MeshEncoding encoding;
};

/// The same with a comment.
[[nodiscard]] MeshOutput with_comment(MeshOutput output, std::string comment);

/// "obj,xyz": the formats' names, in an order that is not the caller's.
[[nodiscard]] std::string format_names(const MeshOutput& output);

/// The files of a reconstruction.
struct WrittenPrediction {
  std::vector<std::filesystem::path> paths;   ///< in the formats' order
  std::map<std::string, std::string> sha256;  ///< of their bytes, by their names in the folder
};

/// Writes a mesh as FOLDER/{id}_predict.obj and so on, a file for each format; each appears whole or not at all. Throws
/// InputError for an id that is not a plain file name, Error naming the file that cannot be written.
WrittenPrediction write_prediction(const std::filesystem::path& folder, const std::string& id, const TriangleMesh& mesh,
                                   const MeshOutput& output);

/// FOLDER/{id}_predict.obj, or else .ply, .glb, .stl, .xyz, as far as it is one of the formats. Throws InputError if
/// none is there.
[[nodiscard]] std::filesystem::path find_prediction(const std::filesystem::path& folder, const std::string& id,
                                                    std::span<const MeshFormat> formats = kMeshFormats);

/// The ids of a folder's predictions, sorted. Throws InputError if there are none.
[[nodiscard]] std::vector<std::string> prediction_ids(const std::filesystem::path& folder);

}  // namespace p2mpp
