#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <map>
#include <memory>
#include <mutex>
#include <nlohmann/json.hpp>
#include <optional>

#include "base/atomic_file.h"
#include "base/environment.h"
#include "base/json_text.h"
#include "base/parallel.h"
#include "capture/open_sample.h"
#include "cli/support/command.h"
#include "cli/support/console.h"
#include "cli/support/declared_options.h"
#include "cli/support/progress.h"
#include "cli/support/settings.h"
#include "cli/support/shared_options.h"
#include "geometry/foreign/placed_points.h"
#include "io/camera_rows.h"
#include "io/image/png_file.h"
#include "io/mesh/mesh_file.h"
#include "p2mpp/device.h"
#include "p2mpp/error.h"
#include "report/sample_pictures.h"

namespace p2mpp::cli {
namespace {
struct RenderOptions {
  std::vector<std::filesystem::path> meshes;
  std::filesystem::path out = ".";
  PictureOptions picture;
  CameraOptions camera;
  std::filesystem::path sample;  // folder with images and camera rows; empty: none
  int turntable = 0;             // number of pictures around the object; 0: a single picture
  SamplePictureOptions extras;   // overlay and 3D view

  template <typename Visit>
  void visit_options(Visit&& visit);
};

template <typename Visit>
void RenderOptions::visit_options(Visit&& visit) {
  constexpr long long kMostTurntableFrames = 3600;
  visit(
      meshes,
      {"MESH", "Meshes or points: .obj, .ply, .glb, .gltf, .stl, .off, .xyz or .dat; points are drawn as small spheres",
       "FILE", file_name()},
      {.required = true, .separate = true});
  visit_picture_options(picture, visit);
  camera.visit_options(
      "Camera rows as for predict: meshes in the first camera's frame are turned upright, and unless another camera "
      "option is given, one picture is drawn from each row's camera",
      visit);
  const auto add_camera = in_group("Camera", visit);
  add_camera(sample,
             {"--sample", "A sample's folder as for predict: its cameras, and its images for --overlay and --view",
              "FOLDER", file_name()},
             {.excludes = "--cameras"});
  add_camera(turntable,
             {"--turntable", "Number of pictures, in equal steps around the object", "N",
              whole_number(1, kMostTurntableFrames)},
             {.standard = ""});
  const auto add_result = in_group("Result", visit);
  add_result(out, {"-o,--out", "Folder for the pictures", "FOLDER", file_name()});
  add_result(
      extras.overlay,
      {"--overlay",
       "Write {name}_overlay.png, the mesh over each view of --sample, and print how well the silhouettes agree"});
  add_result(extras.view, {"--view", "Write {name}_view.html: the mesh in 3D, in one file"});
  add_result(extras.truth,
             {"--truth", "Ground truth in the mesh's frame, also shown in the 3D view", "FILE", file_name()},
             {.configurable = false});
}

// A picture to draw of a mesh.
struct Shot {
  std::filesystem::path path;
  PictureCamera camera;
};

// The result of drawing a mesh.
struct Drawn {
  std::vector<std::filesystem::path> pictures;
  SamplePictures extras;
  std::string problem;
};

std::string picture_name(const std::filesystem::path& mesh) { return mesh.stem().string(); }

void check_names_differ(const std::vector<std::filesystem::path>& meshes) {
  std::map<std::string, std::filesystem::path> names;
  for (const std::filesystem::path& mesh : meshes) {
    const auto [first, is_new] = names.emplace(picture_name(mesh), mesh);
    if (is_new) continue;
    throw UsageError(
        fmt::format("{} and {} would write the same pictures; expected files with different names, or a "
                    "call for each with an --out of its own",
                    first->second.string(), mesh.string()));
  }
}

void check_options(const RenderOptions& options) {
  check_names_differ(options.meshes);
  if (options.extras.overlay && options.sample.empty()) {
    throw UsageError("--overlay: expected --sample, whose images the mesh is laid over");
  }
  if (!options.extras.truth.empty() && options.meshes.size() > 1) throw UsageError("--truth: expected one mesh");
  check(options.extras);
}

class Renderer {
 public:
  Renderer(const RenderOptions& options, const Settings& settings)
      : options_(options),
        threads_(settings.engine.threads > 0 ? settings.engine.threads : physical_core_count()),
        picture_(options.picture),
        truth_(options.extras.truth.empty() ? TriangleMesh() : read_mesh(options.extras.truth)) {
    if (!options.sample.empty()) {
      sample_ = open_sample(options.sample, folder_request(settings)).sample;
      for (const View& view : sample_->views) cameras_.push_back(view.camera);
    } else if (!options.camera.cameras.empty()) {
      for (const CameraRow& row : read_cameras(options.camera.cameras)) cameras_.push_back(camera_from_row(row));
    }
    // The threads are used for meshes if there are several, else for the pictures of a mesh, else for the rows of a
    // single picture.
    const bool one_picture = options.meshes.size() == 1 && options.turntable <= 1 && !pictures_of_views();
    picture_.threads = one_picture ? threads_ : 1;
  }

