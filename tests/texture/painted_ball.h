#pragma once

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <functional>
#include <memory>
#include <numbers>
#include <optional>
#include <vector>

#include "image/photograph_source.h"
#include "image/srgb.h"
#include "p2mpp/mesh_texture.h"
#include "p2mpp/texture.h"
#include "support/test_meshes.h"

namespace p2mpp {

inline constexpr float kBallRadius = 0.25F;

/// Linear, between 0.05 and 0.95, smooth and different everywhere.
inline Eigen::Vector3f painted_colour(const Eigen::Vector3f& point) {
  const Eigen::Vector3f p = point / kBallRadius;
  return Eigen::Vector3f(0.5F + 0.4F * std::sin(5 * p.x() + 2 * p.y()), 0.5F + 0.4F * std::sin(4 * p.y() - 3 * p.z()),
                         0.5F + 0.4F * std::cos(6 * p.z() + p.x()));
}

/// A ball of kBallRadius around the origin.
inline TriangleMesh ball_mesh(int subdivisions) {
  return testing::scaled(testing::icosphere(subdivisions), kBallRadius);
}

/// Photographs of the painted ball, drawn exactly.
class BallPhotographs final : public PhotographSource {
 public:
  /// One for each direction in which the camera is, with a gain of its linear colours (1 if there are fewer gains).
  BallPhotographs(const std::vector<Eigen::Vector3d>& directions, int side, std::vector<float> gains = {})
      : gains_(std::move(gains)) {
    for (const Eigen::Vector3d& direction : directions) {
      const Eigen::Vector3d z = -direction.normalized();
      const Eigen::Vector3d up = std::abs(z.y()) < 0.9 ? Eigen::Vector3d::UnitY() : Eigen::Vector3d::UnitX();
      Eigen::Matrix3d rotation;  // OpenCV's axes
      rotation.row(0) = z.cross(up).normalized();
      rotation.row(2) = z;
      rotation.row(1) = z.cross(rotation.row(0).transpose());
      photographs_.push_back({.name = "ball",
                              .lens = {.fx = 1.3 * side, .fy = 1.3 * side, .cx = side / 2.0, .cy = side / 2.0},
                              .width = side,
                              .height = side,
                              .cam_from_world = rigid_from_centre(rotation, -0.8 * z)});
    }
  }

  /// Photographs of another size, too.
  void append(const BallPhotographs& others) {
    photographs_.insert(photographs_.end(), others.photographs_.begin(), others.photographs_.end());
  }

  double mask_radius = kBallRadius;  ///< of the ball that the masks show

  /// Called for each pixel of the ball: what is seen instead of its colour, if anything.
  std::function<std::optional<Eigen::Vector3f>(std::size_t photograph, const Eigen::Vector3f& point)> instead = {};

  [[nodiscard]] DecodedSource decode(std::size_t photograph) const override {
    const SourcePhotograph& from = photographs_[photograph];
    const Rigid3 world_from_cam = inverse(from.cam_from_world);
    DecodedSource result{{from.width, from.height, {}}, {from.width, from.height, {}}, from.lens};
    for (int row = 0; row < from.height; ++row) {
      for (int column = 0; column < from.width; ++column) {
        Eigen::Vector3f sum = Eigen::Vector3f::Zero();
        int hits = 0, masked = 0;
        for (int k = 0; k < 4; ++k) {
          const Eigen::Vector2d pixel(column + 0.25 + 0.5 * (k % 2), row + 0.25 + 0.5 * (k / 2));
          const Eigen::Vector3d direction((pixel.x() - from.lens.cx) / from.lens.fx,
                                          (pixel.y() - from.lens.cy) / from.lens.fy, 1);
          if (met(world_from_cam, direction, mask_radius)) ++masked;
          const auto point = met(world_from_cam, direction, kBallRadius);
          if (!point) continue;
          const auto other = instead ? instead(photograph, *point) : std::nullopt;
          sum += other.value_or(painted_colour(*point));
          ++hits;
        }
        const float gain = photograph < gains_.size() ? gains_[photograph] : 1;
        // The background is green, which no part of the ball is.
        const Eigen::Vector3f colour = (gain * sum + static_cast<float>(4 - hits) * Eigen::Vector3f::UnitY()) / 4;
        for (int c = 0; c < 3; ++c) result.image.rgba.push_back(srgb_from_linear(colour[c]));
        result.image.rgba.push_back(255);
        result.mask.coverage.push_back(static_cast<std::uint8_t>(255 * masked / 4));
      }
    }
    return result;
  }

