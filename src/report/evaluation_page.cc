#include "report/evaluation_page.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <string_view>

#include "base/json_text.h"
#include "base/table.h"
#include "base/text.h"
#include "capture/open_sample.h"
#include "eval/score_summary.h"
#include "geometry/foreign/placed_points.h"
#include "geometry/similarity.h"
#include "image/resize.h"
#include "io/mesh/mesh_file.h"
#include "p2mpp/error.h"
#include "render/panels.h"
#include "render/picture.h"
#include "render/picture_camera.h"
#include "report/page.h"
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

std::string make_caption(const SampleResult& result) {
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
std::string make_viewer(const PicturedSample& pictured, const Sample& sample, const TriangleMesh& mesh,
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
  const PictureCamera camera = framing_camera(all, frame_view(first), 1);
  const PictureOptions picture{.width = kSide, .height = kSide, .threads = threads};
  PicturedSample pictured{result.id, category_name(result.category), make_caption(result), {}};
  pictured.images.emplace_back("first view", on_white(resize_triangle(first.image, kSide, kSide)));
  pictured.images.emplace_back("reconstruction", draw(mesh, camera, picture));
  if (!truth.vertices.empty()) pictured.images.emplace_back("ground truth", draw(truth, camera, picture));
  if (with_viewer) pictured.viewer = make_viewer(pictured, sample, mesh, truth.vertices);
  return pictured;
}

std::string note_on(const std::vector<std::string>& problems) {
  if (problems.empty()) return "";
  if (problems.size() == 1) return fmt::format("A sample is not shown: {}", problems.front());
  return fmt::format("{} samples are not shown; the first: {}", problems.size(), problems.front());
}

}  // namespace

