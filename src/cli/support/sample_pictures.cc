#include "cli/support/sample_pictures.h"

#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include <nlohmann/json.hpp>

#include "base/atomic_file.h"
#include "cli/support/console.h"
#include "cli/support/terminal_preview.h"
#include "geometry/viewpoint.h"
#include "io/image/png_file.h"
#include "io/mesh/mesh_file.h"
#include "p2mpp/error.h"
#include "render/picture.h"
#include "render/resample.h"

namespace p2mpp::cli {
namespace {

using Json = nlohmann::ordered_json;

constexpr int kPanelSide = 448;      ///< pixels of a view's panel: twice the network's
constexpr int kPanelGap = 8;         ///< pixels
constexpr int kThumbnailSide = 224;  ///< pixels of a view beside the 3D view

// From the first view's direction.
PictureCamera preview_camera(const TriangleMesh& mesh, const Sample& sample) {
  return framing_camera(mesh.vertices, framing_of(sample.views.front()), 1);
}

ViewerView viewer_view(const Sample& sample, std::size_t index, const std::optional<Overlay>& overlay) {
  const View& view = sample.views[index];
  const Viewpoint viewpoint = viewpoint_of(view);
  ViewerView result{.image = on_white(resampled(view.image, kThumbnailSide, kThumbnailSide)),
                    .overlay = {},
                    .position = view.camera.origin,
                    .caption = fmt::format("view {}: azimuth {:.1f}, elevation {:.1f}, distance {:.3f}", index + 1,
                                           viewpoint.azimuth_deg, viewpoint.elevation_deg, viewpoint.distance)};
  if (overlay) {
    result.overlay = resampled(overlay->panels[index], kThumbnailSide, kThumbnailSide);
    result.caption += fmt::format(", silhouette IoU {:.2f}", overlay->overlaps[index].iou);
  }
  return result;
}

ViewerScene viewer_scene(const Sample& sample, const std::string& name, SampleMeshes meshes,
                         const std::optional<Overlay>& overlay) {
  ViewerScene scene{.title = name,
                    .subtitle = fmt::format("{} input views", sample.views.size()),
                    .facts = std::move(meshes.facts),
                    .surfaces = std::move(meshes.surfaces),
                    .truth = std::move(meshes.truth),
                    .views = {}};
  for (std::size_t i = 0; i < sample.views.size(); ++i) scene.views.push_back(viewer_view(sample, i, overlay));
  scene.start = sample.views.front().camera.origin.cast<float>();
  return scene;
}

std::filesystem::path write_picture(const std::filesystem::path& path, const Image& image) {
  write_file_atomically(path, encode_png(image));
  return path;
}

std::string silhouettes(const SamplePictures& pictures) {
  std::string text = "silhouette IoU:";
  for (const ViewOverlap& overlap : pictures.overlaps) text += fmt::format(" {:.2f}", overlap.iou);
  return text;
}

}  // namespace

void check(const SamplePictureOptions& options) {
  if (!options.truth.empty() && !options.view) throw UsageError("--truth: needs --view, which shows it");
  if (options.preview || options.overlay || options.terminal) require_drawing();
  if (options.view) require_viewer();
}

Points read_truth(const SamplePictureOptions& options) {
  return options.truth.empty() ? Points() : read_points(options.truth);
}

SamplePictures write_sample_pictures(const SamplePictureOptions& options, const std::filesystem::path& folder,
                                     const std::string& name, const Sample& sample, SampleMeshes meshes, int threads) {
  SamplePictures pictures;
  const TriangleMesh& mesh = meshes.surfaces.back().mesh;
  const auto path = [&](const char* ending) { return folder / (name + ending); };
  std::optional<Overlay> over;
  if (options.overlay || (options.view && can_draw())) over = overlay(mesh, sample, kPanelSide);
  if (options.overlay) {
    pictures.overlay = write_picture(path("_overlay.png"), side_by_side(over->panels, kPanelGap));
    pictures.overlaps = over->overlaps;
    pictures.hint = overlap_hint(sample, over->overlaps);
    if (!pictures.hint.empty())
      spdlog::warn("{}: the mesh does not cover the object in the images: {}", name, pictures.hint);
  }
  if (options.preview) {
    const MeshPainter painter(mesh, {.threads = threads});
    pictures.preview = write_picture(path("_preview.png"), painter.paint(preview_camera(mesh, sample)));
  }
  if (options.terminal) print(terminal_preview(mesh, preview_camera(mesh, sample), true, threads));
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
  json["silhouettes"] = Json::array();
  for (const ViewOverlap& overlap : pictures.overlaps) {
    json["silhouettes"].push_back(
        {{"iou", overlap.iou}, {"mesh_area", overlap.mesh_area}, {"image_area", overlap.image_area}});
  }
  json["hint"] = pictures.hint;
  return json;
}

}  // namespace p2mpp::cli
