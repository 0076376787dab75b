#include "texture/face_views.h"

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <optional>

namespace p2mpp {
namespace {

constexpr float kLeastCosine = 0.17F;      ///< of the angle of view: 80 degrees
constexpr float kLeastOuterCosine = 0.5F;  ///< the same at the outline of a mask, where background may be
constexpr float kWeakShare = 0.05F;        ///< of the quality of what is less than that
constexpr float kInward = 0.1F;            ///< from a corner to the middle, where rays begin
constexpr float kLift = 0.01F;             ///< of the mean edge, above the surface
constexpr std::size_t kBlock = 2048;       ///< triangles whose rays are traced together

/// Places within a triangle: weights of its corners. The first four are those that must be visible.
const std::array<Eigen::Vector3f, 7> kPlaces{{{0.9F, 0.05F, 0.05F},
                                              {0.05F, 0.9F, 0.05F},
                                              {0.05F, 0.05F, 0.9F},
                                              {1 / 3.0F, 1 / 3.0F, 1 / 3.0F},
                                              {0.45F, 0.45F, 0.1F},
                                              {0.1F, 0.45F, 0.45F},
                                              {0.45F, 0.1F, 0.45F}}};
constexpr std::size_t kRaysPerFace = 4;

std::array<std::uint16_t, 3> rounded(const Eigen::Vector3f& colour) {
  std::array<std::uint16_t, 3> result{};
  for (std::size_t i = 0; i < 3; ++i) {
    const float value = std::clamp(colour[static_cast<int>(i)], 0.0F, 1.0F);
    result[i] = static_cast<std::uint16_t>(std::lround(65535 * value));
  }
  return result;
}

/// What a photograph is worth for a triangle. The one that looks straight at it stretches it least, and errors of the
/// surface move it least. Resolution counts little, as the root of the pixels along an edge: with more, photographs
/// that were left out agreed less with the texture (bench/TEXTURE.md).
float view_quality(float pixels, float cosine) { return std::sqrt(std::sqrt(pixels)) * std::pow(cosine, 4.0F); }

/// How a view shows a triangle if nothing is before it.
std::optional<FaceView> face_in_view(const PaintedSurface& surface, std::size_t face, const TextureView& view) {
  const Eigen::Vector3f to_camera = (view.centre() - surface.middle(face).cast<double>()).normalized().cast<float>();
  const float cosine = surface.normals[face].dot(to_camera);
  if (!(cosine > kLeastCosine)) return std::nullopt;
  std::array<Eigen::Vector2f, 3> corners;
  for (std::size_t i = 0; i < 3; ++i) {
    const auto pixel = view.pixel_of(surface.corner(face, i).cast<double>());
    if (!pixel) return std::nullopt;
    corners[i] = *pixel;
  }
  Eigen::Vector3f sum = Eigen::Vector3f::Zero();
  bool is_inner = true;
  for (const Eigen::Vector3f& weights : kPlaces) {
    const SeenColour seen = view.at(weights[0] * corners[0] + weights[1] * corners[1] + weights[2] * corners[2]);
    if (!seen.is_valid) return std::nullopt;
    is_inner = is_inner && seen.is_inner;
    sum += seen.colour;
  }
  const Eigen::Vector2f b = corners[1] - corners[0], c = corners[2] - corners[0];
  const auto factor = static_cast<float>(view.factor());
  const float pixels = factor * factor * std::abs(b.x() * c.y() - b.y() * c.x()) / 2;
  if (!(pixels > 0)) return std::nullopt;
  const bool is_weak = !is_inner && cosine < kLeastOuterCosine;
  return FaceView{.view = 0,
                  .colour = rounded(sum / kPlaces.size()),
                  .quality = view_quality(pixels, cosine) * (is_weak ? kWeakShare : 1),
                  .is_weak = is_weak};
}

void append_rays(const PaintedSurface& surface, std::size_t face, const Eigen::Vector3d& camera,
                 std::vector<Ray>& rays) {
  const float edges = (surface.corner(face, 1) - surface.corner(face, 0)).norm() +
                      (surface.corner(face, 2) - surface.corner(face, 1)).norm() +
                      (surface.corner(face, 0) - surface.corner(face, 2)).norm();
  const Eigen::Vector3f lift = kLift * edges / 3 * surface.normals[face], middle = surface.middle(face);
  for (std::size_t i = 0; i < kRaysPerFace; ++i) {
    const Eigen::Vector3f place = i < 3 ? ((1 - kInward) * surface.corner(face, i) + kInward * middle).eval() : middle;
    const Eigen::Vector3f from = place + lift;
    rays.push_back({from, (camera - from.cast<double>()).cast<float>(), 1});
  }
}

}  // namespace

void FaceViews::add(std::size_t face, const FaceView& view) {
  FaceView* const first = &views_[kMostFaceViews * face];
  std::uint8_t& count = counts_[face];
  std::size_t place = count;
  while (place > 0 && first[place - 1].quality < view.quality) --place;
  if (place == kMostFaceViews) return;
  if (count < kMostFaceViews) ++count;
  for (std::size_t i = count - 1U; i > place; --i) first[i] = first[i - 1];
  first[place] = view;
}

void leave_out_weak(FaceViews& views) {
  for (std::size_t face = 0; face < views.size(); ++face) {
    if (!std::ranges::all_of(views.of(face), &FaceView::is_weak)) continue;
    for (FaceView& view : views.of(face)) view.quality = 0;
  }
}

std::vector<SeenFace> seen_faces(const PaintedSurface& surface, const RayScene& scene, const TextureView& view,
                                 std::uint16_t number) {
  std::vector<SeenFace> seen;
  std::vector<Ray> rays;
  std::vector<std::uint8_t> blocked;
  std::size_t visible = 0;  // of the first in `seen`; rays are of the others
  const auto keep_visible = [&] {
    blocked.resize(rays.size());
    scene.find_blocked(rays, blocked);
    const std::size_t first = visible;
    for (std::size_t i = 0; first + i < seen.size(); ++i) {
      const auto begin = blocked.begin() + static_cast<std::ptrdiff_t>(kRaysPerFace * i), end = begin + kRaysPerFace;
      if (std::find(begin, end, 1) == end) seen[visible++] = seen[first + i];
    }
    seen.resize(visible);
    rays.clear();
  };
  for (std::size_t face = 0; face < surface.triangles.size(); ++face) {
    std::optional<FaceView> found = face_in_view(surface, face, view);
    if (!found) continue;
    found->view = number;
    seen.push_back({static_cast<std::uint32_t>(face), *found});
    append_rays(surface, face, view.centre(), rays);
    if (rays.size() == kBlock * kRaysPerFace) keep_visible();
  }
  keep_visible();
  return seen;
}

}  // namespace p2mpp
