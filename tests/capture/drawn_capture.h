#pragma once

#include <Eigen/Geometry>
#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <limits>
#include <numbers>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "base/numbers/random.h"
#include "cameras/capture.h"
#include "capture/photograph_pixels.h"
#include "geometry/similarity.h"
#include "image/object_mask.h"
#include "p2mpp/sample.h"

namespace p2mpp {

/// A solid, as its signed distance (a lower bound of it) and its box about the origin, before it is scaled.
struct DrawnShape {
  std::string name;
  std::function<double(const Eigen::Vector3d&)> distance;
  Eigen::Vector3d half;  ///< of the box
};

inline double box_distance(const Eigen::Vector3d& point, const Eigen::Vector3d& middle, const Eigen::Vector3d& half) {
  const Eigen::Vector3d q = (point - middle).cwiseAbs() - half;
  return q.cwiseMax(0).norm() + std::min(q.maxCoeff(), 0.0);
}

inline DrawnShape drawn_ball() {
  return {"ball", [](const Eigen::Vector3d& p) { return p.norm() - 1; }, {1, 1, 1}};
}
inline DrawnShape drawn_box(const Eigen::Vector3d& half) {
  return {"box", [half](const Eigen::Vector3d& p) { return box_distance(p, Eigen::Vector3d::Zero(), half); }, half};
}
/// Lies flat.
inline DrawnShape drawn_torus() {
  return {"torus",
          [](const Eigen::Vector3d& p) { return std::hypot(std::hypot(p.x(), p.z()) - 1, p.y()) - 0.35; },
          {1.35, 0.35, 1.35}};
}
inline DrawnShape drawn_chair() {
  return {"chair",
          [](const Eigen::Vector3d& p) {
            double d = box_distance(p, {0, -0.05, 0}, {0.5, 0.08, 0.45});
            d = std::min(d, box_distance(p, {0, 0.45, -0.37}, {0.5, 0.55, 0.08}));
            for (const double x : {-0.42, 0.42}) {
              for (const double z : {-0.37, 0.37}) d = std::min(d, box_distance(p, {x, -0.55, z}, {0.08, 0.45, 0.08}));
            }
            return d;
          },
          {0.5, 1, 0.45}};
}
inline DrawnShape drawn_plane() {  // fuselage, wings, fin
  return {"plane",
          [](const Eigen::Vector3d& p) {
            double d = box_distance(p, {0, -0.135, 0}, {0.12, 0.12, 1});
            d = std::min(d, box_distance(p, {0, -0.135, 0.1}, {1.1, 0.03, 0.2}));
            return std::min(d, box_distance(p, {0, 0.085, -0.85}, {0.03, 0.17, 0.15}));
          },
          {1.1, 0.255, 1}};
}

struct DrawnOptions {
  int views = 24;
  double elevation_deg = 25, elevation_range_deg = 15;  ///< drawn from +- range
  int width = 320, height = 240;
  bool distorted = true, fisheye = false, any_similarity = true, rolled = false;
  double pose_noise_deg = 0, pose_noise = 0;  ///< rotation; centre, relative to the distance
  double fill = 0.75;                         ///< the object's diagonal, of the photograph's shorter side
  int samples = 2;                            ///< per pixel and axis
};

struct DrawnCapture {
  DrawnShape shape;
  double unit = 1;  ///< of the shape, in the world: its box's diagonal becomes 0.57
  Similarity source_from_world;
  Capture capture;  ///< the photographs have no files
  std::vector<Image> images;

  [[nodiscard]] double distance(const Eigen::Vector3d& world) const { return unit * shape.distance(world / unit); }