  [[nodiscard]] int threads() const { return threads_; }

  // Puts the file's name before the message of an error.
  [[nodiscard]] Drawn draw(const std::filesystem::path& file) const {
    NotedMesh read = read_mesh_and_log_notes(file);
    TriangleMesh& mesh = read.mesh;
    if (!cameras_.empty()) set_origin(mesh, Eigen::Vector3d::Zero());  // the cameras are in the world
    try {
      check_drawable(mesh);
      const MeshFrame frame = resolved(options_.camera.frame, mesh.vertices);
      return draw(picture_name(file), upright(std::move(mesh), frame, cameras_), frame);
    } catch (const InputError& error) {
      throw InputError(fmt::format("{}: {}", file.string(), error.what()));
    }
  }

 private:
  [[nodiscard]] bool pictures_of_views() const {
    return !cameras_.empty() && !options_.camera.framed() && options_.turntable == 0;
  }

  // `frame` is the frame of the file's vertices.
  [[nodiscard]] Drawn draw(const std::string& name, const Upright& object, MeshFrame frame) const {
    PictureOptions picture = picture_;
    if (object.in_camera) picture.ground = false;
    const MeshPainter painter(object.mesh, picture);
    const std::vector<Shot> shots = plan_shots(name, object.mesh.vertices, object.in_camera);
    const int threads = options_.meshes.size() == 1 ? threads_ : 1;
    for_each_task(shots.size(), threads, [&](std::size_t i) {
      write_file_atomically(shots[i].path, encode_png(painter.paint(shots[i].camera)));
    });
    Drawn drawn;
    for (const Shot& shot : shots) drawn.pictures.push_back(shot.path);
    drawn.extras = draw_extras(name, object, frame);
    return drawn;
  }

  [[nodiscard]] SamplePictures draw_extras(const std::string& name, const Upright& object, MeshFrame frame) const {
    const SamplePictureOptions& extras = options_.extras;
    if (!extras.any()) return {};
    SampleMeshes meshes{
        .surfaces = {{"mesh", object.mesh}}, .truth = {}, .facts = {{"p2mpp", std::string(p2mpp_version())}}};
    if (!truth_.vertices.empty()) {
      TriangleMesh truth{.vertices = truth_.vertices, .triangles = {}, .origin = truth_.origin};
      set_origin(truth, object.mesh.origin);
      meshes.truth = upright(std::move(truth), frame, cameras_).mesh.vertices;
      meshes.facts.emplace_back("ground truth", extras.truth.filename().string());
    }
    if (sample_) {
      SamplePictures pictures = write_sample_pictures(extras, options_.out, name, *sample_, std::move(meshes), 1);
      warn_of_hint(name, pictures.hint);
      return pictures;
    }
    ViewerScene scene{.title = name,
                      .subtitle = {},
                      .facts = std::move(meshes.facts),
                      .surfaces = std::move(meshes.surfaces),
                      .truth = std::move(meshes.truth),
                      .views = {},
                      .upright = !object.in_camera};
    if (object.in_camera) scene.start = Eigen::Vector3f::UnitZ();
    SamplePictures pictures;
    pictures.view = options_.out / (name + "_view.html");
    write_file_atomically(*pictures.view, viewer_page(scene));
    return pictures;
  }

