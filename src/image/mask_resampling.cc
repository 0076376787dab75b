#include "image/mask_resampling.h"

#include <fmt/format.h>

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <utility>

#include "image/brightness.h"
#include "image/object_mask.h"
#include "image/reduced_part.h"
#include "p2mpp/error.h"

namespace p2mpp {
namespace {

constexpr int kLeastSize = 64, kMostSize = 256;

std::vector<std::uint8_t> image_brightness(const Image& image) {
  std::vector<std::uint8_t> values;
  values.reserve(image.rgba.size() / 4);
  for (std::size_t i = 0; i + 3 < image.rgba.size(); i += 4) values.push_back(luminance(&image.rgba[i]));
  return values;
}

constexpr double kMargin = 27.0 / 25;  ///< around the mask's box
constexpr double kLargestTangent = 5;  ///< half the field of view of a silhouette, at most
constexpr int kPointsPerSide = 16;     ///< of the mask's box, whose directions bound the view

using ReducedPlane = ReducedPart<float>;

/// The part of a plane of pixels around a box, reduced with a box filter. value(row, column): of a pixel, 0 to 255.
template <class Value>
ReducedPlane reduce_plane(const ImageSize& size, const PixelBox& box, int most_pixels, const Value& value) {
  const int longest = std::max(box.right - box.left, box.bottom - box.top);
  const int factor = std::max(1, longest / most_pixels);
  const int margin = longest / 8 + 2 * factor;
  const auto whole_blocks = [&](int begin, int end) { return begin + (end - begin + factor - 1) / factor * factor; };
  PixelBox part{std::max(0, box.left - margin), std::max(0, box.top - margin), 0, 0};
  part.right = std::min(size.width, whole_blocks(part.left, std::min(size.width, box.right + margin)));
  part.bottom = std::min(size.height, whole_blocks(part.top, std::min(size.height, box.bottom + margin)));
  return {part, factor, [&](const PixelBox& block) {
            int sum = 0;
            for (int y = block.top; y < block.bottom; ++y) {
              for (int x = block.left; x < block.right; ++x) sum += value(y, x);
            }
            return static_cast<float>(sum) /
                   static_cast<float>((block.bottom - block.top) * (block.right - block.left));
          }};
}

/// Bilinear at a continuous pixel of the whole plane. Outside the image, the nearest value.
double value_at(const ReducedPlane& plane, const Eigen::Vector2d& pixel) {
  const double u = std::clamp(plane.column_of(pixel.x()), 0.0, plane.width() - 1.0);
  const double v = std::clamp(plane.row_of(pixel.y()), 0.0, plane.height() - 1.0);
  const int column = static_cast<int>(u), row = static_cast<int>(v);
  const int right = std::min(column + 1, plane.width() - 1), below = std::min(row + 1, plane.height() - 1);
  const double upper = std::lerp(plane.at(row, column), plane.at(row, right), u - column);
  return std::lerp(upper, std::lerp(plane.at(below, column), plane.at(below, right), u - column), v - row);
}

ReducedPlane reduce_mask(const Mask& mask, const MaskFacts& facts, int most_pixels) {
  return reduce_plane({mask.width, mask.height}, {facts.left, facts.top, facts.right, facts.bottom}, most_pixels,
                      [&](int row, int column) { return mask.at(row, column); });
}

/// A value of pixels, such as luminance(), around the box of a mask of the same view.
ReducedPlane reduce_image(const Image& image, const Mask& mask, const MaskFacts& facts, int most_pixels,
                          std::uint8_t (*value)(const std::uint8_t*)) {
  const double x = static_cast<double>(image.width) / mask.width, y = static_cast<double>(image.height) / mask.height;
  const auto pixel = [](double place) { return static_cast<int>(std::lround(place)); };
  const PixelBox box{pixel(facts.left * x), pixel(facts.top * y), pixel(facts.right * x), pixel(facts.bottom * y)};
  return reduce_plane({image.width, image.height}, box, most_pixels, [&](int row, int column) {
    return value(&image.rgba[4 * (static_cast<std::size_t>(row) * static_cast<std::size_t>(image.width) +
                                  static_cast<std::size_t>(column))]);
  });
}

/// The directions, in the photograph's frame, of points around the mask's box.
std::vector<Eigen::Vector3d> box_directions(const LensMap& lens, const ImageSize& photograph, const Mask& mask,
                                            const MaskFacts& facts) {
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

/// In the photograph's frame.
Pinhole<double> camera_at_mask(const LensMap& lens, const ImageSize& photograph, const Mask& mask,
                               const MaskFacts& facts, int size) {
  const std::vector<Eigen::Vector3d> around = box_directions(lens, photograph, mask, facts);
  Eigen::Vector3d middle = Eigen::Vector3d::Zero();
  for (const Eigen::Vector3d& direction : around) middle += direction;
  if (around.empty() || middle.norm() < 1e-6) {
    throw InputError("its lens sees no part of the mask; expected other distortion coefficients");
  }
  const Eigen::Matrix3d axes = looking_along(middle);
  double reach = 1e-4;
  for (const Eigen::Vector3d& direction : around) {
    const Eigen::Vector3d seen = axes * direction;
    const double tangent = seen.z() > 0 ? seen.head<2>().cwiseAbs().maxCoeff() / seen.z() : kLargestTangent;
    reach = std::max(reach, std::min(tangent, kLargestTangent));
  }
  Pinhole<double> camera;
  camera.set_pose(axes, Eigen::Vector3d::Zero());
  camera.focal.setConstant(size / (2 * kMargin * reach));
  camera.principal_point.setConstant(size / 2.0);
  return camera;
}

/// Where a photograph shows the pixels of a view, in pixels of the photograph. NaN where it does not.
std::vector<Eigen::Vector2d> map_pixels(const Pinhole<double>& camera, int size, const LensMap& lens) {
  std::vector<Eigen::Vector2d> places;
  places.reserve(static_cast<std::size_t>(size) * static_cast<std::size_t>(size));
  for (int row = 0; row < size; ++row) {
    for (int column = 0; column < size; ++column) {
      const std::optional<Eigen::Vector2d> pixel = lens.pixel_of(camera.ray(column + 0.5, row + 0.5));
      places.push_back(pixel ? *pixel : Eigen::Vector2d::Constant(std::numeric_limits<double>::quiet_NaN()));
    }
  }
  return places;
}

/// The pixels of a view that the photograph does not show, if its border cuts the mask: the object goes on beyond it
/// somewhere. Empty if it does not, because then nothing of the object is there.
std::vector<std::uint8_t> unknown_pixels(const ImageSize& photograph, const MaskFacts& facts,
                                         const std::vector<Eigen::Vector2d>& places) {
  if (std::ranges::none_of(facts.cut, [](bool cut) { return cut; })) return {};
  std::vector<std::uint8_t> unknown;
  unknown.reserve(places.size());
  for (const Eigen::Vector2d& place : places) {
    const bool is_shown =
        place.x() >= 0 && place.y() >= 0 && place.x() <= photograph.width && place.y() <= photograph.height;
    unknown.push_back(is_shown ? 0 : 1);  // also if the place is not a number
  }
  return unknown;
}

/// A plane's values at places of a photograph. `scale`: the plane's pixels for one of the photograph's. 0 where the
/// photograph sees nothing.
std::vector<std::uint8_t> resampled(const ReducedPlane& plane, const Eigen::Array2d& scale,
                                    const std::vector<Eigen::Vector2d>& places) {
  std::vector<std::uint8_t> values;
  values.reserve(places.size());
  for (const Eigen::Vector2d& place : places) {
    const double value = std::isnan(place.x()) ? 0 : value_at(plane, place.array() * scale);
    values.push_back(static_cast<std::uint8_t>(std::lround(value)));
  }
  return values;
}

}  // namespace

FitMask make_fit_mask(const View& view) {
  FitMask fit{object_mask(view.image, view.name).mask, view.camera, image_brightness(view.image), view.name};
  if (fit.width < kLeastSize || fit.width > kMostSize) {
    constexpr int kResized = static_cast<int>(kImageSize);
    const ImageSize from{fit.width, fit.height}, to{kResized, kResized};
    fit.coverage = resize_area(fit.coverage, from, to);
    fit.brightness = resize_area(fit.brightness, from, to);
    fit.width = fit.height = kResized;
  }
  return fit;
}

int native_view_size(const MaskFacts& facts) { return static_cast<int>(kMargin * facts.extent() + 1e-9); }

MaskView resampled_mask(const Lens& lens, const ImageSize& photograph, const Mask& mask, const MaskFacts& facts,
                        int size, const Image* image) {
  const LensMap map(lens);
  const Pinhole<double> camera = camera_at_mask(map, photograph, mask, facts, size);
  const std::vector<Eigen::Vector2d> places = map_pixels(camera, size, map);
  const Eigen::Array2d scale(static_cast<double>(mask.width) / photograph.width,
                             static_cast<double>(mask.height) / photograph.height);
  Mask resized{size, size, resampled(reduce_mask(mask, facts, size), scale, places),
               unknown_pixels(photograph, facts, places)};
  for (std::size_t i = 0; i < resized.unknown.size(); ++i) {
    if (resized.unknown[i] != 0) resized.coverage[i] = 0;
  }
  MaskView view(std::move(resized), camera);
  view.has_margin = true;
  view.view_from_photograph = camera.rotation;
  view.grain = size / (kMargin * facts.extent());
  if (image != nullptr) {
    const Eigen::Array2d pixels(static_cast<double>(image->width) / photograph.width,
                                static_cast<double>(image->height) / photograph.height);
    const auto plane = [&](std::uint8_t (*value)(const std::uint8_t*)) {
      return resampled(reduce_image(*image, mask, facts, size, value), pixels, places);
    };
    view.brightness = plane(luminance);
    view.blue = plane(blue_difference);
    view.red = plane(red_difference);
  }
  return view;
}

}  // namespace p2mpp