  /// Colour and coverage along a ray in the world.
  [[nodiscard]] std::array<double, 4> colour(const Eigen::Vector3d& origin, const Eigen::Vector3d& direction) const {
    const Eigen::Vector3d along = direction.normalized();
    // Only within the shape's box.
    const Eigen::Array3d reach = (unit * shape.half).array() + 1e-3;
    const Eigen::Array3d one = (-reach - origin.array()) / along.array();
    const Eigen::Array3d other = (reach - origin.array()) / along.array();
    const double end = one.max(other).minCoeff();
    for (double t = std::max(0.0, one.min(other).maxCoeff()); t < end;) {
      const Eigen::Vector3d point = origin + t * along;
      const double d = distance(point);
      if (d < 2e-4) {
        const Eigen::Vector3d tint = (point.array() * 25).sin() * 60 + 110;
        return {tint.x(), tint.y(), tint.z(), 255};
      }
      t += d;
    }
    return {0, 0, 0, 0};
  }
};

inline Eigen::Matrix3d random_rotation(std::mt19937_64& random) {
  Eigen::Quaterniond q(draw_unit(random) - 0.5, draw_unit(random) - 0.5, draw_unit(random) - 0.5,
                       draw_unit(random) - 0.5);
  return q.normalized().toRotationMatrix();
}

inline Lens drawn_lens(const DrawnOptions& options, double distance, std::mt19937_64& random) {
  const auto spread = [&](double range) { return (2 * draw_unit(random) - 1) * range; };
  Lens lens;
  const double shorter = std::min(options.width, options.height);
  lens.fx = options.fill * shorter * distance / 0.57;
  lens.fy = lens.fx;
  lens.cx = options.width / 2.0;
  lens.cy = options.height / 2.0;
  if (!options.distorted) return lens;
  lens.fy *= 1 + spread(0.05);
  lens.cx += spread(0.03) * options.width;
  lens.cy += spread(0.03) * options.height;
  if (options.fisheye) {
    lens.model = LensModel::kFisheye;
    lens.coefficients = {spread(0.05), spread(0.01)};
  } else {
    lens.coefficients = {spread(0.1), spread(0.05), spread(0.002), spread(0.002)};
  }
  return lens;
}

/// Directions of continuous pixels of a lens: exact every few pixels, bilinear between (to a thousandth of a pixel).
class DrawnRays {
 public:
  DrawnRays(const Lens& lens, int width, int height) : columns_(width / kStep + 2) {
    const LensMap map(lens);
    for (int row = 0; row < height / kStep + 2; ++row) {
      for (int column = 0; column < columns_; ++column) {
        const std::optional<Eigen::Vector3d> seen = map.direction_of(Eigen::Vector2d(column * kStep, row * kStep));
        corners_.push_back(seen ? Eigen::Vector3d(*seen / seen->z())
                                : Eigen::Vector3d::Constant(std::numeric_limits<double>::quiet_NaN()));
      }
    }
  }
  [[nodiscard]] Eigen::Vector3d at(double x, double y) const {
    const int column = static_cast<int>(x / kStep), row = static_cast<int>(y / kStep);
    const double s = x / kStep - column, t = y / kStep - row;
    const Eigen::Vector3d* corner = &corners_[static_cast<std::size_t>(row * columns_ + column)];
    return (1 - t) * ((1 - s) * corner[0] + s * corner[1]) +
           t * ((1 - s) * corner[columns_] + s * corner[columns_ + 1]);
  }

