#include "eval/prediction_files.h"

#include <fmt/format.h>

#include <set>
#include <string_view>

#include "model/sha256.h"
#include "p2mpp/error.h"

namespace p2mpp {
namespace {

constexpr std::string_view kMeshEnding = "_predict.obj", kPointsEnding = "_predict.xyz";

// An id comes from a list or from a folder's name; it must not lead out of the output folder.
void check_id(const std::string& id) {
  constexpr std::string_view kForbidden("/\0", 2);
  if (id.empty() || id.find_first_of(kForbidden) != std::string::npos) {
    throw InputError(fmt::format("sample id {:?}: not a file name; expected one without '/'", id));
  }
}

}  // namespace

UnfinishedPrediction begin_prediction(const std::filesystem::path& folder, const std::string& id,
                                      const TriangleMesh& mesh, const MeshOutput& output) {
  check_id(id);
  UnfinishedPrediction prediction;
  for (const MeshFormat format : output.formats) {
    const std::string name = fmt::format("{}_predict.{}", id, to_string(format));
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

std::filesystem::path find_prediction(const std::filesystem::path& folder, const std::string& id) {
  check_id(id);
  for (const std::string_view ending : {kMeshEnding, kPointsEnding}) {
    std::filesystem::path file = folder / fmt::format("{}{}", id, ending);
    std::error_code ignored;
    if (std::filesystem::exists(file, ignored)) return file;
  }
  throw InputError(fmt::format("{}: no prediction for {}; expected {}{} or {}{}", folder.string(), id, id, kMeshEnding,
                               id, kPointsEnding));
}

std::vector<std::string> prediction_ids(const std::filesystem::path& folder) {
  std::set<std::string> ids;
  std::error_code error;
  for (const auto& file : std::filesystem::directory_iterator(folder, error)) {
    const std::string name = file.path().filename().string();
    for (const std::string_view ending : {kMeshEnding, kPointsEnding}) {
      if (name.size() > ending.size() && name.ends_with(ending))
        ids.insert(name.substr(0, name.size() - ending.size()));
    }
  }
  if (error) throw InputError(fmt::format("{}: cannot be read: {}", folder.string(), error.message()));
  if (ids.empty()) {
    throw InputError(fmt::format("{}: no prediction; expected files named ID{}", folder.string(), kMeshEnding));
  }
  return {ids.begin(), ids.end()};
}

}  // namespace p2mpp