  [[nodiscard]] std::vector<Shot> plan_shots(const std::string& name, const Points& points, bool in_camera) const {
    std::vector<Shot> shots;
    if (pictures_of_views()) {
      for (std::size_t i = 0; i < cameras_.size(); ++i) {
        shots.push_back({options_.out / fmt::format("{}_view{}.png", name, i + 1), view_camera(cameras_[i])});
      }
      return shots;
    }
    const Framing framing = options_.camera.framing(in_camera);
    const double aspect = static_cast<double>(picture_.width) / picture_.height;
    if (options_.turntable == 0) {
      return {{options_.out / fmt::format("{}.png", name), framing_camera(points, framing, aspect)}};
    }
    for (const PictureCamera& camera : turntable_cameras(points, framing, aspect, options_.turntable)) {
      shots.push_back({options_.out / fmt::format("{}_{:03}.png", name, shots.size()), camera});
    }
    return shots;
  }

  const RenderOptions& options_;
  int threads_;
  PictureOptions picture_;
  TriangleMesh truth_;
  std::optional<Sample> sample_;
  std::vector<Camera> cameras_;
};

std::vector<Drawn> draw_all(const RenderOptions& options, const Settings& settings) {
  const Renderer renderer(options, settings);
  if (options.meshes.size() == 1) return {renderer.draw(options.meshes.front())};
  std::vector<Drawn> drawn(options.meshes.size());
  ProgressBar progress("meshes", drawn.size(), progress_style(settings));
  std::mutex reporting;
  std::size_t done = 0, failed = 0;
  for_each_task(drawn.size(), renderer.threads(), [&](std::size_t i) {
    try {
      drawn[i] = renderer.draw(options.meshes[i]);
    } catch (const InputError& error) {
      drawn[i].problem = error.what();
    }
    const std::scoped_lock lock(reporting);
    if (!drawn[i].problem.empty()) {
      ++failed;
      spdlog::error("{}", drawn[i].problem);
    }
    progress.update(++done, failed);
  });
  return drawn;
}

Json to_json(const std::filesystem::path& mesh, const Drawn& drawn) {
  Json json = {{"mesh", mesh.string()}};
  if (!drawn.problem.empty()) {
    json["problem"] = drawn.problem;
    return json;
  }
  json["pictures"] = Json::array();
  for (const auto& path : drawn.pictures) json["pictures"].push_back(path.string());
  json.update(to_json(drawn.extras));
  return json;
}

// Draws the meshes, several in parallel, and prints the files' names. If one of several cannot be drawn, logs the
// failure and continues with the others. A single one throws.
ExitCode run_render(const RenderOptions& options, const Settings& settings) {
  check_options(options);
  require_drawing();
  prepare_output_folder(options.out);
  const std::vector<Drawn> drawn = draw_all(options, settings);
  std::size_t failed = 0;
  Json document = {{"meshes", Json::array()}};
  for (std::size_t i = 0; i < drawn.size(); ++i) {
    if (!drawn[i].problem.empty()) ++failed;
    document["meshes"].push_back(to_json(options.meshes[i], drawn[i]));
    if (settings.json) continue;
    for (const auto& path : drawn[i].pictures) print(path.string() + "\n");
    print(picture_lines(drawn[i].extras));
  }
  document["failed"] = failed;
  if (settings.json) print_json(document);
  return exit_code_after(failed, drawn.size());
}

}  // namespace

void add_render_command(CLI::App& app, const Settings& settings, ExitCode& exit_code) {
  const auto options = std::make_shared<RenderOptions>();
  CLI::App* command = app.add_subcommand("render", "Draw meshes and point clouds as PNG pictures");
  add_options(*command, *options);
  command->footer(
      R"(Writes {name}.png for each mesh, {name}_000.png and so on with --turntable, {name}_view1.png and so on with
--cameras or --sample, and prints the files' names. Meshes may have any winding, be open, or consist of several parts.

Examples:
  p2mpp render out/p2mpp0001_predict.obj --out pictures
  p2mpp render out/*_predict.obj --size 256 --background transparent --out pictures
  p2mpp render out/p2mpp0001_predict.obj --cameras cameras.txt --turntable 36 --out turn
  p2mpp render chair.ply --frame world --azimuth 120 --shading flat
  p2mpp render out/p2mpp0001_predict.obj --sample data/02691156/p2mpp0001 --overlay --view)");
  command->callback([options, &settings, &exit_code] { exit_code = run_render(*options, settings); });
}

}  // namespace p2mpp::cli