 private:
  static constexpr int kStep = 4;
  int columns_;
  std::vector<Eigen::Vector3d> corners_;
};

/// The drawn object in a photograph: 8-bit RGBA, its colours not premultiplied.
inline Image drawn_image(const DrawnCapture& drawn, const Photograph& photograph, int samples) {
  Image image{photograph.width, photograph.height, {}};
  const DrawnRays rays(photograph.lens, photograph.width, photograph.height);
  const Similarity world_from_source = inverse(drawn.source_from_world);
  const Eigen::Vector3d origin = world_from_source.transformed(photograph.centre());
  const Eigen::Matrix3d world_from_cam = world_from_source.rotation * photograph.cam_from_source.rotation.transpose();
  for (int row = 0; row < image.height; ++row) {
    for (int column = 0; column < image.width; ++column) {
      std::array<double, 4> sum{};
      for (int i = 0; i < samples * samples; ++i) {
        const Eigen::Vector2d pixel(column + (i % samples + 0.5) / samples, row + (i / samples + 0.5) / samples);
        const Eigen::Vector3d direction = rays.at(pixel.x(), pixel.y());
        if (!direction.allFinite()) continue;
        const std::array<double, 4> colour = drawn.colour(origin, world_from_cam * direction);
        for (std::size_t channel = 0; channel < 4; ++channel) sum[channel] += colour[channel];
      }
      const double covered = sum[3] / 255;
      for (std::size_t channel = 0; channel < 3; ++channel) {
        image.rgba.push_back(static_cast<std::uint8_t>(std::lround(covered > 0 ? sum[channel] / covered : 255)));
      }
      image.rgba.push_back(static_cast<std::uint8_t>(std::lround(sum[3] / (samples * samples))));
    }
  }
  return image;
}

inline void add_photograph(DrawnCapture& drawn, const DrawnOptions& options, int index, std::mt19937_64& random) {
  const auto spread = [&](double range) { return (2 * draw_unit(random) - 1) * range; };
  constexpr double kRadian = std::numbers::pi / 180;
  const double azimuth = (360.0 * index / options.views + spread(0.2) * 360 / options.views) * kRadian;
  const double elevation = (options.elevation_deg + spread(options.elevation_range_deg)) * kRadian;
  const double distance = 1.2 + spread(0.2);
  const Eigen::Vector3d centre =
      distance * Eigen::Vector3d(std::cos(elevation) * std::cos(azimuth), std::sin(elevation),
                                 std::cos(elevation) * std::sin(azimuth));
  const Eigen::Vector3d aim(spread(0.03), spread(0.03), spread(0.03));
  const Eigen::Vector3d z = (aim - centre).normalized(), x = z.cross(Eigen::Vector3d::UnitY()).normalized();
  Eigen::Matrix3d cam_from_world;
  cam_from_world << x.transpose(), z.cross(x).transpose(), z.transpose();
  const double roll = options.rolled ? spread(15 * kRadian) : 0;
  cam_from_world = Eigen::AngleAxisd(roll, Eigen::Vector3d::UnitZ()).toRotationMatrix() * cam_from_world;

  Photograph photograph;
  photograph.name = std::to_string(index);
  photograph.width = options.width;
  photograph.height = options.height;
  photograph.lens = drawn_lens(options, distance, random);
  photograph.cam_from_source = rigid_from_centre(cam_from_world * drawn.source_from_world.rotation.transpose(),
                                                 drawn.source_from_world.transformed(centre));
  drawn.images.push_back(drawn_image(drawn, photograph, options.samples));
  if (options.pose_noise_deg > 0) {
    const Eigen::Vector3d axis = Eigen::Vector3d(spread(1), spread(1), spread(1)).normalized();
    const Eigen::Vector3d noisy = drawn.source_from_world.transformed(
        centre + options.pose_noise * distance * Eigen::Vector3d(spread(1), spread(1), spread(1)));
    const double angle = spread(options.pose_noise_deg * kRadian);
    photograph.cam_from_source = rigid_from_centre(
        Eigen::AngleAxisd(angle, axis).toRotationMatrix() * photograph.cam_from_source.rotation, noisy);
  }
  drawn.capture.photographs.push_back(std::move(photograph));
}

inline DrawnCapture draw_capture(DrawnShape shape, const DrawnOptions& options, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  DrawnCapture drawn;
  drawn.unit = 0.57 / (2 * shape.half.norm());
  drawn.shape = std::move(shape);
  if (options.any_similarity) {
    drawn.source_from_world.scale = std::exp(4 * draw_unit(random) - 2);
    drawn.source_from_world.rotation = random_rotation(random);
    drawn.source_from_world.translation = 10 * Eigen::Vector3d(draw_unit(random), draw_unit(random), draw_unit(random));
  }
  for (int i = 0; i < options.views; ++i) add_photograph(drawn, options, i, random);
  drawn.capture.kind = "drawn";
  drawn.capture.where = "drawn";
  return drawn;
}

/// The silhouette of each photograph.
inline std::vector<MaskView> silhouettes_of(const DrawnCapture& drawn) {
  std::vector<MaskView> silhouettes;
  for (std::size_t i = 0; i < drawn.images.size(); ++i) {
    const Mask mask = object_mask(drawn.images[i], "drawn").mask;
    silhouettes.push_back(resampled_mask(drawn.capture.photographs[i], mask, mask_facts(mask)));
  }
  return silhouettes;
}

}  // namespace p2mpp
