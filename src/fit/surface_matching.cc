#include <Eigen/Geometry>
#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <limits>
#include <optional>
#include <utility>

#include "base/parallel.h"
#include "fit/fit_forces.h"
#include "fit/mesh_silhouette.h"

namespace p2mpp {
namespace {

constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
constexpr int kPatchReach = 3;  ///< samples from a patch's middle to its side
constexpr std::size_t kPatchSide = 2 * kPatchReach + 1;
constexpr std::size_t kPatch = kPatchSide * kPatchSide;
constexpr int kDepths = 8;                     ///< places along the normal, to either side; even
constexpr float kDepthStep = 0.75F;            ///< pixels between them; samples of a patch are one pixel apart
constexpr std::ptrdiff_t kFewestPictures = 8;  ///< 5 make CD and normals worse: too few see a vertex from the front
constexpr std::size_t kFewestViews = 3;        ///< that see a vertex: two agree by chance
constexpr std::size_t kMostViews = 4;          ///< of them, those that see it best
constexpr float kLeastFacing = 0.4F;           ///< cosine between normal and view
constexpr float kLeastContrast = 2;            ///< of a patch, standard deviation of its brightness
constexpr float kLeastAgreement = 0.75F;       ///< correlation of patches
constexpr float kLeastMore = 0.1F;             ///< of it, for a vertex to move
constexpr float kHidden = 0.01F;               ///< of the distance from the camera, behind the nearest surface

using MatchPatch = std::array<float, kPatch>;

/// Where a patch's samples are, in steps from its middle.
struct PatchGrid {
  MatchPatch across{}, along{};
};

constexpr PatchGrid kGrid = [] {
  PatchGrid grid;
  for (std::size_t i = 0; i < kPatch; ++i) {
    grid.across[i] = static_cast<float>(i % kPatchSide) - kPatchReach;
    grid.along[i] = static_cast<float>(i / kPatchSide) - kPatchReach;
  }
  return grid;
}();

/// A view with brightness, and the depths of the surface in it.
class MatchedView {
 public:
  MatchedView(const FitTarget& target, const MaskProjection& projection, const FitSurface& surface)
      : target_(target),
        size_(target.view.width),
        camera_(target.view.float_camera()),
        projected_(projection.projected) {
    draw_depths(surface);
  }

  /// The cosine between a normal and the way to the camera; negative if the vertex is hidden or not in the picture.
  [[nodiscard]] float facing(std::size_t vertex, const Eigen::Vector3f& position, const Eigen::Vector3f& normal) const {
    const float cosine = (camera_.centre - position).normalized().dot(normal);
    if (!(cosine >= kLeastFacing)) return -1;
    const Eigen::Vector2f& pixel = projected_.pixels[vertex];
    const auto limit = static_cast<float>(size_ - 1);
    if (!(pixel.x() >= 1 && pixel.y() >= 1 && pixel.x() < limit && pixel.y() < limit)) return -1;
    const int column = static_cast<int>(pixel.x() - 0.5F), row = static_cast<int>(pixel.y() - 0.5F);
    float farthest = 0;
    for (int k = 0; k < 4; ++k) farthest = std::max(farthest, depths_[index(row + k / 2, column + k % 2)]);
    return depth_of(vertex) > (1 + kHidden) * farthest ? -1 : cosine;
  }

  [[nodiscard]] float depth_of(std::size_t vertex) const { return projected_.in_camera[vertex].z(); }
  /// A pixel's width at a vertex.
  [[nodiscard]] float pixel_at(std::size_t vertex) const { return depth_of(vertex) / camera_.focal.x(); }

