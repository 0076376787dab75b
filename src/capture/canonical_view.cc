#include "capture/canonical_view.h"

#include <fmt/format.h>

#include <Eigen/Geometry>
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <optional>
#include <vector>

#include "image/mask_facts.h"
#include "image/network_frame.h"
#include "image/srgb.h"
#include "p2mpp/error.h"

namespace p2mpp {
namespace {

constexpr int kSide = static_cast<int>(kImageSize);
constexpr int kReducedPixels = 3;  ///< of the reduced photograph, at least, along a side of an output pixel
constexpr int kSamples = 4;        ///< along a side of an output pixel

/// Where the corners of the output's pixels are in the photograph; NaN where it does not see them.
class Mapping {
 public:
  Mapping(const Photograph& photograph, const Camera& camera, const Similarity& source_from_world) {
    const LensMap lens(photograph.lens);
    const Eigen::Matrix3d photo_from_cam =
        photograph.cam_from_source.rotation * source_from_world.rotation * camera.rotation.transpose();
    const Intrinsics& in = camera.intrinsics;
    for (int row = 0; row <= kSide; ++row) {
      for (int column = 0; column <= kSide; ++column) {
        const Eigen::Vector3d seen((column - in.cx) / in.fx, -(row - in.cy) / in.fy, -1);
        const std::optional<Eigen::Vector2d> pixel = lens.pixel_of(photo_from_cam * seen);
        corners_[index(row, column)] =
            pixel.value_or(Eigen::Vector2d::Constant(std::numeric_limits<double>::quiet_NaN()));
      }
    }
  }

  /// In the photograph, the point of an output pixel at (s, t) of its area. The mapping is smooth: within a pixel it is
  /// bilinear to far less than a pixel of the photograph.
  [[nodiscard]] Eigen::Vector2d at(int row, int column, double s, double t) const {
    const Eigen::Vector2d upper = (1 - s) * corners_[index(row, column)] + s * corners_[index(row, column + 1)];
    const Eigen::Vector2d lower = (1 - s) * corners_[index(row + 1, column)] + s * corners_[index(row + 1, column + 1)];
    return (1 - t) * upper + t * lower;
  }

  [[nodiscard]] bool sees(int row, int column) const { return at(row, column, 0.5, 0.5).allFinite(); }

  /// Pixels of the photograph along a side of an output pixel: the smallest there is.
  [[nodiscard]] double step() const {
    double least = std::numeric_limits<double>::infinity();
    for (int row = 0; row < kSide; row += 8) {
      for (int column = 0; column < kSide; column += 8) {
        if (!sees(row, column)) continue;
        least = std::min({least, (corners_[index(row, column + 1)] - corners_[index(row, column)]).norm(),
                          (corners_[index(row + 1, column)] - corners_[index(row, column)]).norm()});
      }
    }
    return std::isfinite(least) ? least : 1;
  }

  [[nodiscard]] Eigen::AlignedBox2d box() const {
    Eigen::AlignedBox2d box;
    for (const Eigen::Vector2d& corner : corners_) {
      if (corner.allFinite()) box.extend(corner);
    }
    return box;
  }

