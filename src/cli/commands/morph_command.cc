#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>

#include "base/atomic_file.h"
#include "base/environment.h"
#include "base/json_text.h"
#include "base/parallel.h"
#include "base/text.h"
#include "base/with_prefix.h"
#include "cli/support/command.h"
#include "cli/support/console.h"
#include "cli/support/declared_options.h"
#include "cli/support/settings.h"
#include "cli/support/shared_options.h"
#include "colours/mesh_colours.h"
#include "geometry/foreign/placed_points.h"
#include "geometry/morph.h"
#include "image/srgb.h"
#include "io/camera_rows.h"
#include "io/image/png_file.h"
#include "io/mesh/mesh_file.h"
#include "io/mesh/mesh_formats.h"
#include "p2mpp/device.h"
#include "p2mpp/error.h"
#include "p2mpp/mesh_texture.h"
#include "p2mpp/metrics.h"
#include "results/run_options.h"

namespace p2mpp::cli {
namespace {
struct MorphOptions {
  std::filesystem::path from, to;
  std::filesystem::path out = ".";
  int frames = 41;
  double seconds = 2;                          // of the animation from one mesh to the other
  std::vector<std::string> formats = {"obj"};  // of obj, png, glb
  MeshEncoding encoding = {};
  PictureOptions picture;
  CameraOptions camera;

  template <typename Visit>
  void visit_options(Visit&& visit) {
    constexpr long long kMostFrames = 3600;
    visit(from, {"FROM", "The first mesh: .obj or .ply", "FILE", file_name()}, {.required = true});
    visit(to, {"TO", "The last mesh, with the same triangles", "FILE", file_name()}, {.required = true});
    const auto add = in_group("Result", visit);
    add(frames, {"--frames", "Number of frames, including the two meshes", "N", whole_number(2, kMostFrames)});
    add(formats, {"--format",
                  "Outputs: a mesh per frame (obj), a picture per frame (png), one file with an animation (glb); "
                  "several with commas",
                  "NAME,NAME,...", one_of({"obj", "png", "glb"})});
    add(seconds, {"--seconds", "Duration of the animation from one mesh to the other; it then runs backwards",
                  "SECONDS", number(0.01, 3600)});
    add(encoding.picture, texture_format_option());
    add(out, {"-o,--out", "Folder for the files", "FOLDER", file_name()});
    visit_picture_options(picture, visit);
    camera.visit_options(
        "Camera rows as for predict: pictures of meshes in the first camera's frame are turned upright", visit);
  }
};

constexpr std::size_t kMostVertices = 200'000'000;  // of all frames: 2.4 GB

struct MorphPair {
  TriangleMesh from, to;
};

bool wants(const MorphOptions& options, std::string_view format) {
  return std::ranges::find(options.formats, format) != options.formats.end();
}

TriangleMesh read_checked(const std::filesystem::path& path, bool to_be_drawn) {
  TriangleMesh mesh = read_mesh_and_log_notes(path).mesh;
  if (mesh.triangles.empty()) throw InputError(path.string() + ": has no triangle; expected a mesh");
  if (to_be_drawn) with_prefix(path.string() + ": ", [&] { check_drawable(mesh); });
  return mesh;
}

// Textures of one layout and colours of vertices are blended; others are left out.
void share_colours(const MorphOptions& options, MorphPair& pair) {
  const bool with_colours = has_colours(pair.from) && has_colours(pair.to);
  if (!with_colours) pair.from.colours.clear();
  if (!pair.from.texture && !pair.to.texture) return;
  if (has_texture(pair.from) && has_texture(pair.to)) {
    const MeshTexture in_winding{texture_corners(pair.to, pair.from.triangles), pair.to.texture->image};
    if (have_one_layout(*pair.from.texture, in_winding)) return;
  }
  spdlog::warn("{} and {}: not two textures of one layout and size; the frames have none", display(options.from),
               display(options.to));
  pair.from.texture = nullptr;
}

// The two meshes, both with the winding of the first.
MorphPair read_pair(const MorphOptions& options) {
  const bool to_be_drawn = wants(options, "png");
  MorphPair pair{read_checked(options.from, to_be_drawn), read_checked(options.to, to_be_drawn)};
  try {
    check_same_template(pair.from, pair.to);
  } catch (const InputError& error) {
    throw InputError(fmt::format("{} and {}: {}; expected two meshes of one template", options.from.string(),
                                 options.to.string(), error.what()));
  }
  share_colours(options, pair);
  pair.to.triangles = pair.from.triangles;
  set_origin(pair.to, pair.from.origin);
  const std::size_t vertices = pair.from.vertices.size() * static_cast<std::size_t>(options.frames);
  if (vertices > kMostVertices) {
    throw UsageError(fmt::format("--frames: {} frames of {} vertices; expected at most {} vertices in all",
                                 options.frames, pair.from.vertices.size(), kMostVertices));
  }
  return pair;
}

Points vertices_of_both(const MorphPair& pair) {
  Points both = pair.from.vertices;
  both.insert(both.end(), pair.to.vertices.begin(), pair.to.vertices.end());
  return both;
}

class Morpher {
 public:
  Morpher(const MorphOptions& options, const Settings& settings)
      : options_(options),
        threads_(settings.engine.threads > 0 ? settings.engine.threads : physical_core_count()),
        picture_(options.picture),
        name_(options.from.stem().string() + "_to_" + options.to.stem().string()),
        pair_(read_pair(options)),
        frame_(resolved(options.camera.frame, vertices_of_both(pair_))) {
    picture_.threads = 1;
    if (options.camera.cameras.empty()) return;
    for (const CameraRow& row : read_cameras(options.camera.cameras)) cameras_.push_back(camera_from_row(row));
  }

