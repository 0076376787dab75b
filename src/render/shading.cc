#include "render/shading.h"

#include <Eigen/Geometry>
#include <algorithm>
#include <array>
#include <cmath>

namespace p2mpp {
namespace {

constexpr float kKey = 0.80F, kFill = 0.16F, kSkyAbove = 0.36F, kSkyBelow = 0.14F, kRim = 0.08F;

float encode(float linear) {
  return linear <= 0.0031308F ? 12.92F * linear : 1.055F * std::pow(linear, 1 / 2.4F) - 0.055F;
}

/// sRGB values for linear values in steps of 1/4095: pow() for each pixel would take longer than casting its rays.
std::array<std::uint8_t, 4096> make_table() {
  std::array<std::uint8_t, 4096> table;
  for (std::size_t i = 0; i < table.size(); ++i) {
    table[i] = static_cast<std::uint8_t>(std::lround(255 * encode(static_cast<float>(i) / 4095)));
  }
  return table;
}

}  // namespace

Lights::Lights(const Eigen::Matrix3d& axes)
    : key_((axes.transpose() * Eigen::Vector3d(-0.55, 0.75, 0.60)).normalized().cast<float>()),
      fill_((axes.transpose() * Eigen::Vector3d(0.80, 0.10, 0.55)).normalized().cast<float>()) {}

Eigen::Vector3f Lights::shade(const SurfacePoint& point) const {
  const float open = point.openness;
  const float sky = kSkyBelow + (kSkyAbove - kSkyBelow) * (0.5F + 0.5F * point.normal.y());
  // Occluded points also receive less direct light.
  const float lamps = kKey * std::max(0.0F, point.normal.dot(key_)) + kFill * std::max(0.0F, point.normal.dot(fill_));
  const float grazing = 1 - std::clamp(point.normal.dot(point.to_viewer), 0.0F, 1.0F);
  const float rim = kRim * grazing * grazing * grazing * open;
  return point.colour * (sky * open + lamps * (0.35F + 0.65F * open)) + Eigen::Vector3f::Constant(rim);
}

std::uint8_t srgb_from_linear(float linear) {
  static const std::array<std::uint8_t, 4096> table = make_table();
  return table[static_cast<std::size_t>(std::clamp(linear, 0.0F, 1.0F) * 4095 + 0.5F)];
}

float linear_from_srgb(std::uint8_t srgb) {
  const float value = static_cast<float>(srgb) / 255;
  return value <= 0.04045F ? value / 12.92F : std::pow((value + 0.055F) / 1.055F, 2.4F);
}

}  // namespace p2mpp
