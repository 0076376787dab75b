#include "capture/silhouette.h"

#include <fmt/format.h>

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <optional>

#include "capture/distance_field.h"
#include "p2mpp/error.h"

namespace p2mpp {
namespace {

constexpr double kMargin = 1.08;       ///< around the mask's box
constexpr double kLargestTangent = 5;  ///< half the field of view of a silhouette, at most
constexpr int kPointsPerSide = 16;     ///< of the mask's box, whose directions bound the view

/// The part of a mask around its box, reduced by a whole factor with a box filter.
class ReducedMask {
 public:
  ReducedMask(const Mask& mask, const MaskFacts& facts, int most_pixels) {
    const int longest = std::max(facts.right - facts.left, facts.bottom - facts.top);
    factor_ = std::max(1, longest / most_pixels);
    const int margin = longest / 8 + 2 * factor_;
    left_ = std::max(0, facts.left - margin);
    top_ = std::max(0, facts.top - margin);
    width_ = (std::min(mask.width, facts.right + margin) - left_ + factor_ - 1) / factor_;
    height_ = (std::min(mask.height, facts.bottom + margin) - top_ + factor_ - 1) / factor_;
    values_.resize(static_cast<std::size_t>(width_) * static_cast<std::size_t>(height_));
    for (int row = 0; row < height_; ++row) {
      for (int column = 0; column < width_; ++column) at(row, column) = mean_of(mask, row, column);
    }
  }

  /// Bilinear at a continuous pixel of the whole mask; the nearest value outside.
  [[nodiscard]] double value(double x, double y) const {
    const double u = std::clamp((x - left_) / factor_ - 0.5, 0.0, width_ - 1.0);
    const double v = std::clamp((y - top_) / factor_ - 0.5, 0.0, height_ - 1.0);
    const int column = static_cast<int>(u), row = static_cast<int>(v);
    const int right = std::min(column + 1, width_ - 1), below = std::min(row + 1, height_ - 1);
    const double upper = std::lerp(at(row, column), at(row, right), u - column);
    return std::lerp(upper, std::lerp(at(below, column), at(below, right), u - column), v - row);
  }

 private:
  [[nodiscard]] float at(int row, int column) const { return const_cast<ReducedMask*>(this)->at(row, column); }
  float& at(int row, int column) {
    return values_[static_cast<std::size_t>(row) * static_cast<std::size_t>(width_) + static_cast<std::size_t>(column)];
  }

  [[nodiscard]] float mean_of(const Mask& mask, int row, int column) const {
    const int top = top_ + row * factor_, bottom = std::min(top + factor_, mask.height);
    const int left = left_ + column * factor_, right = std::min(left + factor_, mask.width);
    int sum = 0;
    for (int y = top; y < bottom; ++y) {
      for (int x = left; x < right; ++x) sum += mask.at(y, x);
    }
    return static_cast<float>(sum) / static_cast<float>((bottom - top) * (right - left));
  }

