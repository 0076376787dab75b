#include "report/sample_pictures.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "base/atomic_file.h"
#include "base/environment.h"
#include "base/json_text.h"
#include "geometry/foreign/placed_points.h"
#include "image/resize.h"
#include "io/image/png_file.h"
#include "io/mesh/mesh_file.h"
#include "p2mpp/error.h"
#include "render/panels.h"
#include "render/picture.h"

namespace p2mpp {
namespace {
constexpr int kPanelSide = 448;  ///< pixels of a view's panel: twice the network's
constexpr int kPanelGap = 8;     ///< pixels

// From the first view's direction.
PictureCamera preview_camera(const TriangleMesh& mesh, const Sample& sample) {
  return framing_camera(mesh.vertices, frame_view(sample.views.front()), 1);
}

ViewerView viewer_view(const Sample& sample, std::size_t index, const std::optional<Overlay>& overlay) {
  ViewerView result = viewer_view(sample.views[index], index + 1);
  if (overlay) {
    result.overlay = resize_triangle(overlay->panels[index], kViewSide, kViewSide);
    result.caption += fmt::format(", silhouette IoU {:.2f}", overlay->overlaps[index].iou);
  }
  return result;
}

// The cameras of a capture have a unit. Camera rows have the world's unit, which has no meaning to the user.
std::optional<double> source_scale(const Sample& sample) {
  const Similarity& source = sample.source_from_world;
  const bool is_world = source.scale == 1 && source.rotation.isIdentity() && source.translation.isZero();
  return is_world ? std::nullopt : std::optional(source.scale);
}

ViewerScene viewer_scene(const Sample& sample, const std::string& name, SampleMeshes meshes,
                         const std::optional<Overlay>& overlay) {
  ViewerScene scene{.title = name,
                    .subtitle = fmt::format("{} input views", sample.views.size()),
                    .facts = std::move(meshes.facts),
                    .surfaces = std::move(meshes.surfaces),
                    .truth = std::move(meshes.truth),
                    .views = {},
                    .source_scale = source_scale(sample)};
  for (std::size_t i = 0; i < sample.views.size(); ++i) scene.views.push_back(viewer_view(sample, i, overlay));
  scene.start = sample.views.front().camera.origin.cast<float>();
  return scene;
}

std::filesystem::path write_picture(const std::filesystem::path& path, const Image& image) {
  write_file_atomically(path, encode_png(image));
  return path;
}

// A row of panels; two if the mesh was fitted, before and after.
Image overlay_picture(const Overlay& over, const SampleMeshes& meshes, const Sample& sample, SamplePictures& pictures) {
  if (!meshes.is_fitted) return side_by_side(labelled_panels(over, sample), kPanelGap);
  const auto unfitted = std::ranges::find(meshes.surfaces, "refined", &ViewerSurface::name);
  const Overlay before = overlay(unfitted->mesh, sample, kPanelSide);
  pictures.before = before.overlaps;
  return stacked(side_by_side(labelled_panels(before, sample, "unfitted"), kPanelGap),
                 side_by_side(labelled_panels(over, sample, "fitted"), kPanelGap), kPanelGap);
}

std::string list_figures(const std::vector<ViewOverlap>& overlaps) {
  std::string text;
  for (const ViewOverlap& overlap : overlaps) text += fmt::format(" {:.2f}", overlap.iou);
  return text;
}

std::string silhouettes(const SamplePictures& pictures) {
  if (pictures.before.empty()) return "silhouette IoU:" + list_figures(pictures.overlaps);
  return fmt::format("silhouette IoU:{}, before the fit:{}", list_figures(pictures.overlaps),
                     list_figures(pictures.before));
}

Json to_json(const std::vector<ViewOverlap>& overlaps) {
  Json json = Json::array();
  for (const ViewOverlap& overlap : overlaps) {
    json.push_back({{"iou", overlap.iou}, {"mesh_area", overlap.mesh_area}, {"image_area", overlap.image_area}});
  }
  return json;
}

std::vector<std::pair<std::string, std::string>> viewer_facts(const Engine& engine) {
  const ModelInfo& model = engine.model();
  return {{"model", fmt::format("{} ({})", model.name, to_string(model.semantics))},
          {"weights", model.weights_from},
          {"computed by", fmt::format("{} {} on {}", engine.backend(), to_string(engine.precision()),
                                      to_string(engine.device().device))},
          {"p2mpp", std::string(p2mpp_version())}};
}

// In the world, as they follow each other; the last is the result.
std::vector<ViewerSurface> list_surfaces(const Job& job) {
  const auto in_world = [&job](const TriangleMesh& mesh) { return in_frame(mesh, job.sample, Frame::kWorld); };
  std::vector<ViewerSurface> surfaces;
  for (const TriangleMesh& mesh : job.coarse) {
    surfaces.push_back({fmt::format("coarse {}", surfaces.size() + 1), in_world(mesh)});
  }
  if (job.sample.initial_mesh) surfaces.push_back({"initial", *job.sample.initial_mesh});
  for (const NamedMesh& made : job.meshes) surfaces.push_back({made.name, made.in(Frame::kWorld, job.sample)});
  return surfaces;
}

}  // namespace

void check(const SamplePictureOptions& options) {
  if (!options.truth.empty() && !options.view) throw UsageError("--truth: needs --view, which shows it");
  if (options.preview || options.overlay) require_drawing();
  if (options.view) require_viewer();
}

Points read_truth(const SamplePictureOptions& options) {
  if (options.truth.empty()) return {};
  TriangleMesh truth = read_mesh(options.truth);
  set_origin(truth, Eigen::Vector3d::Zero());
  return std::move(truth.vertices);
}

SampleMeshes list_meshes(const Engine& engine, const Job& job) {
  SampleMeshes meshes{.surfaces = list_surfaces(job), .truth = {}, .facts = viewer_facts(engine)};
  meshes.is_fitted = job.result.fit.has_value();
  return meshes;
}

SamplePictures write_sample_pictures(const SamplePictureOptions& options, const std::filesystem::path& folder,
                                     const std::string& name, const Sample& sample, SampleMeshes meshes, int threads) {
  SamplePictures pictures;
  const TriangleMesh& mesh = meshes.surfaces.back().mesh;
  const auto path = [&](const char* ending) { return folder / (name + ending); };
  std::optional<Overlay> over;
  if (options.overlay || (options.view && can_draw())) over = overlay(mesh, sample, kPanelSide);
  if (options.overlay) {
    pictures.overlay = write_picture(path("_overlay.png"), overlay_picture(*over, meshes, sample, pictures));
    pictures.overlaps = over->overlaps;
    pictures.hint = overlap_hint(sample, over->overlaps);
  }
  if (options.preview) {
    const MeshPainter painter(mesh, {.threads = threads});
    pictures.preview = write_picture(path("_preview.png"), painter.paint(preview_camera(mesh, sample)));
  }
  if (options.view) {
    pictures.view = path("_view.html");
    write_file_atomically(*pictures.view, viewer_page(viewer_scene(sample, name, std::move(meshes), over)));
  }
  return pictures;
}

std::string picture_lines(const SamplePictures& pictures) {
  std::string text;
  if (pictures.preview) text += fmt::format("{}\n", pictures.preview->string());
  if (pictures.overlay) text += fmt::format("{}: {}\n", pictures.overlay->string(), silhouettes(pictures));
  if (pictures.view) text += fmt::format("{}\n", pictures.view->string());
  return text;
}

Json to_json(const SamplePictures& pictures) {
  Json json = Json::object();
  if (pictures.preview) json["preview"] = pictures.preview->string();
  if (pictures.view) json["view"] = pictures.view->string();
  if (!pictures.overlay) return json;
  json["overlay"] = pictures.overlay->string();
  json["silhouettes"] = to_json(pictures.overlaps);
  if (!pictures.before.empty()) json["silhouettes_before_fit"] = to_json(pictures.before);
  json["hint"] = pictures.hint;
  return json;
}

}  // namespace p2mpp
