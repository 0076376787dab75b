#include "pipeline/prediction_files.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <set>
#include <string_view>

#include "base/sha256.h"
#include "p2mpp/error.h"

namespace p2mpp {
namespace {

// In the order in which they are looked for: what has triangles first.
constexpr std::array kFormatsRead = {MeshFormat::kObj, MeshFormat::kPly, MeshFormat::kGlb, MeshFormat::kStl,
                                     MeshFormat::kXyz};

std::string ending_of(MeshFormat format) { return fmt::format("_predict.{}", to_string(format)); }

// An id comes from a list or from a folder's name; it must not lead out of the output folder.
void check_id(const std::string& id) {
  constexpr std::string_view kForbidden("/\0", 2);
  if (id.empty() || id.find_first_of(kForbidden) != std::string::npos) {
    throw InputError(fmt::format("sample id {:?}: not a file name; expected one without '/'", id));
  }
}

}  // namespace

MeshOutput with_comment(MeshOutput output, std::string comment) {
  output.encoding.comment = std::move(comment);
  return output;
}

std::vector<std::string_view> format_names(const MeshOutput& output) {
  std::vector<std::string_view> names;
  for (const MeshFormat format : kMeshFormats) {
    if (std::ranges::count(output.formats, format) > 0) names.push_back(to_string(format));
  }
  return names;
}

UnfinishedPrediction begin_prediction(const std::filesystem::path& folder, const std::string& id,
                                      const TriangleMesh& mesh, const MeshOutput& output) {
  check_id(id);
  UnfinishedPrediction prediction;
  for (const MeshFormat format : output.formats) {
    const std::string name = id + ending_of(format);
    const std::string bytes = encode_mesh(mesh, format, output.encoding);
    prediction.files.emplace_back(folder / name, bytes);
    prediction.sha256[name] = sha256_hex(bytes);
  }
  return prediction;
}

std::vector<std::filesystem::path> write_prediction(const std::filesystem::path& folder, const std::string& id,
                                                    const TriangleMesh& mesh, const MeshOutput& output) {
  UnfinishedPrediction prediction = begin_prediction(folder, id, mesh, output);
  sync_to_disk(prediction.files);
  std::vector<std::filesystem::path> paths;
  for (UnfinishedFile& file : prediction.files) {
    file.put_in_place();
    paths.push_back(file.path());
  }
  if (!paths.empty()) sync_folder_of(paths.front());
  return paths;
}

std::filesystem::path find_prediction(const std::filesystem::path& folder, const std::string& id,
                                      std::span<const MeshFormat> formats) {
  check_id(id);
  for (const MeshFormat format : kFormatsRead) {
    if (std::ranges::count(formats, format) == 0) continue;
    std::filesystem::path file = folder / (id + ending_of(format));
    std::error_code ignored;
    if (std::filesystem::exists(file, ignored)) return file;
  }
  throw InputError(fmt::format("{}: no prediction for {}; expected {}_predict.obj, .ply, .glb, .stl or .xyz",
                               folder.string(), id, id));
}

std::vector<std::string> prediction_ids(const std::filesystem::path& folder) {
  std::set<std::string> ids;
  std::error_code error;
  for (const auto& file : std::filesystem::directory_iterator(folder, error)) {
    const std::string name = file.path().filename().string();
    for (const MeshFormat format : kFormatsRead) {
      const std::string ending = ending_of(format);
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
