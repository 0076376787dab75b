#include "report/evaluation_pictures.h"

#include <fmt/format.h>

#include <algorithm>

#include "capture/open_sample.h"
#include "eval/category_names.h"
#include "geometry/foreign/placed_points.h"
#include "geometry/similarity.h"
#include "image/resize.h"
#include "io/mesh/mesh_file.h"
#include "p2mpp/error.h"
#include "render/panels.h"
#include "render/picture.h"
#include "render/picture_camera.h"
#include "report/viewer_page.h"
#include "results/prediction_files.h"

namespace p2mpp {
namespace {

constexpr std::size_t kGroupSize = 4;
constexpr int kSide = 320;  ///< pixels of a picture

using Results = std::vector<const SampleResult*>;

Results scored(const Evaluation& evaluation) {
  Results results;
  for (const SampleResult& result : evaluation.results) {
    if (result.scores) results.push_back(&result);
  }
  std::ranges::stable_sort(results, {},
                           [](const SampleResult* result) { return result->scores->vertices.chamfer_distance; });
  return results;
}

Results part(const Results& results, std::size_t first, std::size_t count) {
  const auto begin = results.begin() + static_cast<std::ptrdiff_t>(first);
  return {begin, begin + static_cast<std::ptrdiff_t>(count)};
}

std::vector<std::pair<std::string, Results>> choose(const Evaluation& evaluation) {
  const Results all = scored(evaluation);
  if (all.empty()) {
    const Results meshes = results_with_mesh(evaluation);
    return {{"first of the list", part(meshes, 0, std::min(kGroupSize, meshes.size()))}};
  }
  const std::size_t count = std::min(kGroupSize, all.size() / 3);
  if (count == 0) return {{"best first", all}};
  return {{"best", part(all, 0, count)},
          {"median", part(all, (all.size() - count) / 2, count)},
          {"worst", part(all, all.size() - count, count)}};
}

std::string caption_of(const SampleResult& result) {
  if (!result.scores) return "not scored";
  const ShapeMetrics& metrics = result.scores->vertices;
  return fmt::format("CD x1000 {:.3f}, F1 {:.1f}", 1000 * metrics.chamfer_distance, metrics.f1_tau);
}

Image draw(const TriangleMesh& mesh, const PictureCamera& camera, const PictureOptions& options) {
  return MeshPainter(mesh, options).paint(camera);
}

/// The vertices through a similarity, without an origin.
Points transformed_vertices(const TriangleMesh& mesh, const Similarity& similarity) {
  Points points;
  for (std::size_t i = 0; i < mesh.vertices.size(); ++i) {
    points.push_back(similarity.transformed(placed_vertex(mesh, i)).cast<float>());
  }
  return points;
}

// The mesh and the truth in the world.
std::string viewer_of(const PicturedSample& pictured, const Sample& sample, const TriangleMesh& mesh,
                      const Points& truth) {
  ViewerScene scene{.title = pictured.id,
                    .subtitle = fmt::format("{}: {}", pictured.category, pictured.caption),
                    .facts = {},
                    .surfaces = {{"result", mesh}},
                    .truth = truth,
                    .views = {}};
  for (const View& view : sample.views) scene.views.push_back(viewer_view(view, scene.views.size() + 1));
  scene.start = sample.views.front().camera.origin.cast<float>();
  return viewer_page(scene);
}

PicturedSample draw_sample(const SampleResult& result, const PipelineOptions& options, int threads, bool with_viewer) {
  const SampleRequest reading{.trained_views = options.reading.trained_views, .max_pixels = options.reading.max_pixels};
  const Sample sample =
      open_sample(locate_listed_sample(options.images_root, list_entry(result.id, result.line), reading), reading)
          .sample;
  const View& first = sample.views.front();
  const std::filesystem::path file = find_prediction(options.out, result.id, options.run.meshes.formats);
  const Frame frame = frame_of(options.run.meshes, mesh_format(file.extension().string().substr(1)));
  TriangleMesh mesh = read_mesh(file);
  if (frame != Frame::kSource) set_origin(mesh, Eigen::Vector3d::Zero());
  if (frame == Frame::kCamera0) mesh.vertices = world_from_camera(mesh.vertices, first.camera);
  if (frame == Frame::kSource) mesh.vertices = transformed_vertices(mesh, inverse(sample.source_from_world));
  mesh.origin.setZero();
  TriangleMesh truth;
  if (result.scores) {
    truth = read_mesh(find_ground_truth(options.truth_root, result.id));
    set_origin(truth, Eigen::Vector3d::Zero());
    truth.vertices = world_from_camera(truth.vertices, first.camera);
  }
  Points all = mesh.vertices;
  all.insert(all.end(), truth.vertices.begin(), truth.vertices.end());
  const PictureCamera camera = framing_camera(all, framing_of(first), 1);
  const PictureOptions picture{.width = kSide, .height = kSide, .threads = threads};
  PicturedSample pictured{result.id, category_name(result.category), caption_of(result), {}};
  pictured.images.emplace_back("first view", on_white(resize_triangle(first.image, kSide, kSide)));
  pictured.images.emplace_back("reconstruction", draw(mesh, camera, picture));
  if (!truth.vertices.empty()) pictured.images.emplace_back("ground truth", draw(truth, camera, picture));
  if (with_viewer) pictured.viewer = viewer_of(pictured, sample, mesh, truth.vertices);
  return pictured;
}

std::string note_on(const std::vector<std::string>& problems) {
  if (problems.empty()) return "";
  if (problems.size() == 1) return fmt::format("A sample is not shown: {}", problems.front());
  return fmt::format("{} samples are not shown; the first: {}", problems.size(), problems.front());
}

}  // namespace

EvaluationPictures draw_evaluation(const Evaluation& evaluation, const OptionsOfSample& options_of, int threads,
                                   bool with_viewers) {
  if (!can_draw()) return {{}, "No pictures: this build has no ray tracer (libembree-dev)."};
  EvaluationPictures pictures;
  std::vector<std::string> problems;
  for (const auto& [name, results] : choose(evaluation)) {
    PictureGroup group{name, {}};
    for (const SampleResult* result : results) {
      try {
        group.samples.push_back(draw_sample(*result, options_of(*result), threads, with_viewers));
      } catch (const std::exception& error) {
        // For example, its files have changed or are on another machine. The tables still list it.
        problems.push_back(fmt::format("{}: {}", result->id, error.what()));
      }
    }
    if (!group.samples.empty()) pictures.groups.push_back(std::move(group));
  }
  pictures.note = note_on(problems);
  return pictures;
}

}  // namespace p2mpp