  /// Brightness around a point at steps along `right` and `down`, of mean 0 and length 1. False if it has too little
  /// contrast or is not all the object's.
  [[nodiscard]] bool read(const Eigen::Vector3f& point, const Eigen::Vector3f& right, const Eigen::Vector3f& down,
                          MatchPatch& patch) const {
    const Eigen::Vector3f middle = camera_.rotation * (point - camera_.centre);
    const Eigen::Vector3f across = camera_.rotation * right, along = camera_.rotation * down;
    MatchPatch columns, rows;  // in pixels, of the samples
    for (std::size_t i = 0; i < kPatch; ++i) {
      const float x = middle.x() + kGrid.across[i] * across.x() + kGrid.along[i] * along.x();
      const float y = middle.y() + kGrid.across[i] * across.y() + kGrid.along[i] * along.y();
      const float nearness = 1 / (middle.z() + kGrid.across[i] * across.z() + kGrid.along[i] * along.z());
      columns[i] = camera_.focal.x() * x * nearness + camera_.principal_point.x() - 0.5F;
      rows[i] = camera_.principal_point.y() - 0.5F + camera_.focal.y() * y * nearness;
    }
    const auto limit = static_cast<float>(size_ - 1);
    int outside = 0;  // a sum, without branches: it is vectorised
    for (std::size_t i = 0; i < kPatch; ++i) {
      outside += !(columns[i] >= 0) + !(rows[i] >= 0) + !(columns[i] < limit) + !(rows[i] < limit);
    }
    if (outside > 0) return false;
    float sum = 0, squares = 0;
    for (std::size_t i = 0; i < kPatch; ++i) sum += patch[i] = brightness(columns[i], rows[i]);
    const float mean = sum / static_cast<float>(kPatch);
    for (float& value : patch) {
      value -= mean;
      squares += value * value;
    }
    if (!(squares > kLeastContrast * kLeastContrast * static_cast<float>(kPatch))) return false;  // or not a number
    const float length = std::sqrt(squares);
    for (float& value : patch) value /= length;
    return true;
  }

 private:
  [[nodiscard]] std::size_t index(int row, int column) const {
    return static_cast<std::size_t>(row) * static_cast<std::size_t>(size_) + static_cast<std::size_t>(column);
  }

  /// Between four pixels. Precondition: they are in the picture.
  [[nodiscard]] float brightness(float x, float y) const {
    const int column = static_cast<int>(x), row = static_cast<int>(y);
    const float right = x - static_cast<float>(column), down = y - static_cast<float>(row);
    const float* upper = &target_.brightness[index(row, column)];
    const float* lower = upper + size_;
    const float above = upper[0] + right * (upper[1] - upper[0]), below = lower[0] + right * (lower[1] - lower[0]);
    return above + down * (below - above);
  }

  void draw_depths(const FitSurface& surface) {
    depths_.assign(target_.brightness.size(), std::numeric_limits<float>::infinity());
    for (const Triangle& triangle : surface.triangles()) draw_depths(triangle);
  }

  void draw_depths(const Triangle& triangle) {
    std::array<Eigen::Vector2f, 3> corners;
    std::array<float, 3> depths{};
    for (std::size_t k = 0; k < 3; ++k) {
      const auto vertex = static_cast<std::size_t>(triangle[k]);
      corners[k] = projected_.pixels[vertex];
      depths[k] = depth_of(vertex);
    }
    for_each_pixel(corners, depths, size_,
                   [&](std::size_t pixel, float depth) { depths_[pixel] = std::min(depths_[pixel], depth); });
  }

  const FitTarget& target_;
  int size_;
  const Pinhole<float>& camera_;
  const ProjectedVertices& projected_;
  std::vector<float> depths_;  // [size, size], of the nearest surface; infinity where there is none
};

/// The agreement of the pictures at each place along a normal: the mean correlation with the first picture. NaN where
/// one of the pictures shows too little.
class Agreement {
 public:
  Agreement(std::span<const MatchedView* const> pictures, const Eigen::Vector3f& position,
            const Eigen::Vector3f& normal, float pixel)
      : pictures_(pictures), position_(position), normal_(normal), pixel_(pixel) {
    right_ = pixel * normal.unitOrthogonal();
    down_ = normal.cross(right_);
  }

  [[nodiscard]] float at(int place) const {
    const Eigen::Vector3f point = position_ + static_cast<float>(place) * kDepthStep * pixel_ * normal_;
    MatchPatch first, other;
    if (!pictures_.front()->read(point, right_, down_, first)) return kNan;
    float sum = 0;
    for (const MatchedView* picture : pictures_.subspan(1)) {
      if (!picture->read(point, right_, down_, other)) return kNan;
      for (std::size_t i = 0; i < kPatch; ++i) sum += first[i] * other[i];
    }
    return sum / static_cast<float>(pictures_.size() - 1);
  }