 private:
  static std::optional<Eigen::Vector3f> met(const Rigid3& world_from_cam, const Eigen::Vector3d& direction,
                                            double radius) {
    const Eigen::Vector3d from = world_from_cam.translation, along = (world_from_cam.rotation * direction).normalized();
    const double middle = from.dot(along), rest = from.squaredNorm() - radius * radius;
    const double inside = middle * middle - rest;
    if (inside < 0) return std::nullopt;
    return (from + (-middle - std::sqrt(inside)) * along).cast<float>();
  }

  std::vector<float> gains_;
};

/// Directions all around: in rings 30 degrees above and below the horizon.
inline std::vector<Eigen::Vector3d> around(int count) {
  std::vector<Eigen::Vector3d> directions;
  for (int i = 0; i < count; ++i) {
    const double angle = 2 * std::numbers::pi * i / count;
    directions.emplace_back(std::cos(angle), i % 2 == 0 ? 0.7 : -0.7, std::sin(angle));
  }
  return directions;
}

/// The texture's colour at a place, bilinear, in sRGB of 0 to 255.
inline Eigen::Vector3f looked_up(const Image& image, const Eigen::Vector2f& uv) {
  const float x =
      std::clamp(uv.x() * static_cast<float>(image.width) - 0.5F, 0.0F, static_cast<float>(image.width - 1));
  const float y =
      std::clamp(uv.y() * static_cast<float>(image.height) - 0.5F, 0.0F, static_cast<float>(image.height - 1));
  const int column = std::min(static_cast<int>(x), image.width - 2),
            row = std::min(static_cast<int>(y), image.height - 2);
  const float s = x - static_cast<float>(column), t = y - static_cast<float>(row);
  Eigen::Vector3f colour;
  for (int c = 0; c < 3; ++c) {
    const auto at = [&](int r, int k) {
      return static_cast<float>(image.rgba[static_cast<std::size_t>(4 * (r * image.width + k) + c)]);
    };
    colour[c] = (1 - t) * ((1 - s) * at(row, column) + s * at(row, column + 1)) +
                t * ((1 - s) * at(row + 1, column) + s * at(row + 1, column + 1));
  }
  return colour;
}

inline Eigen::Vector3f srgb_of(const Eigen::Vector3f& linear) {
  return Eigen::Vector3f(srgb_from_linear(linear.x()), srgb_from_linear(linear.y()), srgb_from_linear(linear.z()));
}

/// The peak signal-to-noise ratio of a textured ball against the paint, in dB, over the faces that `counts`; edges and
/// corners of faces are among the places that are compared. `gain`: of the whole, which nothing determines.
inline double texture_psnr(const TriangleMesh& mesh, const std::function<bool(const Eigen::Vector3f&)>& counts = {},
                           float gain = 1) {
  double squares = 0, count = 0;
  for (std::size_t face = 0; face < mesh.triangles.size(); ++face) {
    for (const auto& w : {Eigen::Vector3f(1, 1, 1), Eigen::Vector3f(3, 0, 0), Eigen::Vector3f(0, 1.5F, 1.5F)}) {
      Eigen::Vector3f point = Eigen::Vector3f::Zero();
      Eigen::Vector2f uv = Eigen::Vector2f::Zero();
      for (std::size_t i = 0; i < 3; ++i) {
        const float weight = w[static_cast<int>(i)] / 3;
        point += weight * mesh.vertices[static_cast<std::size_t>(mesh.triangles[face][i])];
        uv += weight * mesh.texture->corners[face][i];
      }
      if (counts && !counts(point)) continue;
      const Eigen::Vector3f truth = srgb_of(gain * painted_colour(point.normalized() * kBallRadius));
      squares += (looked_up(mesh.texture->image, uv) - truth).squaredNorm() / 3;
      ++count;
    }
  }
  return 10 * std::log10(255.0 * 255.0 / std::max(squares / count, 1e-9));
}

}  // namespace p2mpp
