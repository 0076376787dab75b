#include "refinement/plane_search.h"

#include <Eigen/Geometry>
#include <Eigen/LU>
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <utility>

#include "base/thread_scopes.h"

namespace p2mpp {
namespace {

constexpr int kReachOfPatch = 2;  ///< pixels from a patch's middle to its side
constexpr std::size_t kSide = 2 * kReachOfPatch + 1, kPixels = kSide * kSide;
constexpr std::size_t kLanes = 4, kPadded = (kPixels + kLanes - 1) / kLanes * kLanes;
constexpr std::size_t kBest = 3;        ///< views whose correlation counts: in the others, the place may be hidden
constexpr int kSweeps = 3;              ///< over all pixels
constexpr float kSpread = 2;            ///< of a patch's weights, in pixels
constexpr float kColours = 12;          ///< and in brightness, of 255
constexpr float kLeastVariance = 0.3F;  ///< of a patch's brightness
constexpr float kLeastTowards = 0.1F, kLeastSeen = 0.17F;  ///< cosines between a normal and a ray
constexpr float kNone = 2;                                 ///< a cost above all others

/// Random numbers that depend on the pixel, the round and nothing else.
class Draws {
 public:
  Draws(std::size_t pixel, int round) : state_(pixel * 0x9e3779b97f4a7c15U + static_cast<std::uint64_t>(round) + 1) {}

  /// Uniform in [-1, 1). Source: Steele, Lea, Flood, "Fast Splittable Pseudorandom Number Generators" (2014).
  float next() {
    state_ += 0x9e3779b97f4a7c15U;
    std::uint64_t bits = state_;
    bits = (bits ^ (bits >> 30)) * 0xbf58476d1ce4e5b9U;
    bits = (bits ^ (bits >> 27)) * 0x94d049bb133111ebU;
    return static_cast<float>((bits ^ (bits >> 31)) >> 40) * 0x1p-23F - 1;
  }
  Eigen::Vector3f next_vector() {
    const float x = next(), y = next(), z = next();
    return {x, y, z};
  }

 private:
  std::uint64_t state_;
};

/// The brightness around a pixel, with weights whose sum is 1.
struct Patch {
  std::array<float, kPadded> weights{}, brightness{};
  float mean = 0, variance = 0;
};

/// Another view, and where it sees the places of this one: turn * (column, row, 1) + shift * inverse depth, in its
/// homogeneous pixels.
struct Other {
  const ReducedView* view;
  const SurfaceRaster* raster;
  Eigen::Matrix3f turn;
  Eigen::Vector3f shift;
  Eigen::Matrix3f turn_in_cam;
  Eigen::Vector3f shift_in_cam;
  std::vector<float> brightness;  ///< 0 where the object does not cover a pixel
};

Eigen::Matrix3f pixels_from_cam(const Pinhole<float>& camera) {
  Eigen::Matrix3f matrix = Eigen::Matrix3f::Identity();
  matrix(0, 0) = camera.focal.x();
  matrix(1, 1) = camera.focal.y();
  matrix.topRightCorner<2, 1>() = camera.principal_point;
  return matrix;
}

class PlaneSearch {
 public:
  PlaneSearch(const SeenSurface& surface, const SeenView& view, std::span<const SeenView> others, float reach)
      : surface_(surface), view_(*view.view), raster_(*view.raster), reach_(reach) {
    const Eigen::Matrix3f cam_from_pixels = pixels_from_cam(view_.camera).inverse();
    for (const SeenView& each : others) {
      const Pinhole<float>& camera = each.view->camera;
      const Eigen::Matrix3f turn = camera.rotation * view_.camera.rotation.transpose();
      const Eigen::Vector3f shift = camera.translation - turn * view_.camera.translation;
      const Eigen::Matrix3f to_pixels = pixels_from_cam(camera);
      Other other{each.view, each.raster, to_pixels * turn * cam_from_pixels, to_pixels * shift, turn, shift, {}};
      for (const float brightness : each.view->brightness) {
        other.brightness.push_back(std::isnan(brightness) ? 0 : brightness);
      }
      others_.push_back(std::move(other));
    }
    for (std::size_t i = 0; i < kPixels; ++i) {
      columns_[i] = static_cast<float>(i % kSide) - kReachOfPatch;
      rows_[i] = static_cast<float>(i / kSide) - kReachOfPatch;
      nearby_[i] = std::exp(-(columns_[i] * columns_[i] + rows_[i] * rows_[i]) / (2 * kSpread * kSpread));
    }
    for (std::size_t i = 0; i < alike_.size(); ++i) {
      const auto difference = static_cast<float>(i);
      alike_[i] = std::exp(-difference * difference / (2 * kColours * kColours));
    }
  }