 private:
  std::span<const MatchedView* const> pictures_;
  Eigen::Vector3f position_, normal_, right_, down_;
  float pixel_;
};

/// The place of the best agreement, in steps and between steps. NaN if no place is clearly the best. Every second place
/// is looked at, and then both beside the best.
float best_place(const Agreement& agreement) {
  const float here = agreement.at(0);
  if (std::isnan(here)) return kNan;
  std::array<float, 2 * kDepths + 1> found;
  int best = 0;
  float most = here;
  const auto look_at = [&](int place) {
    const float value = place == 0 ? here : agreement.at(place);
    found[static_cast<std::size_t>(place + kDepths)] = value;
    if (!(value > most)) return;
    most = value;
    best = place;
  };
  for (int place = -kDepths; place <= kDepths; place += 2) look_at(place);
  if (std::abs(best) == kDepths) return kNan;
  const int coarse = best;
  look_at(coarse - 1);
  look_at(coarse + 1);
  if (most < kLeastAgreement) return kNan;
  if (best != 0 && most < here + kLeastMore) return kNan;
  const auto middle = static_cast<std::size_t>(best + kDepths);
  const float before = found[middle - 1], after = found[middle + 1], bend = 2 * most - before - after;
  const float shift = bend > 1e-4F ? std::clamp(0.5F * (after - before) / bend, -0.5F, 0.5F) : 0;  // 0 if not a number
  return static_cast<float>(best) + shift;
}

/// The pictures that see a vertex best, best first; empty if there are too few.
std::vector<const MatchedView*> best_pictures(std::span<const std::optional<MatchedView>> pictures, std::size_t vertex,
                                              const Eigen::Vector3f& position, const Eigen::Vector3f& normal) {
  std::vector<std::pair<float, const MatchedView*>> facing;
  for (const std::optional<MatchedView>& picture : pictures) {
    const float cosine = picture->facing(vertex, position, normal);
    if (cosine > 0) facing.emplace_back(cosine, &*picture);
  }
  if (facing.size() < kFewestViews) return {};
  std::ranges::stable_sort(facing, [](const auto& a, const auto& b) { return a.first > b.first; });
  facing.resize(std::min(facing.size(), kMostViews));
  std::vector<const MatchedView*> best;
  for (const auto& [cosine, picture] : facing) best.push_back(picture);
  return best;
}

}  // namespace

bool can_match(std::span<const FitTarget> targets) {
  return std::ranges::count_if(targets, [](const FitTarget& target) { return !target.brightness.empty(); }) >=
         kFewestPictures;
}

std::vector<SurfaceMatch> match_surface(std::span<const FitTarget> targets, std::span<const MaskProjection> projections,
                                        const FitSurface& surface, std::span<const Eigen::Vector3f> vertices,
                                        std::span<const Eigen::Vector3f> normals, int threads) {
  std::vector<std::size_t> shown;
  for (std::size_t i = 0; i < targets.size(); ++i) {
    if (!targets[i].brightness.empty()) shown.push_back(i);
  }
  std::vector<std::optional<MatchedView>> pictures(shown.size());
  for_each_task(shown.size(), threads,
                [&](std::size_t i) { pictures[i].emplace(targets[shown[i]], projections[shown[i]], surface); });
  std::vector<float> distances(vertices.size(), kNan);
  for_each_piece(vertices.size(), threads, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      if (i % 64 == 0) end_if_stopped();
      const std::vector<const MatchedView*> best = best_pictures(pictures, i, vertices[i], normals[i]);
      if (best.empty()) continue;
      const float pixel = best.front()->pixel_at(i);
      distances[i] = best_place(Agreement(best, vertices[i], normals[i], pixel)) * kDepthStep * pixel;
    }
  });
  std::vector<SurfaceMatch> matches;
  for (std::size_t vertex = 0; vertex < distances.size(); ++vertex) {
    if (std::isfinite(distances[vertex])) matches.push_back({static_cast<std::int32_t>(vertex), distances[vertex]});
  }
  return matches;
}

}  // namespace p2mpp
