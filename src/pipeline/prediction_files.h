#pragma once

#include <filesystem>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/atomic_file.h"
#include "io/mesh/mesh_file.h"
#include "p2mpp/triangle_mesh.h"

namespace p2mpp {

/// How a reconstruction is written.
struct MeshOutput {
  std::vector<MeshFormat> formats = {MeshFormat::kObj, MeshFormat::kXyz};
  MeshEncoding encoding;
  bool coarse = false;  ///< the meshes of stage 1, too
};

/// The same with a comment.
[[nodiscard]] MeshOutput with_comment(MeshOutput output, std::string comment);

/// The formats' names, in an order that is not the caller's.
[[nodiscard]] std::vector<std::string_view> format_names(const MeshOutput& output);

/// The files of a reconstruction, written but without their names: see UnfinishedFile.
struct UnfinishedPrediction {
  std::vector<UnfinishedFile> files;          ///< in the formats' order
  std::map<std::string, std::string> sha256;  ///< of their bytes, by their names in the folder
};

/// Writes a mesh to become FOLDER/{id}_predict.obj and so on, a file for each format. Throws InputError for an id that
/// is not a plain file name, Error naming the file that cannot be written.
[[nodiscard]] UnfinishedPrediction begin_prediction(const std::filesystem::path& folder, const std::string& id,
                                                    const TriangleMesh& mesh, const MeshOutput& output);

/// Adds the files of stage 1's meshes, coarse to fine, to become FOLDER/{id}_coarse1.obj and on. Throws Error naming
/// the file that cannot be written.
void begin_coarse_meshes(const std::filesystem::path& folder, const std::string& id,
                         std::span<const TriangleMesh> meshes, const MeshOutput& output,
                         UnfinishedPrediction& prediction);

/// FOLDER/{id}_predict.obj for kObj; FOLDER/{id}_coarse1.obj for level 1.
[[nodiscard]] std::filesystem::path prediction_path(const std::filesystem::path& folder, const std::string& id,
                                                    MeshFormat format);
[[nodiscard]] std::filesystem::path coarse_path(const std::filesystem::path& folder, const std::string& id,
                                                std::size_t level);

/// FOLDER/{id}_predict.obj, or else .ply, .glb, .stl, .xyz, as far as it is one of the formats. Throws InputError if
/// none is there.
[[nodiscard]] std::filesystem::path find_prediction(const std::filesystem::path& folder, const std::string& id,
                                                    std::span<const MeshFormat> formats = kMeshFormats);

/// The ids of a folder's predictions, sorted. Throws InputError if there are none.
[[nodiscard]] std::vector<std::string> prediction_ids(const std::filesystem::path& folder);

}  // namespace p2mpp