  PlaneMap run() {
    begin();
    for (int round = 0; round < kSweeps; ++round) {
      for (std::size_t colour = 0; colour < 2; ++colour) {
        end_if_stopped();
        for (const std::size_t pixel : pixels_) {
          if ((pixel % side() + pixel / side()) % 2 == colour) improve(pixel, round);
        }
      }
    }
    return std::move(found_);
  }

 private:
  [[nodiscard]] std::size_t side() const { return static_cast<std::size_t>(view_.size); }
  [[nodiscard]] Eigen::Vector3f pixel_place(std::size_t pixel) const {
    const Eigen::Vector2f centre = pixel_centre<float>(pixel, side());
    return {centre.x(), centre.y(), 1};
  }
  [[nodiscard]] Eigen::Vector3f ray(std::size_t pixel) const {
    const Eigen::Vector3f place = pixel_place(pixel);
    return view_.camera.ray_in_cam(place.x(), place.y());
  }

  /// The mesh's planes, of the pixels at which another view sees them.
  void begin() {
    found_.planes.assign(view_.brightness.size(), Eigen::Vector3f::Zero());
    found_.costs.assign(view_.brightness.size(), kNone);
    found_.contrasts.assign(view_.brightness.size(), 0);
    seen_.assign(view_.brightness.size(), 0);
    for (std::size_t row = kReachOfPatch; row + kReachOfPatch < side(); ++row) {
      for (std::size_t column = kReachOfPatch; column + kReachOfPatch < side(); ++column) {
        const std::size_t pixel = row * side() + column;
        if (raster_.faces[pixel] < 0 || std::isnan(view_.brightness[pixel])) continue;
        const Eigen::Vector3f way = ray(pixel), place = way / raster_.nearness[pixel];
        const Eigen::Vector3f normal = view_.camera.rotation * normal_at(surface_, raster_, pixel);
        if (!(normal.dot(way) < -kLeastTowards * way.norm())) continue;
        seen_[pixel] = seeing(place, normal);
        if (seen_[pixel] == 0) continue;
        pixels_.push_back(pixel);
        found_.planes[pixel] = plane_through(view_.camera, place, normal);
        const Patch patch = patch_around(pixel);
        found_.contrasts[pixel] = contrast(patch);
        found_.costs[pixel] = cost(patch, pixel, found_.planes[pixel]);
      }
    }
  }

  /// The others that see a place of the mesh, as bits.
  [[nodiscard]] std::uint32_t seeing(const Eigen::Vector3f& place, const Eigen::Vector3f& normal) const {
    std::uint32_t bits = 0;
    for (std::size_t k = 0; k < others_.size(); ++k) {
      const Other& other = others_[k];
      const Eigen::Vector3f seen = other.turn_in_cam * place + other.shift_in_cam;
      if (!(seen.z() > 0)) continue;
      const std::optional<std::size_t> pixel = pixel_index(other.view->camera.pixel_of(seen), other.view->size);
      if (!pixel || other.raster->faces[*pixel] < 0 || std::isnan(other.view->brightness[*pixel])) continue;
      if (!(seen.z() < 1 / other.raster->nearness[*pixel] + reach_)) continue;
      const bool faces = (other.turn_in_cam * normal).dot(seen) < -kLeastSeen * seen.norm();
      if (faces) bits |= 1U << k;
    }
    return bits;
  }

  [[nodiscard]] Patch patch_around(std::size_t pixel) const {
    Patch patch;
    const float middle = view_.brightness[pixel];
    float sum = 0;
    for (std::size_t i = 0; i < kPixels; ++i) {
      const std::size_t at = pixel + (i / kSide) * side() + i % kSide - kReachOfPatch * (side() + 1);
      const float brightness = view_.brightness[at];
      if (std::isnan(brightness)) continue;
      patch.brightness[i] = brightness;
      patch.weights[i] = nearby_[i] * alike_[static_cast<std::size_t>(std::abs(brightness - middle))];
      sum += patch.weights[i];
    }
    float squares = 0;
    for (std::size_t i = 0; i < kPixels; ++i) {
      patch.weights[i] /= sum;
      patch.mean += patch.weights[i] * patch.brightness[i];
      squares += patch.weights[i] * patch.brightness[i] * patch.brightness[i];
    }
    patch.variance = squares - patch.mean * patch.mean;
    return patch;
  }

