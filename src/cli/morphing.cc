#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <optional>

#include "cli/console.h"
#include "cli/morph_options.h"
#include "eval/output_paths.h"
#include "eval/version.h"
#include "geometry/morph.h"
#include "geometry/parallel.h"
#include "io/atomic_file.h"
#include "io/glb_file.h"
#include "io/mesh_file.h"
#include "io/png_encoder.h"
#include "io/sample_folder.h"
#include "p2mpp/device.h"
#include "p2mpp/error.h"
#include "p2mpp/metrics.h"

namespace p2mpp::cli {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t kMostVertices = 200'000'000;  // of all frames: 2.4 GB

struct Pair {
  TriangleMesh from, to;
};

TriangleMesh read_checked(const std::filesystem::path& path) {
  TriangleMesh mesh = read_mesh(path);
  if (mesh.triangles.empty()) throw InputError(path.string() + ": has no triangle; expected a mesh");
  return mesh;
}

// Both wound as the first is.
Pair read_pair(const MorphOptions& options) {
  Pair pair{read_checked(options.from), read_checked(options.to)};
  if (const std::string difference = describe_difference(pair.from, pair.to); !difference.empty()) {
    throw InputError(fmt::format("{} and {}: {}; expected two meshes of one template", options.from.string(),
                                 options.to.string(), difference));
  }
  pair.to.triangles = pair.from.triangles;
  const std::size_t vertices = pair.from.vertices.size() * static_cast<std::size_t>(options.frames);
  if (vertices > kMostVertices) {
    throw UsageError(fmt::format("--frames: {} frames of {} vertices; expected at most {} vertices in all",
                                 options.frames, pair.from.vertices.size(), kMostVertices));
  }
  return pair;
}

class Morpher {
 public:
  Morpher(const MorphOptions& options, const Settings& settings)
      : options_(options),
        threads_(settings.engine.threads > 0 ? settings.engine.threads : physical_core_count()),
        picture_(options.picture),
        name_(options.from.stem().string() + "_to_" + options.to.stem().string()) {
    picture_.threads = 1;
    if (!options.camera.cameras.empty()) rows_ = read_cameras(options.camera.cameras);
  }

  [[nodiscard]] std::vector<std::filesystem::path> run() const {
    std::vector<std::filesystem::path> files;
    Pair pair = read_pair(options_);
    if (wants("glb")) files.push_back(write_animation(pair));
    if (wants("obj") || wants("png")) write_frames(pair, files);
    return files;
  }

 private:
  [[nodiscard]] bool wants(std::string_view format) const {
    return std::ranges::find(options_.formats, format) != options_.formats.end();
  }

  [[nodiscard]] std::filesystem::path write_animation(Pair& pair) const {
    pair.from.normals = vertex_cloud(pair.from).normals;
    pair.to.normals = vertex_cloud(pair.to).normals;
    std::filesystem::path path = options_.out / (name_ + ".glb");
    write_file_atomically(path, format_morphing_glb(pair.from, pair.to, static_cast<float>(options_.seconds),
                                                    fmt::format("p2mpp {}", p2mpp_version())));
    return path;
  }

  void write_frames(const Pair& pair, std::vector<std::filesystem::path>& files) const {
    const MorphFrames frames = morph(pair.from.vertices, pair.to.vertices, options_.frames);
    std::optional<PictureCamera> camera;
    if (wants("png")) camera = camera_for(pair);
    for (int frame = 0; frame < options_.frames; ++frame) {
      if (wants("obj")) files.push_back(path_of(frame, "obj"));
      if (wants("png")) files.push_back(path_of(frame, "png"));
    }
    for_each_task(static_cast<std::size_t>(options_.frames), threads_, [&](std::size_t task) {
      const int frame = static_cast<int>(task);
      const TriangleMesh mesh{points_of(frames, frame), pair.from.triangles};
      if (wants("obj")) {
        const std::string comment =
            fmt::format("p2mpp {}, frame {} of {}", p2mpp_version(), frame + 1, options_.frames);
        write_file_atomically(path_of(frame, "obj"), format_obj(mesh, comment));
      }
      if (camera) write_file_atomically(path_of(frame, "png"), encode_png(paint(mesh, *camera)));
    });
  }

  [[nodiscard]] std::filesystem::path path_of(int frame, const char* extension) const {
    return options_.out / fmt::format("{}_{:03}.{}", name_, frame, extension);
  }

  // Every frame lies between the two meshes.
  [[nodiscard]] PictureCamera camera_for(const Pair& pair) const {
    TriangleMesh both{pair.from.vertices, {}};
    both.vertices.insert(both.vertices.end(), pair.to.vertices.begin(), pair.to.vertices.end());
    const Upright object = upright(std::move(both), options_.camera.frame, rows_);
    const double aspect = static_cast<double>(picture_.width) / picture_.height;
    return framing_camera(object.mesh.vertices, options_.camera.framing(object.in_camera), aspect);
  }

  [[nodiscard]] Image paint(const TriangleMesh& mesh, const PictureCamera& camera) const {
    const Upright object = upright(mesh, options_.camera.frame, rows_);
    PictureOptions picture = picture_;
    if (object.in_camera) picture.ground = false;
    return MeshPainter(object.mesh, picture).paint(camera);
  }

  const MorphOptions& options_;
  int threads_;
  PictureOptions picture_;
  std::string name_;
  std::vector<CameraRow> rows_;
};

}  // namespace

void run_morph(const MorphOptions& options, const Settings& settings) {
  const bool draws = std::ranges::find(options.formats, "png") != options.formats.end();
  if (draws) require_drawing();
  prepare_output_folder(options.out);
  const std::vector<std::filesystem::path> files = Morpher(options, settings).run();
  Json document = {{"from", options.from.string()}, {"to", options.to.string()}, {"frames", options.frames}};
  document["files"] = Json::array();
  for (const auto& file : files) {
    document["files"].push_back(file.string());
    if (!settings.json) print(file.string() + "\n");
  }
  if (settings.json) print_json(document);
}

}  // namespace p2mpp::cli