  [[nodiscard]] std::vector<std::filesystem::path> run() const {
    std::vector<std::filesystem::path> files;
    if (wants(options_, "glb")) files.push_back(write_animation());
    if (wants(options_, "obj") || wants(options_, "png")) write_frames(files);
    return files;
  }

 private:
  [[nodiscard]] std::filesystem::path write_animation() const {
    MorphPair pair = pair_;
    pair.from.normals = vertex_cloud(pair.from).normals;
    pair.to.normals = vertex_cloud(pair.to).normals;
    std::filesystem::path path = options_.out / (name_ + ".glb");
    write_file_atomically(path, format_morphing_glb(pair.from, pair.to, static_cast<float>(options_.seconds),
                                                    fmt::format("p2mpp {}", p2mpp_version())));
    return path;
  }

  void write_frames(std::vector<std::filesystem::path>& files) const {
    const MorphFrames frames = morph(pair_.from.vertices, pair_.to.vertices, options_.frames);
    const bool as_mesh = wants(options_, "obj");
    std::optional<PictureCamera> camera;
    if (wants(options_, "png")) camera = camera_of_both();
    for (int frame = 0; frame < options_.frames; ++frame) {
      if (as_mesh) files.push_back(path_of(frame, "obj"));
      if (camera) files.push_back(path_of(frame, "png"));
    }
    for_each_task(static_cast<std::size_t>(options_.frames), threads_, [&](std::size_t task) {
      const int frame = static_cast<int>(task);
      TriangleMesh mesh{frame_vertices(frames, frame), pair_.from.triangles};
      mesh.origin = pair_.from.origin;
      add_colours(frame, mesh);
      if (as_mesh) write_frame(frame, mesh);
      if (camera) write_file_atomically(path_of(frame, "png"), encode_png(paint(mesh, *camera)));
    });
  }

  void add_colours(int frame, TriangleMesh& mesh) const {
    const float share = static_cast<float>(frame) / static_cast<float>(options_.frames - 1);
    if (pair_.from.texture) {
      const Image &from = pair_.from.texture->image, &to = pair_.to.texture->image;
      auto texture = std::make_shared<MeshTexture>(MeshTexture{
          pair_.from.texture->corners, {from.width, from.height, std::vector<std::uint8_t>(from.rgba.size())}});
      blend_srgb(from.rgba, to.rgba, share, texture->image.rgba);
      mesh.texture = std::move(texture);
    }
    if (pair_.from.colours.empty()) return;
    mesh.colours.resize(pair_.from.colours.size());
    const std::size_t values = 3 * mesh.colours.size();
    blend_srgb({pair_.from.colours.front().data(), values}, {pair_.to.colours.front().data(), values}, share,
               {mesh.colours.front().data(), values});
  }

  void write_frame(int frame, const TriangleMesh& mesh) const {
    MeshEncoding encoding = options_.encoding;
    encoding.comment = frame_comment(frame);
    for (const MeshFile& file : encode_mesh_files(mesh, MeshFormat::kObj, encoding, path_of(frame, "obj"))) {
      write_file_atomically(file.path, file.bytes);
    }
  }

  [[nodiscard]] std::filesystem::path path_of(int frame, const char* extension) const {
    return options_.out / fmt::format("{}_{:03}.{}", name_, frame, extension);
  }

  [[nodiscard]] std::string frame_comment(int frame) const {
    return fmt::format("p2mpp {}, frame {} of {}", p2mpp_version(), frame + 1, options_.frames);
  }

  // A camera that sees both meshes sees every frame between them.
  [[nodiscard]] PictureCamera camera_of_both() const {
    const Upright object = upright({vertices_of_both(pair_), {}}, frame_, cameras_);
    const double aspect = static_cast<double>(picture_.width) / picture_.height;
    return framing_camera(object.mesh.vertices, options_.camera.framing(object.in_camera), aspect);
  }

  [[nodiscard]] Image paint(const TriangleMesh& mesh, const PictureCamera& camera) const {
    const Upright object = upright(mesh, frame_, cameras_);
    PictureOptions picture = picture_;
    if (object.in_camera) picture.ground = false;
    return MeshPainter(object.mesh, picture).paint(camera);
  }

  const MorphOptions& options_;
  int threads_;
  PictureOptions picture_;
  std::string name_;
  MorphPair pair_;
  MeshFrame frame_;  // of both meshes and all frames
  std::vector<Camera> cameras_;
};

// Writes the frames, several in parallel, and prints the files' names. Throws InputError if the meshes are not of the
// same template.
void run_morph(const MorphOptions& options, const Settings& settings) {
  if (wants(options, "png")) require_drawing();
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

}  // namespace

void add_morph_command(CLI::App& app, const Settings& settings, ExitCode& /*exit_code*/) {
  const auto options = std::make_shared<MorphOptions>();
  CLI::App* command = app.add_subcommand("morph", "Morph one mesh into another of the same template");
  add_options(*command, *options);
  command->footer(
      R"(All meshes that a model predicts have the same triangles, so the vertices of one can move in straight lines to
those of another. Writes {from}_to_{to}_000.obj and so on, {from}_to_{to}_000.png and so on, and {from}_to_{to}.glb,
according to --format, and prints the files' names.

Examples:
  p2mpp morph out/chair_predict.obj out/sofa_predict.obj --frames 41 --out frames
  p2mpp morph out/chair_predict.obj out/sofa_predict.obj --format glb --seconds 3
  p2mpp morph out/chair_predict.obj out/sofa_predict.obj --format png --size 256 --frame camera0)");
  command->callback([options, &settings] { run_morph(*options, settings); });
}

}  // namespace p2mpp::cli
