#include "refinement/photo_gradient.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <numeric>
#include <optional>

#include "base/numbers/patch_sums.h"
#include "base/thread_scopes.h"

namespace p2mpp {
namespace {

constexpr std::size_t kPatchReach = 2;  ///< pixels from a patch's middle to its side
constexpr float kFewestPixels = 15;     ///< of 25 that both views show
constexpr float kLeastContrast = 2;     ///< of a patch: standard deviation of its brightness, of 255
constexpr float kLeastFacing = 0.17F;   ///< cosine between the normal and a ray
constexpr float kNoAgreement = 0.3F;    ///< correlation of patches that say nothing
constexpr float kFullAgreement = 0.7F;  ///< of patches that count in full

/// Where the other view sees a pixel's place.
struct Sighting {
  float brightness = 0;
  float change = 0;  ///< of the brightness by a move of the surface along its normal, in the mesh's unit
};

class Comparison {
 public:
  Comparison(const SeenSurface& surface, const SeenView& view, const SeenView& other, float nearest)
      : surface_(surface),
        view_(*view.view),
        raster_(*view.raster),
        other_(*other.view),
        other_raster_(*other.raster),
        nearest_(nearest) {
    turn_ = other_.camera.rotation * view_.camera.rotation.transpose();
    shift_ = other_.camera.translation - turn_ * view_.camera.translation;
  }

  void run(VertexAgreement& agreement) {
    draw_other();
    if (count_ < kFewestPixels) return;
    correlate();
    for (std::size_t i = 0; i < sightings_.size(); ++i) {
      if (is_shown(i)) add(i, agreement);
    }
  }

 private:
  [[nodiscard]] bool is_shown(std::size_t i) const { return !std::isnan(sightings_[i].brightness); }
  [[nodiscard]] std::optional<Sighting> sighting(std::size_t i) const {
    if (raster_.faces[i] < 0 || std::isnan(view_.brightness[i])) return {};
    const Eigen::Vector2f pixel = pixel_centre<float>(i, static_cast<std::size_t>(view_.size));
    const Eigen::Vector3f ray = view_.camera.ray_in_cam(pixel.x(), pixel.y());
    const Eigen::Vector3f seen = turn_ * (ray / raster_.nearness[i]) + shift_;
    if (!(seen.z() > 0)) return {};
    const Eigen::Vector2f at = other_.camera.pixel_of(seen) - Eigen::Vector2f::Constant(0.5F);
    const auto most = static_cast<float>(other_.size - 1);
    if (!(at.x() >= 0 && at.y() >= 0 && at.x() < most && at.y() < most)) return {};
    const auto column = static_cast<std::size_t>(at.x()), row = static_cast<std::size_t>(at.y());
    const auto side = static_cast<std::size_t>(other_.size);
    const std::size_t upper = row * side + column, lower = upper + side;
    float farthest = 0;
    for (const std::size_t k : {upper, upper + 1, lower, lower + 1}) {
      if (other_raster_.faces[k] >= 0) farthest = std::max(farthest, 1 / other_raster_.nearness[k]);
    }
    if (!(seen.z() < farthest + nearest_)) return {};
    const float s = at.x() - static_cast<float>(column), t = at.y() - static_cast<float>(row);
    const std::vector<float>& b = other_.brightness;
    const float above = b[upper] + s * (b[upper + 1] - b[upper]), below = b[lower] + s * (b[lower + 1] - b[lower]);
    const float across = (1 - t) * (b[upper + 1] - b[upper]) + t * (b[lower + 1] - b[lower]), down = below - above;
    const Eigen::Vector3f normal = normal_at(surface_, raster_, i);
    const Eigen::Vector3f way = view_.camera.rotation.transpose() * ray;
    const float along = normal.dot(way);
    if (!(along < -kLeastFacing * way.norm())) return {};
    const Eigen::Vector3f moved = turn_ * ray / along;  // of the place on the ray, by a move along the normal
    const float x = other_.camera.focal.x() * (moved.x() - seen.x() / seen.z() * moved.z()) / seen.z();
    const float y = other_.camera.focal.y() * (moved.y() - seen.y() / seen.z() * moved.z()) / seen.z();
    return Sighting{above + t * down, across * x + down * y};  // or not a number
  }

  void draw_other() {
    sightings_.resize(view_.brightness.size(), {kUnknown, 0});
    const auto side = static_cast<std::size_t>(view_.size);
    for (std::size_t i = 0; i < sightings_.size(); ++i) {
      if (i % (side * 64) == 0) end_if_stopped();
      const std::optional<Sighting> found = sighting(i);
      if (!found || std::isnan(found->brightness)) continue;
      sightings_[i] = *found;
      ++count_;
    }
  }

  /// Sums over a patch: pixels, brightness a and b of both views, their products, the changes of b, and their products.
  static constexpr std::size_t kSums = 9;
  using Planes = std::array<std::vector<float>, kSums>;

  /// Makes the sums over patches, and over the patches that a pixel is part of.
  void correlate() {
    Planes sums;
    for (std::vector<float>& plane : sums) plane.assign(sightings_.size(), 0);
    for (std::vector<float>* plane : {&correlation_, &compared_, &of_view_, &of_other_, &constant_, &steepness_}) {
      plane->assign(sightings_.size(), 0);
    }
    for (std::size_t i = 0; i < sightings_.size(); ++i) {
      if (!is_shown(i)) continue;
      const float a = view_.brightness[i], b = sightings_[i].brightness, change = sightings_[i].change;
      const std::array<float, kSums> terms = {1, a, b, a * a, b * b, a * b, change, change * change, change * b};
      for (std::size_t k = 0; k < terms.size(); ++k) sums[k][i] = terms[k];
    }
    std::vector<float> scratch;
    const auto add_up = [&](std::vector<float>& plane) {
      const auto side = static_cast<std::size_t>(view_.size);
      sum_patches<kPatchReach>(plane, side, side, scratch);
    };
    std::ranges::for_each(sums, add_up);
    for (std::size_t i = 0; i < sightings_.size(); ++i) {
      if (is_shown(i) && sums[0][i] >= kFewestPixels) weigh(i, sums);
    }
    for (std::vector<float>* plane : {&of_view_, &of_other_, &constant_, &steepness_}) add_up(*plane);
  }

