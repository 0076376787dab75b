#include "model/model.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdlib>
#include <numeric>

#include "base/input_file.h"
#include "base/program_files.h"
#include "base/sha256.h"
#include "base/text.h"
#include "base/with_prefix.h"
#include "io/mesh/mesh_formats.h"
#include "p2mpp/error.h"
#include "p2mpp/reconstruction.h"
#include "p2mpp/sample.h"

namespace p2mpp {
namespace {

constexpr const char* kVolumeFile = "volume.pt";
constexpr std::uintmax_t kMaxArchiveBytes = std::uintmax_t{4} << 30;

ModelInfo read_info(const std::filesystem::path& folder) {
  require_folder(folder, "a model written by p2mpp-export");
  const std::filesystem::path path = folder / "model.json";
  return parse_model_json(path, read_file(path));
}

void check_hash(const std::filesystem::path& path, std::string_view bytes, const ModelInfo& info,
                HashCheck hash_check) {
  if (hash_check == HashCheck::kSkip) return;
  const auto named = info.sha256.find(path.filename().string());
  if (named == info.sha256.end()) {
    throw InputError(
        fmt::format("{}: model.json names no SHA-256 for it; --trust-model loads it all the same", path.string()));
  }
  const std::string found = sha256_hex(bytes);
  if (found != named->second) {
    throw InputError(
        fmt::format("{}: SHA-256 is {}; expected {} (model.json). The file is damaged or not the model's; "
                    "--trust-model loads it all the same",
                    path.string(), found, named->second));
  }
}

std::string read_checked(const ModelInfo& info, const char* file, std::uintmax_t max_bytes, HashCheck hash_check) {
  const std::filesystem::path path = info.folder / file;
  std::string bytes = read_file(path, max_bytes);
  check_hash(path, bytes, info, hash_check);
  return bytes;
}

MeshTemplate parse_template(const ModelInfo& info, std::string_view bytes) {
  const std::filesystem::path path = info.folder / "template.obj";
  const TriangleMesh mesh = parse_obj(bytes, display(path));
  const int level_count = static_cast<int>(info.sizes.vertices.size());
  return with_prefix(path.string() + ": ", [&] {
    MeshTemplate result = build_template(mesh, level_count);
    for (std::size_t level = 0; level < result.levels.size(); ++level) {
      if (result.levels[level].vertex_count != info.sizes.vertices[level]) {
        throw InputError(fmt::format("level {} has {} vertices; expected {} (model.json)", level,
                                     result.levels[level].vertex_count, info.sizes.vertices[level]));
      }
    }
    std::vector<std::int64_t> faces;
    for (auto count = std::ssize(mesh.triangles); std::ssize(faces) < level_count; count *= 4) faces.push_back(count);
    if (!info.sizes.faces.empty() && info.sizes.faces != faces) {
      throw InputError(fmt::format("its levels have {} triangles; expected {} (\"faces\" in model.json)",
                                   fmt::join(faces, ", "), fmt::join(info.sizes.faces, ", ")));
    }
    return result;
  });
}

}  // namespace

std::string_view to_string(Part part) {
  constexpr std::array<std::string_view, kPartCount> kNames = {"read", "preprocess", "copy_in", "cnn1",     "gcn",
                                                               "cnn2", "projection", "drb",     "copy_out", "write"};
  return kNames[static_cast<std::size_t>(part)];
}

PartTimes& PartTimes::operator+=(const PartTimes& other) {
  for (std::size_t i = 0; i < kPartCount; ++i) milliseconds[i] += other.milliseconds[i];
  return *this;
}

PartTimes& PartTimes::operator/=(double divisor) {
  for (double& value : milliseconds) value /= divisor;
  return *this;
}

double PartTimes::total() const { return std::accumulate(milliseconds.begin(), milliseconds.end(), 0.0); }

std::string_view to_string(Semantics semantics) {
  return semantics == Semantics::kTf ? "tf" : semantics == Semantics::kDesignB ? "design_b" : "clean";
}

ModelInfo read_model_info(const std::filesystem::path& folder) { return read_info(folder); }

Model load_model(const std::filesystem::path& folder, HashCheck hash_check) {
  const ModelInfo info = read_info(folder);
  Model model;
  model.info = info;
  // Every file is opened once: what was hashed is what is parsed.
  model.mesh_template = parse_template(info, read_checked(info, "template.obj", kMaxTextFileBytes, hash_check));
  LocalGraph graph = parse_local_graph(folder / "local_graph.json",
                                       read_checked(info, "local_graph.json", kMaxTextFileBytes, hash_check));
  if (static_cast<std::int64_t>(graph.hypotheses.size()) != info.sizes.hypotheses) {
    throw InputError(fmt::format("{}: {} hypotheses; expected {} (model.json)", (folder / "local_graph.json").string(),
                                 graph.hypotheses.size(), info.sizes.hypotheses));
  }
  model.hypotheses = std::move(graph.hypotheses);
  model.local_support = std::move(graph.support);
  model.stage1_archive = read_checked(info, "stage1.pt", kMaxArchiveBytes, hash_check);
  model.stage2_archive = read_checked(info, "stage2.pt", kMaxArchiveBytes, hash_check);
  if (info.sha256.contains(kVolumeFile)) {
    model.volume_archive = read_checked(info, kVolumeFile, kMaxArchiveBytes, hash_check);
  }
  return model;
}

bool has_distance_network(const Model& model) {
  return !model.volume_archive.empty() || !model.given_parameters.back().empty();
}

std::size_t trained_view_count(const ModelInfo& info) {
  return std::clamp(info.view_indices.size(), kMinViews, kMaxViews);
}

std::filesystem::path default_model_folder() {
  if (const char* named = std::getenv("P2MPP_MODEL"); named != nullptr && *named != '\0') return named;
  std::error_code ignored;
  std::vector<std::string> places;
  for (const std::filesystem::path& folder : model_search_folders()) {
    const std::filesystem::path model = folder / "p2mpp-shapes";
    if (std::filesystem::is_regular_file(model / "model.json", ignored)) return model;
    places.push_back(model.string());
  }
  throw InputError(
      fmt::format("no model: there is none of {}; expected --model FOLDER or P2MPP_MODEL", fmt::join(places, ", ")));
}

}  // namespace p2mpp