  /// The variance that is left without a ramp of light, which shows no place.
  [[nodiscard]] float contrast(const Patch& patch) const {
    float across = 0, down = 0, columns = 0, rows = 0;
    for (std::size_t i = 0; i < kPixels; ++i) {
      const float difference = patch.brightness[i] - patch.mean;
      across += patch.weights[i] * columns_[i] * difference;
      down += patch.weights[i] * rows_[i] * difference;
      columns += patch.weights[i] * columns_[i] * columns_[i];
      rows += patch.weights[i] * rows_[i] * rows_[i];
    }
    constexpr float kLeast = 1e-6F;
    return std::max(patch.variance - across * across / std::max(columns, kLeast) - down * down / std::max(rows, kLeast),
                    0.0F);
  }

  /// The mean of the best views' costs.
  [[nodiscard]] float cost(const Patch& patch, std::size_t pixel, const Eigen::Vector3f& plane) const {
    std::array<float, 32> costs{};
    std::size_t count = 0;
    for (std::size_t k = 0; k < others_.size(); ++k) {
      if ((seen_[pixel] >> k & 1U) != 0) costs[count++] = disagreement(patch, pixel, plane, others_[k]);
    }
    const std::size_t best = std::min(count, kBest);
    std::partial_sort(costs.begin(), costs.begin() + best, costs.begin() + count);
    float sum = 0;
    for (std::size_t k = 0; k < best; ++k) sum += costs[k];
    return sum / static_cast<float>(best);
  }

  /// 1 less the correlation of a patch with another view, which is drawn into this one by way of the plane.
  [[nodiscard]] float disagreement(const Patch& patch, std::size_t pixel, const Eigen::Vector3f& plane,
                                   const Other& other) const {
    const Eigen::Matrix3f homography = other.turn + other.shift * plane.transpose();
    const Eigen::Vector3f middle = homography * pixel_place(pixel);
    const auto most = static_cast<float>(other.view->size) - 1.001F;
    if (!(middle.z() > 0)) return kNone;
    const Eigen::Vector2f at = middle.head<2>() / middle.z();
    if (!(at.x() > 0 && at.y() > 0 && at.x() < most && at.y() < most)) return kNone;
    std::array<float, kPadded> u{}, v{}, values{};
    constexpr float kInFront = 1e-6F;
    for (std::size_t i = 0; i < kPadded; ++i) {
      const float dx = columns_[i], dy = rows_[i];
      const float scale = 1 / std::max(middle.z() + homography(2, 0) * dx + homography(2, 1) * dy, kInFront);
      u[i] = (middle.x() + homography(0, 0) * dx + homography(0, 1) * dy) * scale - 0.5F;
      v[i] = (middle.y() + homography(1, 0) * dx + homography(1, 1) * dy) * scale - 0.5F;
      u[i] = std::min(std::max(u[i], 0.0F), most);
      v[i] = std::min(std::max(v[i], 0.0F), most);
    }
    const auto other_side = static_cast<std::size_t>(other.view->size);
    for (std::size_t i = 0; i < kPixels; ++i) {
      const auto column = static_cast<int>(u[i]), row = static_cast<int>(v[i]);
      const float s = u[i] - static_cast<float>(column), t = v[i] - static_cast<float>(row);
      const float* upper =
          &other.brightness[static_cast<std::size_t>(row) * other_side + static_cast<std::size_t>(column)];
      const float* lower = upper + other_side;
      const float above = upper[0] + s * (upper[1] - upper[0]), below = lower[0] + s * (lower[1] - lower[0]);
      values[i] = above + t * (below - above);
    }
    std::array<float, kLanes> sums{}, squares{}, products{};
    for (std::size_t i = 0; i < kPadded; i += kLanes) {
      for (std::size_t k = 0; k < kLanes; ++k) {
        const float weighted = patch.weights[i + k] * values[i + k];
        sums[k] += weighted;
        squares[k] += weighted * values[i + k];
        products[k] += weighted * patch.brightness[i + k];
      }
    }
    const auto total = [](const std::array<float, kLanes>& lanes) {
      return (lanes[0] + lanes[1]) + (lanes[2] + lanes[3]);
    };
    const float mean = total(sums), variance = total(squares) - mean * mean;
    if (!(variance > kLeastVariance && patch.variance > kLeastVariance)) return 1;
    const float covariance = total(products) - mean * patch.mean;
    return 1 - std::clamp(covariance / std::sqrt(variance * patch.variance), -1.0F, 1.0F);
  }

