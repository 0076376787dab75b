#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <map>
#include <mutex>
#include <nlohmann/json.hpp>

#include "base/atomic_file.h"
#include "base/environment.h"
#include "base/parallel.h"
#include "cli/commands/render_options.h"
#include "cli/support/console.h"
#include "cli/support/progress.h"
#include "cli/support/terminal_preview.h"
#include "io/image/png_file.h"
#include "io/mesh/mesh_file.h"
#include "io/sample_folder.h"
#include "p2mpp/device.h"
#include "p2mpp/error.h"

namespace p2mpp::cli {
namespace {

using Json = nlohmann::ordered_json;

// A picture that is to be made of a mesh.
struct Shot {
  std::filesystem::path path;
  PictureCamera camera;
};

// What became of a mesh.
struct Drawn {
  std::vector<std::filesystem::path> pictures;
  std::string terminal;  // the first picture, as the terminal shows it
  SamplePictures extras;
  std::string problem;
};

std::string name_of(const std::filesystem::path& mesh) { return mesh.stem().string(); }

void check_names_differ(const std::vector<std::filesystem::path>& meshes) {
  std::map<std::string, std::filesystem::path> names;
  for (const std::filesystem::path& mesh : meshes) {
    const auto [first, is_new] = names.emplace(name_of(mesh), mesh);
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

const std::vector<std::size_t> kPublishedViews = {0, 6, 7};  // of a numbered folder

class Renderer {
 public:
  Renderer(const RenderOptions& options, const Settings& settings)
      : options_(options),
        threads_(settings.engine.threads > 0 ? settings.engine.threads : physical_core_count()),
        picture_(options.picture),
        truth_(read_truth(options.extras)) {
    if (!options.sample.empty()) {
      const std::vector<std::size_t> views = settings.views.empty() ? kPublishedViews : settings.views;
      sample_ = read_sample(find_sample(options.sample, views));
      for (const View& view : sample_->views) rows_.push_back(view.camera);
    } else if (!options.camera.cameras.empty()) {
      rows_ = read_cameras(options.camera.cameras);
    }
    // Meshes are shared out among the threads, or a mesh's pictures, or the rows of a single picture.
    const bool one_picture = options.meshes.size() == 1 && options.turntable <= 1 && !pictures_of_rows();
    picture_.threads = one_picture ? threads_ : 1;
  }

  [[nodiscard]] int threads() const { return threads_; }

  // The file's name stands before what is wrong.
  [[nodiscard]] Drawn draw(const std::filesystem::path& file) const {
    TriangleMesh mesh = read_mesh(file);
    try {
      check_drawable(mesh);
      const MeshFrame frame = resolved(options_.camera.frame, mesh.vertices);
      return draw(name_of(file), upright(std::move(mesh), frame, rows_), frame);
    } catch (const InputError& error) {
      throw InputError(fmt::format("{}: {}", file.string(), error.what()));
    }
  }

 private:
  [[nodiscard]] bool pictures_of_rows() const {
    return !rows_.empty() && !options_.camera.framed() && options_.turntable == 0;
  }

  // `frame` is the one that the file's vertices lie in.
  [[nodiscard]] Drawn draw(const std::string& name, const Upright& object, MeshFrame frame) const {
    PictureOptions picture = picture_;
    if (object.in_camera) picture.ground = false;
    const MeshPainter painter(object.mesh, picture);
    const std::vector<Shot> shots = shots_of(name, object.mesh.vertices, object.in_camera);
    const int threads = options_.meshes.size() == 1 ? threads_ : 1;
    for_each_task(shots.size(), threads, [&](std::size_t i) {
      write_file_atomically(shots[i].path, encode_png(painter.paint(shots[i].camera)));
    });
    Drawn drawn;
    for (const Shot& shot : shots) drawn.pictures.push_back(shot.path);
    if (options_.extras.terminal) {
      drawn.terminal = terminal_preview(object.mesh, shots.front().camera, picture.ground, threads);
    }
    drawn.extras = draw_extras(name, object, frame);
    return drawn;
  }

  [[nodiscard]] SamplePictures draw_extras(const std::string& name, const Upright& object, MeshFrame frame) const {
    SamplePictureOptions extras = options_.extras;
    extras.terminal = false;  // is done
    if (!extras.any()) return {};
    SampleMeshes meshes{
        .surfaces = {{"mesh", object.mesh}}, .truth = {}, .facts = {{"p2mpp", std::string(p2mpp_version())}}};
    if (!truth_.empty()) {
      meshes.truth = upright({truth_, {}}, frame, rows_).mesh.vertices;
      meshes.facts.emplace_back("ground truth", extras.truth.filename().string());
    }
    if (sample_) return write_sample_pictures(extras, options_.out, name, *sample_, std::move(meshes), 1);
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

  [[nodiscard]] std::vector<Shot> shots_of(const std::string& name, const Points& points, bool in_camera) const {
    std::vector<Shot> shots;
    if (pictures_of_rows()) {
      for (std::size_t i = 0; i < rows_.size(); ++i) {
        shots.push_back({options_.out / fmt::format("{}_view{}.png", name, i + 1), view_camera(rows_[i])});
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
  Points truth_;
  std::optional<Sample> sample_;
  std::vector<CameraRow> rows_;
};

std::vector<Drawn> draw_all(const RenderOptions& options, const Settings& settings) {
  const Renderer renderer(options, settings);
  if (options.meshes.size() == 1) return {renderer.draw(options.meshes.front())};
  std::vector<Drawn> drawn(options.meshes.size());
  Progress progress("meshes", drawn.size(), progress_style(settings));
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

}  // namespace

ExitCode run_render(RenderOptions options, const Settings& settings) {
  if (settings.json) options.extras.terminal = false;
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
    print(drawn[i].terminal);
    for (const auto& path : drawn[i].pictures) print(path.string() + "\n");
    print(picture_lines(drawn[i].extras));
  }
  document["failed"] = failed;
  if (settings.json) print_json(document);
  return failed == 0 ? ExitCode::kDone : ExitCode::kSomeSamplesFailed;
}

}  // namespace p2mpp::cli
