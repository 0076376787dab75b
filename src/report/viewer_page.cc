#include "report/viewer_page.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "base/json_text.h"
#include "base/text.h"
#include "colours/mesh_colours.h"
#include "fit/self_intersections.h"
#include "geometry/edge_uses.h"
#include "image/resize.h"
#include "image/viewpoint.h"
#include "p2mpp/error.h"
#include "p2mpp/mesh_texture.h"
#include "p2mpp/metrics.h"
#include "render/panels.h"
#include "render/picture.h"
#include "report/page.h"

namespace p2mpp {
namespace {
std::vector<float> distances(const Points& from, const Points& to) {
  std::vector<float> result;
  for (const double squared : nearest_neighbours(from, to).squared_distances) {
    result.push_back(static_cast<float>(std::sqrt(squared)));
  }
  return result;
}

/// The upper end of the colour scale: the 95th percentile, so that a few outliers do not make all other points look
/// perfect.
float largest_distance(std::vector<float> values) {
  const auto rank = values.begin() + static_cast<std::ptrdiff_t>(0.95 * static_cast<double>(values.size() - 1));
  std::ranges::nth_element(values, rank);
  return std::max(*rank, 1e-6F);
}

Json surface_json(const ViewerSurface& surface, const Points& truth) {
  check_drawable(surface.mesh);
  if (surface.mesh.triangles.empty()) throw InputError("has no triangle; expected a mesh to view");
  const TriangleMesh mesh{surface.mesh.vertices, wound_for_display(surface.mesh)};
  Json json = {{"name", surface.name},
               {"vertices", encode_base64(mesh.vertices)},
               {"normals", encode_base64(vertex_cloud(mesh).normals)},
               {"triangles", encode_base64(mesh.triangles)}};
  const SelfIntersections intersections = find_self_intersections(mesh.vertices, mesh.triangles);
  json["intersecting"] = encode_base64(intersections.triangles);
  if (!intersections.is_complete) json["more_intersect"] = true;
  if (has_texture(surface.mesh)) {
    json["corners"] = encode_base64(texture_corners(surface.mesh, mesh.triangles));
    json["texture"] = data_uri(surface.mesh.texture->image);
  } else if (has_colours(surface.mesh)) {
    json["colours"] = encode_base64(surface.mesh.colours);
  }
  if (!truth.empty()) json["distances"] = encode_base64(distances(mesh.vertices, truth));
  return json;
}

Json view_json(const ViewerView& view) {
  Json json = {{"image", data_uri(view.image)},
               {"caption", view.caption},
               {"position", {view.position.x(), view.position.y(), view.position.z()}}};
  if (view.overlay) json["overlay"] = data_uri(*view.overlay);
  return json;
}

Json scene_json(const ViewerScene& scene) {
  Json json = {{"subtitle", scene.subtitle}, {"facts", Json::array()}, {"upright", scene.upright}};
  for (const auto& [name, value] : scene.facts) json["facts"].push_back({name, value});
  json["start"] = {scene.start.x(), scene.start.y(), scene.start.z()};
  if (scene.source_scale) json["source_scale"] = *scene.source_scale;
  json["surfaces"] = Json::array();
  for (const ViewerSurface& surface : scene.surfaces) json["surfaces"].push_back(surface_json(surface, scene.truth));
  json["views"] = Json::array();
  for (const ViewerView& view : scene.views) json["views"].push_back(view_json(view));
  json["truth"] = nullptr;
  if (scene.truth.empty()) return json;
  const Points& finest = scene.surfaces.back().mesh.vertices;
  const std::vector<float> from_truth = distances(scene.truth, finest);
  json["truth"] = {{"points", encode_base64(scene.truth)}, {"distances", encode_base64(from_truth)}};
  std::vector<float> all = distances(finest, scene.truth);
  all.insert(all.end(), from_truth.begin(), from_truth.end());
  json["largest_distance"] = largest_distance(std::move(all));
  return json;
}

}  // namespace

ViewerView viewer_view(const View& view, std::size_t number) {
  const Viewpoint viewpoint = find_viewpoint(view);
  return {.image = on_white(resize_triangle(view.image, kViewSide, kViewSide)),
          .overlay = {},
          .position = view.camera.origin,
          .caption = fmt::format("view {}: azimuth {:.1f}, elevation {:.1f}, distance {:.3f}", number,
                                 viewpoint.azimuth_deg, viewpoint.elevation_deg, viewpoint.distance)};
}

void require_viewer() {
  if (!embedded::three.empty()) return;
  throw Error(
      "this build has no 3D viewer: three.js was not found when it was configured; install libjs-three, then configure "
      "and build again");
}

std::string viewer_page(const ViewerScene& scene) {
  require_viewer();
  const std::string title = markup_escaped(scene.title), data = script_json(scene_json(scene));
  return fill_page(embedded::viewer_page, {{"title", title},
                                           {"style", embedded::style},
                                           {"data", data},
                                           {"three_licence", embedded::three_licence},
                                           {"three", embedded::three},
                                           {"orbit_controls", embedded::orbit_controls},
                                           {"scene", embedded::viewer_scene},
                                           {"glb", embedded::viewer_glb},
                                           {"script", embedded::viewer_script}});
}

}  // namespace p2mpp