  /// Whether a plane is near the mesh at a pixel and faces the camera there.
  [[nodiscard]] bool is_possible(std::size_t pixel, const Eigen::Vector3f& plane) const {
    const float nearness = plane.dot(pixel_place(pixel));
    if (!(nearness > 0 && std::abs(1 / nearness - 1 / raster_.nearness[pixel]) <= reach_)) return false;
    const Eigen::Vector3f normal = plane_normal(view_.camera, plane), way = ray(pixel);
    return normal.dot(way) > kLeastTowards * normal.norm() * way.norm();  // it points away from the camera
  }

  /// Takes the best of a pixel's plane, its neighbours' and random ones.
  void improve(std::size_t pixel, int round) {
    const Patch patch = patch_around(pixel);
    Eigen::Vector3f best = found_.planes[pixel];
    float least = found_.costs[pixel];
    const auto propose = [&](const Eigen::Vector3f& plane) {
      if (!is_possible(pixel, plane)) return;
      const float each = cost(patch, pixel, plane);
      if (!(each < least)) return;
      least = each;
      best = plane;
    };
    constexpr std::array<int, 2> kSteps = {1, 5};
    constexpr std::array<std::pair<int, int>, 4> kWays = {{{1, 0}, {-1, 0}, {0, 1}, {0, -1}}};
    for (std::size_t k = 0; k < (round < 2 ? kSteps.size() : 1); ++k) {
      for (const auto& [column, row] : kWays) {
        const int x = static_cast<int>(pixel % side()) + column * kSteps[k];
        const int y = static_cast<int>(pixel / side()) + row * kSteps[k];
        if (x < 0 || y < 0 || x >= view_.size || y >= view_.size) continue;
        const Eigen::Vector3f& plane =
            found_.planes[static_cast<std::size_t>(y) * side() + static_cast<std::size_t>(x)];
        if (plane != Eigen::Vector3f::Zero() && plane != best) propose(plane);
      }
    }
    Draws draws(pixel, round);
    const float far = reach_ * std::pow(0.4F, static_cast<float>(round + 1));
    const float tilt = 0.6F * std::pow(0.6F, static_cast<float>(round));
    const auto varied = [&](float depth_by, float normal_by) {
      const float depth = 1 / best.dot(pixel_place(pixel)) + depth_by * draws.next();
      const Eigen::Vector3f normal = plane_normal(view_.camera, best).normalized() + normal_by * draws.next_vector();
      return plane_through(view_.camera, depth * ray(pixel), normal);
    };
    propose(varied(far, 0));
    propose(varied(0, tilt));
    propose(varied(far, tilt));
    propose(varied(far / 4, tilt / 4));
    found_.planes[pixel] = best;
    found_.costs[pixel] = least;
  }

  const SeenSurface& surface_;
  const ReducedView& view_;
  const SurfaceRaster& raster_;
  float reach_;
  std::vector<Other> others_;
  std::array<float, kPadded> columns_{}, rows_{}, nearby_{};  // of a patch's pixels, from its middle
  std::array<float, 256> alike_{};
  std::vector<std::size_t> pixels_;
  std::vector<std::uint32_t> seen_;  // [size, size]: by which others
  PlaneMap found_;
};

}  // namespace

Eigen::Vector3f plane_through(const Pinhole<float>& camera, const Eigen::Vector3f& place,
                              const Eigen::Vector3f& normal) {
  const float x = normal.x() / camera.focal.x(), y = normal.y() / camera.focal.y();
  const float constant = normal.z() - x * camera.principal_point.x() - y * camera.principal_point.y();
  return Eigen::Vector3f(x, y, constant) / normal.dot(place);
}

Eigen::Vector3f plane_normal(const Pinhole<float>& camera, const Eigen::Vector3f& plane) {
  return {camera.focal.x() * plane.x(), camera.focal.y() * plane.y(),
          plane.z() + plane.head<2>().dot(camera.principal_point)};
}

PlaneMap find_planes(const SeenSurface& surface, const SeenView& view, std::span<const SeenView> others, float reach) {
  return PlaneSearch(surface, view, others, reach).run();
}

}  // namespace p2mpp