EvaluationPictures draw_evaluation(const Evaluation& evaluation, const OptionsOfSample& find_options, int threads,
                                   bool with_viewers) {
  if (!can_draw()) return {{}, "No pictures: this build has no ray tracer (libembree-dev)."};
  EvaluationPictures pictures;
  std::vector<std::string> problems;
  for (const auto& [name, results] : choose(evaluation)) {
    PictureGroup group{name, {}};
    for (const SampleResult* result : results) {
      try {
        group.samples.push_back(draw_sample(*result, find_options(*result), threads, with_viewers));
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

namespace {
/// A column of the samples' table. decimals: -1 for text.
struct Column {
  std::string_view name, title;
  int decimals;
  Json (*value)(const SampleResult&);
};

Json rounded(double value, int decimals) {
  if (!std::isfinite(value)) return nullptr;
  const double unit = std::pow(10, decimals);
  return std::round(value * unit) / unit;
}

constexpr int kShareDecimals = 3, kTimeDecimals = 1, kDistanceDecimals = 4, kPercentDecimals = 2, kCosineDecimals = 3;

Json fit_figure(const SampleResult& result, double FitFigures::*figure) {
  return result.fit ? rounded((*result.fit).*figure, 4) : Json(nullptr);
}

Json time_of(const SampleResult& result, double milliseconds) {
  return result.failed() ? Json(nullptr) : rounded(milliseconds, 3);
}

template <ShapeMetrics Scores::*Side, double ShapeMetrics::*Field>
Json format_score(const SampleResult& result, double scale, int decimals) {
  return result.scores ? rounded(scale * (*result.scores).*Side.*Field, decimals) : Json(nullptr);
}

const std::vector<Column>& all_columns() {
  using Metrics = ShapeMetrics;
  static const std::vector<Column> all = {
      {"id", "id", -1, [](const SampleResult& r) -> Json { return r.id; }},
      {"category", "category", -1, [](const SampleResult& r) -> Json { return category_name(r.category); }},
      {"status", "status", -1, [](const SampleResult& r) -> Json { return to_string(r.status); }},
      {"cd", "CD x1000", kDistanceDecimals,
       [](const SampleResult& r) { return format_score<&Scores::vertices, &Metrics::chamfer_distance>(r, 1000, 6); }},
      {"f1", "F1@tau", kPercentDecimals,
       [](const SampleResult& r) { return format_score<&Scores::vertices, &Metrics::f1_tau>(r, 1, 3); }},
      {"f1_2tau", "F1@2tau", kPercentDecimals,
       [](const SampleResult& r) { return format_score<&Scores::vertices, &Metrics::f1_2tau>(r, 1, 3); }},
      {"hausdorff", "Hausdorff 90", kDistanceDecimals,
       [](const SampleResult& r) { return format_score<&Scores::vertices, &Metrics::hausdorff_90>(r, 1, 6); }},
      {"normals", "normals", kCosineDecimals,
       [](const SampleResult& r) { return format_score<&Scores::vertices, &Metrics::normal_consistency>(r, 1, 4); }},
      {"surface_cd", "surface CD x1000", kDistanceDecimals,
       [](const SampleResult& r) { return format_score<&Scores::surface, &Metrics::chamfer_distance>(r, 1000, 6); }},
      {"coarse_cd", "stage 1 CD x1000", kDistanceDecimals,
       [](const SampleResult& r) { return format_score<&Scores::coarse, &Metrics::chamfer_distance>(r, 1000, 6); }},
      {"iou_before", "IoU before the fit", kShareDecimals,
       [](const SampleResult& r) { return fit_figure(r, &FitFigures::iou_before); }},
      {"iou_after", "IoU after the fit", kShareDecimals,
       [](const SampleResult& r) { return fit_figure(r, &FitFigures::iou_after); }},
      {"total_ms", "ms", kTimeDecimals, [](const SampleResult& r) { return time_of(r, r.total_ms()); }},
      {"compute_ms", "computing ms", kTimeDecimals, [](const SampleResult& r) { return time_of(r, r.compute_ms); }}};
  return all;
}

/// Those of the fit only where there is one.
std::vector<Column> columns_for(const EvaluationSummary& summary) {
  std::vector<Column> shown = all_columns();
  if (summary.fit.empty()) std::erase_if(shown, [](const Column& column) { return column.name.starts_with("iou_"); });
  return shown;
}

Json columns_json(const std::vector<Column>& columns) {
  Json json = Json::array();
  for (const Column& column : columns) {
    json.push_back({{"name", column.name},
                    {"title", column.title},
                    {"decimals", column.decimals < 0 ? Json(nullptr) : Json(column.decimals)}});
  }
  return json;
}

Json samples_json(const Evaluation& evaluation, const std::vector<Column>& columns) {
  Json rows = Json::array();
  for (const SampleResult& result : evaluation.results) {
    Json row = Json::array();
    for (const Column& column : columns) row.push_back(column.value(result));
    rows.push_back(std::move(row));
  }
  return rows;
}

void add_figure(Json& figures, const std::string& name, const std::string& value, bool bad = false) {
  figures.push_back({{"name", name}, {"value", value}, {"bad", bad}});
}

Json figures_json(const EvaluationSummary& summary) {
  Json figures = Json::array();
  const MeanScores scores = summary.scores.all();
  if (scores.count > 0) {
    const ShapeMetrics& vertices = scores.mean.vertices;
    add_figure(figures, "mean CD x1000", fixed_cell(1000 * vertices.chamfer_distance, 3));
    add_figure(figures, "mean F1 at tau, %", fixed_cell(vertices.f1_tau, 2));
    add_figure(figures, "mean F1 at 2 tau, %", fixed_cell(vertices.f1_2tau, 2));
    if (is_defined(scores.mean.coarse)) {
      add_figure(figures, "CD x1000 after stage 1", fixed_cell(1000 * scores.mean.coarse.chamfer_distance, 3));
    }
  }
  for (const auto& [name, statistics] : summary.fit) {
    if (name == "iou_before") add_figure(figures, "IoU of silhouettes before the fit", fixed_cell(statistics.mean, 3));
    if (name == "iou_after") add_figure(figures, "IoU of silhouettes after the fit", fixed_cell(statistics.mean, 3));
  }
  add_figure(figures, "ms a sample, median", fixed_cell(summary.total.median, 1));
  add_figure(figures, "ms a sample, 95th percentile", fixed_cell(summary.total.p95, 1));
  add_figure(figures, "samples/s end to end", fixed_cell(summary.end_to_end_throughput(), 2));
  add_figure(figures, "samples reconstructed", fmt::format("{} of {}", summary.reconstructed, summary.listed));
  if (summary.failed > 0) add_figure(figures, "failed", std::to_string(summary.failed), true);
  if (summary.not_scored > 0) add_figure(figures, "not scored", std::to_string(summary.not_scored), true);
  return figures;
}

Json parts_json(const EvaluationSummary& summary) {
  Json parts = Json::array();
  for (std::size_t i = 0; i < kPartCount; ++i) {
    const Statistics& times = summary.parts[i];
    parts.push_back({{"name", to_string(static_cast<Part>(i))},
                     {"median", std::isfinite(times.median) ? times.median : 0},
                     {"p95", std::isfinite(times.p95) ? times.p95 : 0}});
  }
  return parts;
}

Json failures_json(const EvaluationSummary& summary) {
  Json rows = Json::array();
  for (const SampleResult& result : summary.failures) {
    rows.push_back({result.id, std::to_string(result.line), to_string(result.status), result.reason});
  }
  return rows;
}

Json pictures_json(const std::vector<PictureGroup>& groups) {
  Json json = Json::array();
  for (const PictureGroup& group : groups) {
    Json samples = Json::array();
    for (const PicturedSample& sample : group.samples) {
      Json images = Json::array();
      for (const auto& [name, image] : sample.images) images.push_back({name, data_uri(image)});
      samples.push_back({{"id", sample.id},
                         {"category", sample.category},
                         {"caption", sample.caption},
                         {"images", std::move(images)},
                         {"view", sample.viewer.empty() ? Json(nullptr) : Json(sample.viewer_file())}});
    }
    json.push_back({{"name", group.name}, {"samples", std::move(samples)}});
  }
  return json;
}

std::string format_value(const Json& value) {
  if (value.is_string()) return value.get<std::string>();
  if (!value.is_array()) return value.is_null() ? "-" : value.dump();
  std::string text;
  for (const Json& item : value) text.append(text.empty() ? "" : ", ").append(format_value(item));
  return text.empty() ? "none" : text;
}

/// Names and values of a JSON object, as [name, value] pairs of text.
void append_facts(const Json& object, const std::string& prefix, Json& facts) {
  for (const auto& [name, value] : object.items()) facts.push_back({prefix + name, format_value(value)});
}

/// A value of a section of the description.
std::string fact(const RunDescription& description, const char* section, const char* name) {
  return format_value(description.value(section, Json::object()).value(name, Json(nullptr)));
}

std::string make_subtitle(const RunDescription& description, const EvaluationSummary& summary) {
  return fmt::format("model {} ({}), {} {} on {}, {} samples", fact(description, "model", "name"),
                     fact(description, "model", "semantics"), fact(description, "settings", "backend"),
                     fact(description, "settings", "precision"), fact(description, "settings", "device"),
                     summary.listed);
}

}  // namespace

std::string evaluation_page(const Evaluation& evaluation, const EvaluationSummary& summary,
                            const RunDescription& description, const EvaluationPictures& pictures) {
  const std::vector<Column> columns = columns_for(summary);
  Json data = {{"subtitle", make_subtitle(description, summary)},
               {"legend", score_legend()},
               {"figures", figures_json(summary)},
               {"parts", parts_json(summary)},
               {"categories", Json::array()},
               {"failures", failures_json(summary)},
               {"columns", columns_json(columns)},
               {"samples", samples_json(evaluation, columns)},
               {"pictures", pictures_json(pictures.groups)},
               {"pictures_note", pictures.note},
               {"settings", Json::array()},
               {"environment", Json::array()}};
  if (summary.scores.all().count > 0) data["categories"] = score_table(summary.scores);
  append_facts(description.value("model", Json::object()), "model ", data["settings"]);
  append_facts(description.value("settings", Json::object()), "", data["settings"]);
  append_facts(description.value("environment", Json::object()), "", data["environment"]);
  const std::filesystem::path list = fact(description, "settings", "list");
  const std::string title = markup_escaped(fmt::format("p2mpp eval: {}", list.filename().string()));
  const std::string text = script_json(data);
  return fill_page(
      embedded::evaluation_page,
      {{"title", title}, {"style", embedded::style}, {"data", text}, {"script", embedded::evaluation_script}});
}

}  // namespace p2mpp