  int factor_ = 1, left_ = 0, top_ = 0, width_ = 0, height_ = 0;
  std::vector<float> values_;
};

/// The directions, in the photograph's frame, of points around the mask's box.
std::vector<Eigen::Vector3d> box_directions(const Photograph& photograph, const Mask& mask, const MaskFacts& facts) {
  const LensMap lens(photograph.lens);
  const double scale_x = static_cast<double>(photograph.width) / mask.width;
  const double scale_y = static_cast<double>(photograph.height) / mask.height;
  std::vector<Eigen::Vector3d> directions;
  const auto add = [&](double s, double t) {
    const Eigen::Vector2d pixel(std::lerp(facts.left, facts.right, s) * scale_x,
                                std::lerp(facts.top, facts.bottom, t) * scale_y);
    if (const std::optional<Eigen::Vector3d> direction = lens.direction_of(pixel)) directions.push_back(*direction);
  };
  for (int i = 0; i <= kPointsPerSide; ++i) {
    const double s = static_cast<double>(i) / kPointsPerSide;
    for (const double end : {0.0, 1.0}) {
      add(s, end);
      add(end, s);
    }
  }
  return directions;
}

/// Axes of a camera that looks along a direction, with x as near to the photograph's x as can be. In the photograph's
/// frame.
Eigen::Matrix3d looking_along(const Eigen::Vector3d& direction) {
  Eigen::Matrix3d axes;
  const Eigen::Vector3d z = direction.normalized();
  const Eigen::Vector3d hint = std::fabs(z.y()) < 0.99 ? Eigen::Vector3d::UnitY() : Eigen::Vector3d::UnitZ();
  const Eigen::Vector3d x = hint.cross(z).normalized();
  axes << x.transpose(), z.cross(x).transpose(), z.transpose();
  return axes;
}

}  // namespace

double Silhouette::distance_at(double x, double y) const {
  const double most = size - 1.0;
  const double u = std::clamp(x - 0.5, 0.0, most), v = std::clamp(y - 0.5, 0.0, most);
  const auto side = static_cast<std::size_t>(size);
  const auto column = std::min(static_cast<std::size_t>(u), side - 2),
             row = std::min(static_cast<std::size_t>(v), side - 2);
  const double s = u - static_cast<double>(column), t = v - static_cast<double>(row);
  const float* upper = &distance[row * side + column];
  const float* lower = upper + side;
  const double above = upper[0] + (upper[1] - upper[0]) * s;
  const double value = above + (lower[0] + (lower[1] - lower[0]) * s - above) * t;
  if (value >= 0 || is_continuous) return value;
  const double beyond_x = x - 0.5 - u, beyond_y = y - 0.5 - v;
  return beyond_x == 0 && beyond_y == 0 ? value : value - std::hypot(beyond_x, beyond_y);
}

Silhouette make_silhouette(const Photograph& photograph, const Mask& mask, const MaskFacts& facts, int size) {
  const std::vector<Eigen::Vector3d> around = box_directions(photograph, mask, facts);
  Eigen::Vector3d middle = Eigen::Vector3d::Zero();
  for (const Eigen::Vector3d& direction : around) middle += direction;
  if (around.empty() || middle.norm() < 1e-6) {
    throw InputError(
        fmt::format("{}: its lens sees no part of the mask; expected other distortion coefficients", photograph.name));
  }
  const Eigen::Matrix3d axes = looking_along(middle);
  double reach = 1e-4;
  for (const Eigen::Vector3d& direction : around) {
    const Eigen::Vector3d seen = axes * direction;
    const double tangent = seen.z() > 0 ? seen.head<2>().cwiseAbs().maxCoeff() / seen.z() : kLargestTangent;
    reach = std::max(reach, std::min(tangent, kLargestTangent));
  }

  Silhouette silhouette;
  silhouette.axes = axes;
  silhouette.rotation = axes * photograph.rotation;
  silhouette.centre = photograph.centre();
  silhouette.size = size;
  silhouette.focal = size / (2 * kMargin * reach);
  silhouette.grain = size / (kMargin * std::max(facts.right - facts.left, facts.bottom - facts.top));
  const LensMap lens(photograph.lens);
  const ReducedMask reduced(mask, facts, size);
  const double scale_x = static_cast<double>(mask.width) / photograph.width;
  const double scale_y = static_cast<double>(mask.height) / photograph.height;
  silhouette.coverage.reserve(static_cast<std::size_t>(size) * static_cast<std::size_t>(size));
  for (int row = 0; row < size; ++row) {
    for (int column = 0; column < size; ++column) {
      const Eigen::Vector3d seen((column + 0.5 - size / 2.0) / silhouette.focal,
                                 (row + 0.5 - size / 2.0) / silhouette.focal, 1);
      const std::optional<Eigen::Vector2d> pixel = lens.pixel_of(axes.transpose() * seen);
      const double value = pixel ? reduced.value(pixel->x() * scale_x, pixel->y() * scale_y) : 0;
      silhouette.coverage.push_back(static_cast<std::uint8_t>(std::lround(value)));
    }
  }
  silhouette.distance = signed_distances(silhouette.coverage, size);
  return silhouette;
}

}  // namespace p2mpp
