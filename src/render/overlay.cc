#include "render/overlay.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <numeric>

#include "geometry/cameras/pinhole.h"
#include "image/brightness.h"
#include "image/mask_facts.h"
#include "image/resize.h"
#include "image/viewpoint.h"
#include "render/panels.h"
#include "render/picture.h"

namespace p2mpp {
namespace {

constexpr std::size_t kCompared = static_cast<std::size_t>(kImageSize);
constexpr int kSamples = 4;
constexpr std::array<float, 3> kCoverColour = {255, 110, 20};  ///< sRGB
constexpr std::array<float, 3> kOutline = {200, 30, 20};       ///< sRGB
constexpr float kFillAlpha = 0.45F;

/// The outline's share of a pixel: the range of the coverage in its 3x3 neighbourhood.
float outline_at(const SilhouetteImage& silhouette, std::size_t row, std::size_t column) {
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

/// Pixels of a view at which its photograph is unknown, as beyond its border: they count neither for nor against a
/// mesh.
std::vector<bool> unknown_pixels(const Sample& sample, const View& view) {
  std::vector<bool> unknown(kCompared * kCompared);
  const auto mask = std::ranges::find_if(
      sample.fit_masks, [&](const FitMask& each) { return each.name == view.name && !each.unknown.empty(); });
  if (view.name.empty() || mask == sample.fit_masks.end()) return unknown;
  const Intrinsics &from = view.camera.intrinsics, &to = mask->camera.intrinsics;
  const Eigen::Matrix3d turn = mask->camera.rotation * view.camera.rotation.transpose();
  const auto cell = [](double pixel, int size) {  // beyond the mask's square, as at its border
    return static_cast<std::size_t>(std::clamp(pixel * size / kImageSize, 0.0, size - 1.0));
  };
  for (std::size_t i = 0; i < unknown.size(); ++i) {
    const Eigen::Vector2d at = pixel_centre<double>(i, kCompared);
    const Eigen::Vector3d seen = turn * Eigen::Vector3d((at.x() - from.cx) / from.fx, (from.cy - at.y()) / from.fy, -1);
    if (seen.z() >= 0) continue;
    const std::size_t x = cell(to.cx - to.fx * seen.x() / seen.z(), mask->width);
    const std::size_t y = cell(to.cy + to.fy * seen.y() / seen.z(), mask->height);
    unknown[i] = mask->unknown[y * static_cast<std::size_t>(mask->width) + x] != 0;
  }
  return unknown;
}

Image draw_panel(const Image& image, const SilhouetteImage& mesh) {
  const int side = static_cast<int>(mesh.side);
  Image panel = on_white(resize_triangle(image, side, side));
  for (std::size_t row = 0; row < mesh.side; ++row) {
    for (std::size_t column = 0; column < mesh.side; ++column) {
      const std::size_t index = row * mesh.side + column;
      blend(kCoverColour, kFillAlpha * mesh.cover[index], &panel.rgba[4 * index]);
      blend(kOutline, outline_at(mesh, row, column), &panel.rgba[4 * index]);
    }
  }
  return panel;
}

constexpr double kMuchLarger = 2;  ///< of two areas

/// A common mistake and its symptom.
struct Diagnosis {
  bool applies;
  const char* hint;
};

bool is_low(const ViewOverlap& overlap) { return overlap.iou < kLowOverlap; }

bool has_small_angles(const View& view) {
  if (!view.row) return false;
  constexpr float kTurn = 2 * std::numbers::pi_v<float>;
  return std::abs(view.row->azimuth_deg) <= kTurn && std::abs(view.row->elevation_deg) <= kTurn / 4;
}

// As the image shows it: a longer focal length brings an object nearer.
bool has_usual_distance(const View& view) {
  constexpr double kNearest = 0.4, kFarthest = 1.5;  // the range of the training images, with a margin
  const double distance = find_viewpoint(view).distance * kFocalLength / view.camera.intrinsics.fy;
  return distance >= kNearest && distance <= kFarthest;
}

bool all_cameras(const Sample& sample, bool (*fits)(const View&)) { return std::ranges::all_of(sample.views, fits); }

}  // namespace

double SilhouetteImage::area() const {
  return std::accumulate(cover.begin(), cover.end(), 0.0) / static_cast<double>(cover.size());
}

SilhouetteImage project_silhouette(const RayScene& scene, const TriangleMesh& mesh, const PictureCamera& camera,
                                   std::size_t side, int samples) {
  const int pixels = static_cast<int>(side);
  const PixelSamples pixel_samples(pixels, pixels, samples, mesh.vertices, point_radius(mesh), camera);
  SilhouetteImage silhouette{side, std::vector<float>(side * side)};
  std::vector<Ray> rays;
  std::vector<RayHit> hits;
  for (int row = 0; row < pixels; ++row) {
    pixel_samples.cast_row(row, rays);
    hits.resize(rays.size());
    scene.intersect(rays, hits);
    for (int column = 0; column < pixels; ++column) {
      const auto [first, count] = pixel_samples.pixel_rays(row, column);
      const auto begin = hits.begin() + static_cast<std::ptrdiff_t>(first);
      const auto covered =
          std::count_if(begin, begin + static_cast<std::ptrdiff_t>(count), [](const RayHit& hit) { return hit.hit(); });
      silhouette.cover[static_cast<std::size_t>(row) * side + static_cast<std::size_t>(column)] =
          static_cast<float>(covered) / static_cast<float>(samples);
    }
  }
  return silhouette;
}

SilhouetteImage image_silhouette(const Image& image, std::size_t side) {
  Image mask{image.width, image.height, std::vector<std::uint8_t>(image.rgba.size())};
  const bool by_alpha = !is_opaque(image);
  for (std::size_t i = 0; i < image.rgba.size(); i += 4) {
    const bool is_white = std::min({image.rgba[i], image.rgba[i + 1], image.rgba[i + 2]}) >= kNotWhite;
    mask.rgba[i + 3] = by_alpha ? image.rgba[i + 3] : is_white ? 0 : 255;
  }
  const Image square = resize_triangle(mask, static_cast<int>(side), static_cast<int>(side));
  SilhouetteImage silhouette{side, {}};
  for (std::size_t i = 3; i < square.rgba.size(); i += 4) {
    silhouette.cover.push_back(static_cast<float>(square.rgba[i]) / 255);
  }
  return silhouette;
}

double intersection_over_union(const SilhouetteImage& a, const SilhouetteImage& b) {
  std::size_t both = 0, either = 0;
  for (std::size_t i = 0; i < a.cover.size(); ++i) {
    const bool in_a = a.cover[i] >= 0.5F, in_b = b.cover[i] >= 0.5F;
    both += in_a && in_b;
    either += in_a || in_b;
  }
  return either == 0 ? 1 : static_cast<double>(both) / static_cast<double>(either);
}

Overlay overlay(const TriangleMesh& mesh, const Sample& sample, int side) {
  require_drawing();
  check_drawable(mesh);
  const RayScene scene(mesh, point_radius(mesh));
  Overlay result;
  for (const View& view : sample.views) {
    const PictureCamera camera = view_camera(view.camera);
    SilhouetteImage seen = project_silhouette(scene, mesh, camera, kCompared, kSamples);
    SilhouetteImage given = image_silhouette(view.image, kCompared);
    const std::vector<bool> unknown = unknown_pixels(sample, view);
    for (std::size_t i = 0; i < unknown.size(); ++i) {
      if (unknown[i]) seen.cover[i] = given.cover[i] = 0;
    }
    result.overlaps.push_back({intersection_over_union(seen, given), seen.area(), given.area()});
    result.panels.push_back(
        draw_panel(view.image, project_silhouette(scene, mesh, camera, static_cast<std::size_t>(side), kSamples)));
  }
  return result;
}

std::vector<Image> labelled_panels(const Overlay& overlay, const Sample& sample, const std::string& which) {
  std::vector<Image> panels = overlay.panels;
  for (std::size_t i = 0; i < panels.size(); ++i) {
    const std::string& name = sample.views[i].name;
    draw_label(panels[i], fmt::format("{} {}{}IoU {:.2f}", name.empty() ? fmt::format("view {}", i + 1) : name, which,
                                      which.empty() ? "" : " ", overlay.overlaps[i].iou));
  }
  return panels;
}

std::string overlap_hint(const Sample& sample, const std::vector<ViewOverlap>& overlaps) {
  if (std::ranges::none_of(overlaps, is_low)) return {};
  const std::array<Diagnosis, 7> diagnoses = {{
      {std::ranges::all_of(overlaps, [](const ViewOverlap& o) { return o.image_area == 0; }),
       "the images show no object; expected one on a white or transparent background"},
      {std::ranges::any_of(overlaps, [](const ViewOverlap& o) { return o.image_area > kFullImage; }),
       "an image shows no background; expected one object on a white or transparent background"},
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
