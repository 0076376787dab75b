#pragma once

#include <array>
#include <cstddef>
#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/atomic_file.h"
#include "io/mesh/mesh_file.h"
#include "p2mpp/engine.h"
#include "p2mpp/triangle_mesh.h"

namespace p2mpp {

/// Of a file for a web page.
inline constexpr std::size_t kMostWebBytes = 5'000'000;

struct LevelFiles {
  TriangleMesh mesh;
  std::vector<MeshFile> files;  ///< see encode_mesh_files()
};

/// A level of detail (painted_level()) as files that have at most so many bytes together, if they are limited: with a
/// smaller texture, and then with fewer faces. Where thin parts need more faces than that, they stay larger. Throws as
/// level_surface(), painted_level() and encode_mesh_files().
[[nodiscard]] LevelFiles level_files(const TriangleMesh& mesh, std::size_t faces, MeshFormat format,
                                     const MeshEncoding& encoding, const std::filesystem::path& path,
                                     std::optional<std::size_t> most_bytes, int threads);

/// What a mesh is made ready for, in files of its own.
enum class FinishPurpose {
  kNone,
  kPrint,  ///< {id}_print.3mf: see make_printable()
  kWeb,    ///< {id}_web_100.glb, _25 and _5: shares of the faces in per cent, textures as JPEG; see level_files()
};
inline constexpr std::array kFinishPurposes = {FinishPurpose::kNone, FinishPurpose::kPrint, FinishPurpose::kWeb};
/// "none", "print", "web"
[[nodiscard]] std::string_view to_string(FinishPurpose purpose);
/// Precondition: such a text.
void from_text(std::string_view text, FinishPurpose& purpose);

/// The options for writing a reconstruction.
struct MeshOutput {
  std::vector<MeshFormat> formats = {MeshFormat::kObj, MeshFormat::kXyz};
  MeshEncoding encoding = {};
  bool coarse = false;              ///< also write the meshes of stage 1
  std::optional<Frame> frame = {};  ///< of the vertices in every file; empty: see frame_of()
  std::string unit = {};            ///< length of a unit of Frame::kSource, for parse_length(); empty: the sample's own
  FinishPurpose finish = FinishPurpose::kNone;
};

/// Throws InputError if the mesh is to be printed and neither the options nor the sample tell its unit.
void check_size(const MeshOutput& output, const std::optional<double>& metres_per_source_unit);

/// The frame of a format's vertices: output.frame or, if that is empty, the first camera's for OBJ and XYZ, as
/// published, and the world's for the others, which other programs show upright.
[[nodiscard]] Frame frame_of(const MeshOutput& output, MeshFormat format);

/// "world", "camera0", "source", or "by format" if the formats' frames differ.
[[nodiscard]] std::string_view frame_name(const MeshOutput& output);

/// The value of MeshOutput::frame that frame_name() describes.
[[nodiscard]] std::optional<Frame> frame_named(std::string_view name);

/// The formats' names, in the order of kMeshFormats.
[[nodiscard]] std::vector<std::string> format_names(std::span<const MeshFormat> formats = kMeshFormats);

/// The files of a reconstruction, written under temporary names: see UnfinishedFile.
struct UnfinishedPrediction {
  std::vector<UnfinishedFile> files;          ///< in the formats' order, each after the files that it names
  std::map<std::string, std::string> sha256;  ///< final file name to hash of the contents
  std::string note = {};                      ///< for the user: digits that a format cannot hold; empty if none
};

/// The mesh of a sample.
struct PredictedMesh {
  std::function<TriangleMesh(Frame)> in;  ///< a frame
  double source_per_world = 1;            ///< units of Frame::kSource in one of the other frames
  std::optional<double> metres_per_source_unit = {};
};

/// Writes a mesh once for each format, in that format's frame; the final names are FOLDER/{id}_predict.obj and so on.
/// Throws InputError for an id that is not a plain file name, and Error naming the file that cannot be written.
[[nodiscard]] UnfinishedPrediction begin_prediction(const std::filesystem::path& folder, const std::string& id,
                                                    const PredictedMesh& mesh, const MeshOutput& output);

/// Adds the files that output.finish asks for. Precondition: check_size(). Throws InputError if the mesh is not
/// sound: see MeshCertificate, and Error naming the file that cannot be written.
void begin_finished_meshes(const std::filesystem::path& folder, const std::string& id, const PredictedMesh& mesh,
                           const MeshOutput& output, int threads, UnfinishedPrediction& prediction);
/// The paths of these files.
[[nodiscard]] std::vector<std::filesystem::path> finished_paths(const std::filesystem::path& folder,
                                                                const std::string& id, FinishPurpose purpose);

/// Adds the files of stage 1's meshes, coarse to fine, in the frame of an OBJ; the final names are
/// FOLDER/{id}_coarse1.obj and so on. Throws Error naming the file that cannot be written.
void begin_coarse_meshes(const std::filesystem::path& folder, const std::string& id,
                         std::span<const TriangleMesh> meshes, const MeshOutput& output,
                         UnfinishedPrediction& prediction);

/// FOLDER/{id}_predict.obj for kObj; FOLDER/{id}_coarse1.obj for level 1.
[[nodiscard]] std::filesystem::path prediction_path(const std::filesystem::path& folder, const std::string& id,
                                                    MeshFormat format);
[[nodiscard]] std::filesystem::path coarse_path(const std::filesystem::path& folder, const std::string& id,
                                                std::size_t level);

/// The prediction's file: the first that exists of FOLDER/{id}_predict.obj, .ply, .glb, .stl and .xyz, limited to
/// `formats`. Throws InputError if there is none.
[[nodiscard]] std::filesystem::path find_prediction(const std::filesystem::path& folder, const std::string& id,
                                                    std::span<const MeshFormat> formats = kMeshFormats);

/// The ids of a folder's predictions, sorted. Throws InputError if there are none.
[[nodiscard]] std::vector<std::string> prediction_ids(const std::filesystem::path& folder);

}  // namespace p2mpp