  /// What the patch around a pixel says.
  void weigh(std::size_t i, const Planes& sums) {
    const float n = sums[0][i], a = sums[1][i] / n, b = sums[2][i] / n;
    const float aa = sums[3][i] / n - a * a, bb = sums[4][i] / n - b * b, ab = sums[5][i] / n - a * b;
    const float least = std::min(aa, bb);
    if (!(least > kLeastContrast * kLeastContrast)) return;
    const float both = std::sqrt(aa * bb), correlation = ab / both;
    const float contrast = least / (least + kFairContrast * kFairContrast);
    const float agreement = std::clamp((correlation - kNoAgreement) / (kFullAgreement - kNoAgreement), 0.0F, 1.0F);
    const float weight = contrast * agreement / n;
    compared_[i] = contrast;
    correlation_[i] = contrast * correlation;
    of_view_[i] = weight / both;
    of_other_[i] = weight * correlation / bb;
    constant_[i] = weight * (a / both - correlation * b / bb);
    // By Gauss and Newton, of the normalised patch: a ramp of brightness does not change it by a move.
    const float change = sums[6][i] / n, with_b = sums[8][i] / n - change * b;
    const float variance = sums[7][i] / n - change * change - with_b * with_b / bb;
    steepness_[i] = weight * std::max(variance, 0.0F) / bb;
  }

  void add(std::size_t i, VertexAgreement& agreement) const {
    const float change = sightings_[i].change;
    const float slope =
        (view_.brightness[i] * of_view_[i] - sightings_[i].brightness * of_other_[i] - constant_[i]) * change;
    const VertexAgreement::AgreementSums terms(slope, steepness_[i], correlation_[i], compared_[i]);
    agreement.add(surface_, raster_, i, terms);
  }

  const SeenSurface& surface_;
  const ReducedView& view_;
  const SurfaceRaster& raster_;
  const ReducedView& other_;
  const SurfaceRaster& other_raster_;
  float nearest_;
  Eigen::Matrix3f turn_;
  Eigen::Vector3f shift_;
  std::vector<Sighting> sightings_;  // brightness: not a number where the other view does not see the place
  float count_ = 0;
  std::vector<float> correlation_, compared_;  // of the patch around each pixel: times its weight, and its weight
  std::vector<float> of_view_, of_other_, constant_, steepness_;  // sums over the patches that a pixel is part of
};

/// Shares of the corners of the triangle at a pixel, in the image.
Eigen::Vector3f shares_at(const SeenSurface& surface, const SurfaceRaster& raster, std::size_t pixel) {
  const Triangle& triangle = surface.triangles[static_cast<std::size_t>(raster.faces[pixel])];
  const auto corner = [&](std::size_t k) { return raster.projected.pixels[static_cast<std::size_t>(triangle[k])]; };
  const Eigen::Vector2f a = corner(1) - corner(0), b = corner(2) - corner(0);
  const Eigen::Vector2f p = pixel_centre<float>(pixel, static_cast<std::size_t>(raster.size)) - corner(0);
  const float area = a.x() * b.y() - a.y() * b.x();
  const float u = (p.x() * b.y() - p.y() * b.x()) / area, v = (a.x() * p.y() - a.y() * p.x()) / area;
  return Eigen::Vector3f(1 - u - v, u, v).cwiseMax(0).cwiseMin(1);
}

}  // namespace

Eigen::Vector3f normal_at(const SeenSurface& surface, const SurfaceRaster& raster, std::size_t pixel) {
  const Triangle& triangle = surface.triangles[static_cast<std::size_t>(raster.faces[pixel])];
  Eigen::Vector3f sum = Eigen::Vector3f::Zero();
  for (const std::int32_t corner : triangle) sum += surface.normals[static_cast<std::size_t>(corner)];
  return sum.normalized();
}

void VertexAgreement::add(const VertexAgreement& other) {
  for (std::size_t i = 0; i < sums.size(); ++i) sums[i] += other.sums[i];
}

void VertexAgreement::add(const SeenSurface& surface, const SurfaceRaster& raster, std::size_t pixel,
                          const AgreementSums& terms) {
  const Triangle& triangle = surface.triangles[static_cast<std::size_t>(raster.faces[pixel])];
  const Eigen::Vector3f shares = shares_at(surface, raster, pixel);
  for (std::size_t k = 0; k < 3; ++k) {
    sums[static_cast<std::size_t>(triangle[k])] += shares[static_cast<Eigen::Index>(k)] * terms;
  }
}

double VertexAgreement::mean() const {
  const AgreementSums sum = std::accumulate(sums.begin(), sums.end(), AgreementSums(AgreementSums::Zero()));
  return sum[3] > 0 ? static_cast<double>(sum[2] / sum[3]) : 0;
}

void compare_views(const SeenSurface& surface, const SeenView& view, const SeenView& other, float nearest,
                   VertexAgreement& agreement) {
  Comparison(surface, view, other, nearest).run(agreement);
}

}  // namespace p2mpp