 private:
  static std::size_t index(int row, int column) {
    return static_cast<std::size_t>(row) * (kSide + 1) + static_cast<std::size_t>(column);
  }
  std::vector<Eigen::Vector2d> corners_ = std::vector<Eigen::Vector2d>((kSide + 1) * (kSide + 1));
};

using PremultipliedColour = Eigen::Vector4f;  ///< red, green, blue times coverage, and coverage; 0 to 255

/// A pixel that was photographed in front of a known background is coverage * object + (1 - coverage) * background.
PremultipliedColour premultiplied(const std::uint8_t* rgb, std::uint8_t coverage,
                                  const std::optional<Colour>& background) {
  const float alpha = static_cast<float>(coverage) / 255;
  PremultipliedColour result(rgb[0], rgb[1], rgb[2], coverage);
  if (!background) {
    result.head<3>() *= alpha;
  } else if (coverage < 255) {
    const Eigen::Vector3f behind((*background)[0], (*background)[1], (*background)[2]);
    result.head<3>() = (result.head<3>() - (1 - alpha) * behind).cwiseMax(0).cwiseMin(255 * alpha);
  }
  return result;
}

using ReducedPhotograph = ReducedPart<PremultipliedColour>;

/// The part of a photograph in a box, reduced by a whole factor with a box filter. Outside the cut-out it is
/// transparent.
ReducedPhotograph reduce_photograph(const Photograph& photograph, const Cutout& cutout, const Eigen::AlignedBox2d& box,
                                    int factor) {
  const Eigen::AlignedBox2d part = box.intersection(
      Eigen::AlignedBox2d(Eigen::Vector2d(0, 0), Eigen::Vector2d(photograph.width, photograph.height)));
  if (part.isEmpty()) return {};
  const PixelBox pixels{std::max(0, static_cast<int>(part.min().x()) - factor),
                        std::max(0, static_cast<int>(part.min().y()) - factor),
                        std::min(photograph.width, static_cast<int>(part.max().x()) + factor + 1),
                        std::min(photograph.height, static_cast<int>(part.max().y()) + factor + 1)};
  const float share = 1 / static_cast<float>(factor * factor);
  return {pixels, factor, [&](const PixelBox& block) {
            PremultipliedColour sum = PremultipliedColour::Zero();
            const int left = std::max(block.left - cutout.left, 0), top = std::max(block.top - cutout.top, 0);
            const int right = std::min(block.right - cutout.left, cutout.image.width);
            const int bottom = std::min(block.bottom - cutout.top, cutout.image.height);
            for (int row = top; row < bottom; ++row) {
              for (int column = left; column < right; ++column) {
                const std::size_t i = static_cast<std::size_t>(row) * static_cast<std::size_t>(cutout.image.width) +
                                      static_cast<std::size_t>(column);
                if (const std::uint8_t coverage = cutout.mask.mask.coverage[i]; coverage > 0) {
                  sum += premultiplied(&cutout.image.rgba[4 * i], coverage, cutout.mask.background);
                }
              }
            }
            return PremultipliedColour(sum * share);
          }};
}

/// Bilinear at a continuous pixel of the photograph.
PremultipliedColour premultiplied_at(const ReducedPhotograph& photograph, const Eigen::Vector2d& pixel) {
  const double x = photograph.column_of(pixel.x()), y = photograph.row_of(pixel.y());
  if (!(x > -1 && y > -1 && x < photograph.width() && y < photograph.height())) return PremultipliedColour::Zero();
  const auto value = [&](int row, int column) -> PremultipliedColour {
    const bool is_inside = row >= 0 && column >= 0 && row < photograph.height() && column < photograph.width();
    return is_inside ? photograph.at(row, column) : PremultipliedColour::Zero();
  };
  const int column = static_cast<int>(std::floor(x)), row = static_cast<int>(std::floor(y));
  const auto s = static_cast<float>(x - column), t = static_cast<float>(y - row);
  const PremultipliedColour upper = (1 - s) * value(row, column) + s * value(row, column + 1);
  const PremultipliedColour lower = (1 - s) * value(row + 1, column) + s * value(row + 1, column + 1);
  return (1 - t) * upper + t * lower;
}

std::array<std::uint8_t, 4> straight(const PremultipliedColour& colour) {
  const auto alpha = to_byte(colour[3]);
  if (alpha == 0) return {255, 255, 255, 0};
  std::array<std::uint8_t, 4> result{0, 0, 0, alpha};
  for (int i = 0; i < 3; ++i) {
    result[static_cast<std::size_t>(i)] = to_byte(255 * colour[i] / colour[3]);
  }
  return result;
}

}  // namespace

Camera canonical_camera(const Photograph& photograph, const Similarity& source_from_world) {
  const Eigen::Matrix3d world_from_source = source_from_world.rotation.transpose();
  const Eigen::Vector3d origin =
      world_from_source * (photograph.centre() - source_from_world.translation) / source_from_world.scale;
  const double distance = origin.norm();
  if (!(distance > 1e-6) || !std::isfinite(distance)) {
    throw InputError(
        fmt::format("{}: its camera is at the object's centre; expected it outside the object", photograph.name));
  }
  const Eigen::Vector3d right = world_from_source * photograph.cam_from_source.rotation.row(0).transpose();
  const double focal = kFocalLength * distance / seen_distance(distance);
  return {looking_at_origin(origin, right), origin, {focal, focal, kPrincipalPoint, kPrincipalPoint}};
}

Cutout cut_out(const Image& image, const ObjectMask& mask) { return cut_out(image, mask, covered_box(mask.mask)); }

Cutout cut_out(const Image& image, const ObjectMask& mask, const PixelBox& box) {
  const int width = box.right - box.left, height = box.bottom - box.top;
  Cutout part{box.left, box.top, {width, height, {}}, {{width, height, {}}, mask.background, mask.origin}};
  const auto pixels = static_cast<std::size_t>(width) * static_cast<std::size_t>(height);
  part.image.rgba.reserve(4 * pixels);
  part.mask.mask.coverage.reserve(pixels);
  for (int row = box.top; row < box.bottom; ++row) {
    const std::ptrdiff_t begin = std::ptrdiff_t{row} * image.width + box.left, end = begin + width;
    part.image.rgba.insert(part.image.rgba.end(), image.rgba.begin() + 4 * begin, image.rgba.begin() + 4 * end);
    part.mask.mask.coverage.insert(part.mask.mask.coverage.end(), mask.mask.coverage.begin() + begin,
                                   mask.mask.coverage.begin() + end);
  }
  return part;
}

View canonical_view(const Photograph& photograph, const Cutout& cutout, const Similarity& source_from_world) {
  View view;
  view.name = photograph.image.empty() ? photograph.name : photograph.image.filename().string();
  view.camera = canonical_camera(photograph, source_from_world);
  view.behind = (photograph.cam_from_source * source_from_world.translation).z() <= 0;
  const Mapping mapping(photograph, view.camera, source_from_world);
  const int factor = std::max(1, static_cast<int>(mapping.step() / kReducedPixels));
  const ReducedPhotograph part = reduce_photograph(photograph, cutout, mapping.box(), factor);
  view.image = {kSide, kSide, {}};
  view.image.rgba.reserve(std::size_t{4} * kSide * kSide);
  for (int row = 0; row < kSide; ++row) {
    for (int column = 0; column < kSide; ++column) {
      PremultipliedColour sum = PremultipliedColour::Zero();
      for (int sample = 0; mapping.sees(row, column) && sample < kSamples * kSamples; ++sample) {
        sum += premultiplied_at(part, mapping.at(row, column, (sample % kSamples + 0.5) / kSamples,
                                                 (static_cast<int>(sample / kSamples) + 0.5) / kSamples));
      }
      const std::array<std::uint8_t, 4> pixel = straight(sum / (kSamples * kSamples));
      view.image.rgba.insert(view.image.rgba.end(), pixel.begin(), pixel.end());
    }
  }
  return view;
}

}  // namespace p2mpp
