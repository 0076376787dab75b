#pragma once

#include <algorithm>
#include <cmath>
#include <optional>
#include <random>
#include <vector>

#include "image/photograph_source.h"
#include "support/drawn_masks.h"
#include "support/test_meshes.h"

namespace p2mpp::testing {

/// A ball with pits that are shallower than its silhouettes tell.
constexpr double kBallRadius = 0.15, kPit = 0.004;
inline double pitted_radius(const Eigen::Vector3d& direction) {
  return kBallRadius - kPit * std::pow(std::sin(7 * direction.x()) * std::sin(7 * direction.y()), 2);
}

/// Where a ray of unit length meets it.
inline std::optional<Eigen::Vector3d> pitted_ball(const Eigen::Vector3d& from, const Eigen::Vector3d& way) {
  const double along = -from.dot(way), inside = kBallRadius * kBallRadius - (from + along * way).squaredNorm();
  if (inside < 0) return {};
  constexpr double kStep = kPit / 4;
  for (double at = along - std::sqrt(inside); at < along; at += kStep) {
    const Eigen::Vector3d point = from + at * way;
    if (point.norm() <= pitted_radius(point.normalized())) return point;
  }
  return {};
}

/// In each photograph another: of a whole pattern, as reflections, of single pixels, which fewer do not show, or of a
/// half without a pattern (x > 0), on which the light moves and the camera's grain is seen.
enum class Noise { kNone, kReflections, kOwnPixels, kPlainHalf };

/// Its photographs, all around.
class BallPhotographs final : public PhotographSource {
 public:
  explicit BallPhotographs(int count, Noise noise = Noise::kNone) {
    std::mt19937_64 random(7);
    for (int i = 0; i < count; ++i) {
      const Camera camera = camera_from_row(
          {static_cast<float>(i) * 360 / static_cast<float>(count), i % 2 == 0 ? 20.0F : 45.0F, 0, 0.8F, 25});
      masks_.push_back(patterned_mask(camera, kSize, pitted_ball));
      const Pinhole<double> pinhole = pinhole_of(camera, kSize);
      if (noise == Noise::kPlainHalf) {
        make_half_plain(pinhole, random, i, masks_.back().brightness);
      } else if (noise != Noise::kNone) {
        add_noise(noise, random, masks_.back().brightness);
      }
      photographs_.push_back({.name = "ball",
                              .lens = {.fx = pinhole.focal.x(),
                                       .fy = pinhole.focal.y(),
                                       .cx = pinhole.principal_point.x(),
                                       .cy = pinhole.principal_point.y()},
                              .width = kSize,
                              .height = kSize,
                              .cam_from_world = {pinhole.rotation, pinhole.translation}});
    }
  }

  [[nodiscard]] const FitMask& mask(std::size_t photograph) const { return masks_[photograph]; }

  [[nodiscard]] DecodedSource decode(std::size_t photograph) const override {
    const FitMask& mask = masks_[photograph];
    DecodedSource decoded{{kSize, kSize, {}}, mask, photographs_[photograph].lens};
    for (const std::uint8_t value : mask.brightness)
      decoded.image.rgba.insert(decoded.image.rgba.end(), {value, value, value, 255});
    return decoded;
  }

 private:
  static constexpr int kSize = 256;

  static void add_noise(Noise noise, std::mt19937_64& random, std::vector<std::uint8_t>& brightness) {
    for (std::size_t i = 0; i < brightness.size(); ++i) {
      if (noise == Noise::kReflections) {
        brightness[i] = static_cast<std::uint8_t>(random() % 256);
      } else if (i % 2 == 0) {  // of opposite signs in a pair
        const int most = std::min({100, int{brightness[i]}, 255 - brightness[i + 1]});
        const auto change = static_cast<std::uint8_t>(random() % (static_cast<unsigned>(std::max(most, 0)) + 1));
        brightness[i] = static_cast<std::uint8_t>(brightness[i] - change);
        brightness[i + 1] = static_cast<std::uint8_t>(brightness[i + 1] + change);
      }
    }
  }

  static void make_half_plain(const Pinhole<double>& pinhole, std::mt19937_64& random, int view,
                              std::vector<std::uint8_t>& brightness) {
    for (std::size_t i = 0; i < brightness.size(); ++i) {
      const double x = static_cast<double>(i % kSize) + 0.5, y = static_cast<double>(i / kSize) + 0.5;
      const Eigen::Vector3d way = (pinhole.rotation.transpose() * pinhole.ray_in_cam(x, y)).normalized();
      const std::optional<Eigen::Vector3d> hit = pitted_ball(pinhole.centre, way);
      if (!hit || hit->x() < 0) continue;
      const double light = 120 + 20 * std::sin(3 * hit->y() / kBallRadius + view);
      brightness[i] = static_cast<std::uint8_t>(light + static_cast<double>(random() % 8));
    }
  }
  std::vector<FitMask> masks_;
};

inline TriangleMesh plain_ball() {
  TriangleMesh mesh = icosphere(5);
  for (Eigen::Vector3f& vertex : mesh.vertices) vertex *= static_cast<float>(kBallRadius) / vertex.norm();
  return mesh;
}

/// The mean distance from the true surface of the vertices that photographs see.
inline double fit_error(const TriangleMesh& mesh) {
  double sum = 0, count = 0;
  for (const Eigen::Vector3f& vertex : mesh.vertices) {
    const Eigen::Vector3d point = vertex.cast<double>();
    if (point.y() < -0.3 * kBallRadius) continue;
    sum += std::fabs(point.norm() - pitted_radius(point.normalized()));
    ++count;
  }
  return sum / count;
}

}  // namespace p2mpp::testing
