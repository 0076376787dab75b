#include "results/prediction_files.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <set>

#include "base/input_file.h"
#include "base/sha256.h"
#include "finish/levels.h"
#include "finish/printable.h"
#include "geometry/similarity.h"
#include "io/mesh/mesh_formats.h"
#include "p2mpp/error.h"
#include "p2mpp/texture.h"

namespace p2mpp {
namespace {

std::size_t size_of(const std::vector<MeshFile>& files) {
  return std::accumulate(files.begin(), files.end(), std::size_t{0},
                         [](std::size_t sum, const MeshFile& file) { return sum + file.bytes.size(); });
}

std::size_t geometry_bytes(TriangleMesh mesh, MeshFormat format, const MeshEncoding& encoding) {
  mesh.texture = nullptr;
  return encode_mesh(mesh, format, encoding).size();
}

}  // namespace

LevelFiles level_files(const TriangleMesh& mesh, std::size_t faces, MeshFormat format, const MeshEncoding& encoding,
                       const std::filesystem::path& path, std::optional<std::size_t> most_bytes, int threads) {
  constexpr double kOfGeometry = 0.5;  // share of the bytes
  constexpr std::size_t kFewestFaces = 100;
  const HeldColours held = held_colours(format);
  BakingOptions baking{level_texture_size(mesh), held == HeldColours::kTextureAndNormalMap, threads};
  TriangleMesh surface = level_surface(mesh, faces, threads);
  for (;;) {
    LevelFiles level{held == HeldColours::kNone ? surface : painted_level(surface, mesh, baking), {}};
    level.files = encode_mesh_files(level.mesh, format, encoding, path);
    if (!most_bytes || size_of(level.files) <= *most_bytes) return level;
    const double share = (level.mesh.texture ? kOfGeometry : 1.0) * static_cast<double>(*most_bytes) /
                         static_cast<double>(geometry_bytes(level.mesh, format, encoding));
    const std::size_t all = level.mesh.triangles.size();
    if (share < 1 && all > kFewestFaces && all <= faces + faces / 10) {
      constexpr double kSpare = 0.95;  // for seams
      faces = std::max(kFewestFaces, static_cast<std::size_t>(kSpare * share * static_cast<double>(all)));
      surface = level_surface(mesh, faces, threads);
    } else if (level.mesh.texture && baking.size > kLeastTextureSize) {
      baking.size /= 2;
    } else {
      return level;
    }
  }
}

namespace {

// In the order of the search: formats with triangles first.
constexpr std::array kFormatsRead = {MeshFormat::kObj, MeshFormat::kPly, MeshFormat::kGlb, MeshFormat::kStl,
                                     MeshFormat::kXyz};

std::string file_ending(MeshFormat format) { return fmt::format("_predict.{}", to_string(format)); }

// An id comes from a list or a folder's name. It must not point outside the output folder.
void check_id(const std::string& id) {
  constexpr std::string_view kForbidden("/\0", 2);
  if (id.empty() || id.find_first_of(kForbidden) != std::string::npos) {
    throw InputError(fmt::format("sample id {:?}: not a file name; expected one without '/'", id));
  }
}

constexpr std::array kWebPercents = {100, 25, 5};

std::optional<double> metres_per_unit(Frame frame, const PredictedMesh& mesh, const MeshOutput& output) {
  const std::optional<double> metres = output.unit.empty() ? mesh.metres_per_source_unit : parse_length(output.unit);
  return metres && frame != Frame::kSource ? *metres * mesh.source_per_world : metres;
}

MeshEncoding encoding_in(Frame frame, const PredictedMesh& mesh, const MeshOutput& output) {
  MeshEncoding encoding = output.encoding;
  if (!encoding.comment.empty()) encoding.comment += fmt::format(", frame {}", to_string(frame));
  encoding.metres_per_unit = metres_per_unit(frame, mesh, output);
  return encoding;
}

void add_file(UnfinishedPrediction& prediction, const std::filesystem::path& path, const std::string& bytes) {
  prediction.files.emplace_back(path, bytes);
  prediction.sha256[path.filename().string()] = sha256_hex(bytes);
}

}  // namespace

std::string_view to_string(FinishPurpose purpose) {
  constexpr std::array<std::string_view, kFinishPurposes.size()> kNames = {"none", "print", "web"};
  return kNames[static_cast<std::size_t>(purpose)];
}

void from_text(std::string_view text, FinishPurpose& purpose) {
  purpose = *std::ranges::find(kFinishPurposes, text, [](FinishPurpose each) { return to_string(each); });
}

void check_size(const MeshOutput& output, const std::optional<double>& metres_per_source_unit) {
  if (output.finish == FinishPurpose::kPrint && output.unit.empty() && !metres_per_source_unit) {
    throw InputError("the size is not known; expected --unit with --finish print");
  }
}

Frame frame_of(const MeshOutput& output, MeshFormat format) {
  if (output.frame) return *output.frame;
  return format == MeshFormat::kObj || format == MeshFormat::kXyz ? Frame::kCamera0 : Frame::kWorld;
}

std::string_view frame_name(const MeshOutput& output) {
  if (output.frame) return to_string(*output.frame);
  if (output.formats.empty()) return to_string(Frame::kCamera0);
  const Frame first = frame_of(output, output.formats.front());
  const bool equal =
      std::ranges::all_of(output.formats, [&](MeshFormat format) { return frame_of(output, format) == first; });
  return equal ? to_string(first) : "by format";
}

std::optional<Frame> frame_named(std::string_view name) {
  for (const Frame frame : {Frame::kCamera0, Frame::kWorld, Frame::kSource}) {
    if (name == to_string(frame)) return frame;
  }
  return std::nullopt;
}

std::vector<std::string> format_names(std::span<const MeshFormat> formats) {
  std::vector<std::string> names;
  for (const MeshFormat format : kMeshFormats) {
    if (std::ranges::count(formats, format) > 0) names.emplace_back(to_string(format));
  }
  return names;
}

UnfinishedPrediction begin_prediction(const std::filesystem::path& folder, const std::string& id,
                                      const PredictedMesh& mesh, const MeshOutput& output) {
  check_id(id);
  UnfinishedPrediction prediction;
  std::map<Frame, TriangleMesh> meshes;
  for (const MeshFormat format : output.formats) {
    const Frame frame = frame_of(output, format);
    if (!meshes.contains(frame)) meshes.emplace(frame, mesh.in(frame));
    if (format == MeshFormat::kStl && !meshes.at(frame).origin.isZero(0)) {
      prediction.note = "stl has too few digits for coordinates so far from zero; obj, ply and glb have enough";
    }
    for (const MeshFile& file : encode_mesh_files(meshes.at(frame), format, encoding_in(frame, mesh, output),
                                                  prediction_path(folder, id, format))) {
      add_file(prediction, file.path, file.bytes);
    }
  }
  return prediction;
}

void begin_coarse_meshes(const std::filesystem::path& folder, const std::string& id,
                         std::span<const TriangleMesh> meshes, const MeshOutput& output,
                         UnfinishedPrediction& prediction) {
  const std::string comment = encoding_in(frame_of(output, MeshFormat::kObj), {}, output).comment;
  for (std::size_t i = 0; i < meshes.size(); ++i) {
    add_file(prediction, coarse_path(folder, id, i + 1), format_obj(meshes[i], comment));
  }
}

void begin_finished_meshes(const std::filesystem::path& folder, const std::string& id, const PredictedMesh& mesh,
                           const MeshOutput& output, int threads, UnfinishedPrediction& prediction) {
  const std::vector<std::filesystem::path> paths = finished_paths(folder, id, output.finish);
  if (paths.empty()) return;
  TriangleMesh in_world = mesh.in(Frame::kWorld);  // y up
  MeshEncoding encoding = encoding_in(Frame::kWorld, mesh, output);
  encoding.picture = PictureFormat::kJpeg;
  const auto add = [&](const std::vector<MeshFile>& files) {
    for (const MeshFile& file : files) add_file(prediction, file.path, file.bytes);
  };
  if (output.finish == FinishPurpose::kPrint) {
    scale_by(in_world, *encoding.metres_per_unit / kMillimetre);
    encoding.metres_per_unit = kMillimetre;
    turn_z_up(in_world);
    const TriangleMesh printable = make_printable(in_world, {.wall = usual_wall(), .threads = threads}).mesh;
    return add(encode_mesh_files(printable, MeshFormat::k3mf, encoding, paths.front()));
  }
  for (std::size_t i = 0; i < paths.size(); ++i) {
    const std::size_t faces = in_world.triangles.size() * kWebPercents[i] / 100;
    add(level_files(in_world, faces, MeshFormat::kGlb, encoding, paths[i], kMostWebBytes, threads).files);
  }
}

std::vector<std::filesystem::path> finished_paths(const std::filesystem::path& folder, const std::string& id,
                                                  FinishPurpose purpose) {
  if (purpose == FinishPurpose::kPrint) return {folder / (id + "_print.3mf")};
  std::vector<std::filesystem::path> paths;
  if (purpose == FinishPurpose::kWeb) {
    for (const int percent : kWebPercents) paths.push_back(folder / fmt::format("{}_web_{}.glb", id, percent));
  }
  return paths;
}

std::filesystem::path prediction_path(const std::filesystem::path& folder, const std::string& id, MeshFormat format) {
  return folder / (id + file_ending(format));
}

std::filesystem::path coarse_path(const std::filesystem::path& folder, const std::string& id, std::size_t level) {
  return folder / fmt::format("{}_coarse{}.obj", id, level);
}

std::filesystem::path find_prediction(const std::filesystem::path& folder, const std::string& id,
                                      std::span<const MeshFormat> formats) {
  check_id(id);
  for (const MeshFormat format : kFormatsRead) {
    if (std::ranges::count(formats, format) == 0) continue;
    std::filesystem::path file = prediction_path(folder, id, format);
    if (may_exist(file)) return file;
  }
  throw InputError(fmt::format("{}: no prediction for {}; expected {}_predict.obj, .ply, .glb, .stl or .xyz",
                               folder.string(), id, id));
}

std::vector<std::string> prediction_ids(const std::filesystem::path& folder) {
  std::set<std::string> ids;
  std::error_code error;
  for (const auto& [name, is_file, is_folder, is_link] : list_folder(folder, error)) {
    for (const MeshFormat format : kFormatsRead) {
      const std::string ending = file_ending(format);
      if (name.size() > ending.size() && name.ends_with(ending))
        ids.insert(name.substr(0, name.size() - ending.size()));
    }
  }
  if (error) throw InputError(fmt::format("{}: cannot be read: {}", folder.string(), error.message()));
  if (ids.empty()) {
    throw InputError(fmt::format("{}: no prediction; expected files named ID_predict.obj", folder.string()));
  }
  return {ids.begin(), ids.end()};
}

}  // namespace p2mpp
