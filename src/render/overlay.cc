#include "render/overlay.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

#include "render/mesh_frame.h"
#include "render/picture.h"
#include "render/resample.h"
#include "render/silhouette.h"

namespace p2mpp {
namespace {

constexpr std::size_t kCompared = static_cast<std::size_t>(kImageSize);
constexpr int kSamples = 4;
constexpr std::array<float, 3> kFill = {255, 110, 20};    ///< sRGB
constexpr std::array<float, 3> kOutline = {200, 30, 20};  ///< sRGB
constexpr float kFillAlpha = 0.45F;

/// The outline's share of a pixel: the range of the coverage in its 3x3 neighbourhood.
float outline_at(const Silhouette& silhouette, std::size_t row, std::size_t column) {
  constexpr std::size_t kReach = 1;
  const std::size_t last = silhouette.side - 1;
  float least = 1, most = 0;
  for (std::size_t r = row - std::min(row, kReach); r <= std::min(row + kReach, last); ++r) {
    for (std::size_t c = column - std::min(column, kReach); c <= std::min(column + kReach, last); ++c) {
      const float cover = silhouette.cover[r * silhouette.side + c];
      least = std::min(least, cover);
      most = std::max(most, cover);
    }
  }
  return most - least;
}

void blend(const std::array<float, 3>& colour, float alpha, std::uint8_t* rgba) {
  for (std::size_t i = 0; i < 3; ++i) {
    rgba[i] = static_cast<std::uint8_t>(std::lround(static_cast<float>(rgba[i]) * (1 - alpha) + colour[i] * alpha));
  }
}

Image draw_panel(const Image& image, const Silhouette& mesh) {
  const int side = static_cast<int>(mesh.side);
  Image panel = on_white(resampled(image, side, side));
  for (std::size_t row = 0; row < mesh.side; ++row) {
    for (std::size_t column = 0; column < mesh.side; ++column) {
      const std::size_t index = row * mesh.side + column;
      blend(kFill, kFillAlpha * mesh.cover[index], &panel.rgba[4 * index]);
      blend(kOutline, outline_at(mesh, row, column), &panel.rgba[4 * index]);
    }
  }
  return panel;
}

constexpr double kFullImage = 0.95;  ///< share from which the background is no background
constexpr double kMuchLarger = 2;    ///< of two areas

/// A common mistake and its symptom.
struct Diagnosis {
  bool applies;
  const char* hint;
};

bool is_low(const ViewOverlap& overlap) { return overlap.iou < kLowOverlap; }

bool has_small_angles(const CameraRow& row) {
  constexpr float kTurn = 2 * std::numbers::pi_v<float>;
  return std::abs(row.azimuth_deg) <= kTurn && std::abs(row.elevation_deg) <= kTurn / 4;
}

bool has_usual_distance(const CameraRow& row) {
  constexpr float kNearest = 0.4F, kFarthest = 1.5F;  // the range of the training images, with a margin
  return row.distance >= kNearest && row.distance <= kFarthest;
}

bool all_cameras(const Sample& sample, bool (*fits)(const CameraRow&)) {
  return std::ranges::all_of(sample.views, [&](const View& view) { return fits(view.camera); });
}

}  // namespace

Overlay overlay(const TriangleMesh& mesh, const Sample& sample, int side) {
  require_drawing();
  check_drawable(mesh);
  const RayScene scene(mesh, point_radius(mesh));
  Overlay result;
  for (const View& view : sample.views) {
    const PictureCamera camera = view_camera(view.camera);
    const Silhouette seen = project_silhouette(scene, mesh, camera, kCompared, kSamples);
    const Silhouette given = image_silhouette(view.image, kCompared);
    result.overlaps.push_back({intersection_over_union(seen, given), seen.area(), given.area()});
    result.panels.push_back(
        draw_panel(view.image, project_silhouette(scene, mesh, camera, static_cast<std::size_t>(side), kSamples)));
  }
  return result;
}

std::string overlap_hint(const Sample& sample, const std::vector<ViewOverlap>& overlaps) {
  if (std::ranges::none_of(overlaps, is_low)) return {};
  const std::array<Diagnosis, 7> diagnoses = {{
      {std::ranges::all_of(overlaps, [](const ViewOverlap& o) { return o.image_area == 0; }),
       "no object is seen in the images; expected one on a white or transparent background"},
      {std::ranges::any_of(overlaps, [](const ViewOverlap& o) { return o.image_area > kFullImage; }),
       "an image is full of things; expected one object on a white or transparent background"},
      {all_cameras(sample, has_small_angles), "azimuth and elevation look like radians; expected degrees"},
      {!all_cameras(sample, has_usual_distance),
       "a distance is unusual; expected 0.4 to 1.5, in ShapeNet's unit times 0.57 (the object's bounding box has the "
       "diagonal 0.57)"},
      {std::ranges::all_of(overlaps, [](const ViewOverlap& o) { return o.mesh_area > kMuchLarger * o.image_area; }),
       "the mesh is larger than the object in every view: distances may be too small, or the images show too much "
       "around the object; expected the focal length 248 at 224 pixels"},
      {std::ranges::all_of(overlaps, [](const ViewOverlap& o) { return kMuchLarger * o.mesh_area < o.image_area; }),
       "the mesh is smaller than the object in every view: distances may be too large, or the images are cropped; "
       "expected the focal length 248 at 224 pixels"},
      {!is_low(overlaps.front()),
       "the first view fits and another does not: azimuths may turn the wrong way (expected from x towards z), or the "
       "rows of the cameras may not be in the images' order"},
  }};
  const auto first = std::ranges::find(diagnoses, true, &Diagnosis::applies);
  if (first != diagnoses.end()) return first->hint;
  return "usual reasons are azimuths that turn the wrong way (expected from x towards z, y up), degrees and radians "
         "mixed up, distances in another scale (expected ShapeNet's unit times 0.57), or a model that has not learned "
         "such "
         "objects";
}

}  // namespace p2mpp
