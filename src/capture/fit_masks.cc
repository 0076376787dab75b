#include "capture/fit_masks.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <utility>

#include "base/luminance.h"
#include "capture/masks.h"

namespace p2mpp {
namespace {

constexpr int kLeastSize = 64, kMostSize = 256;

/// Box-filters a row of `in` pixels, `stride` apart, down to `out` pixels.
void average_row(const float* in, int in_size, float* out, int out_size, std::size_t stride) {
  const double scale = static_cast<double>(in_size) / out_size;
  for (int i = 0; i < out_size; ++i) {
    const double begin = i * scale, end = std::min((i + 1) * scale, static_cast<double>(in_size));
    double sum = 0;
    for (int k = static_cast<int>(begin); k < in_size && k < end; ++k) {
      const double share = std::min(end, k + 1.0) - std::max(begin, static_cast<double>(k));
      sum += share * static_cast<double>(in[static_cast<std::size_t>(k) * stride]);
    }
    out[static_cast<std::size_t>(i) * stride] = static_cast<float>(sum / (end - begin));
  }
}

std::vector<std::uint8_t> resized(const std::vector<std::uint8_t>& coverage, int from, int to) {
  const auto size = static_cast<std::size_t>(from), wanted = static_cast<std::size_t>(to),
             stride = std::max(size, wanted);
  std::vector<float> in(stride * stride), rows(stride * stride), both(stride * stride);
  for (std::size_t row = 0; row < size; ++row) {
    for (std::size_t column = 0; column < size; ++column) in[row * stride + column] = coverage[row * size + column];
    average_row(&in[row * stride], from, &rows[row * stride], to, 1);
  }
  for (std::size_t column = 0; column < wanted; ++column) average_row(&rows[column], from, &both[column], to, stride);
  std::vector<std::uint8_t> result;
  for (std::size_t row = 0; row < wanted; ++row) {
    for (std::size_t column = 0; column < wanted; ++column) {
      result.push_back(static_cast<std::uint8_t>(std::lround(both[row * stride + column])));
    }
  }
  return result;
}

std::vector<std::uint8_t> brightness_of(const Image& image) {
  std::vector<std::uint8_t> values;
  values.reserve(image.rgba.size() / 4);
  for (std::size_t i = 0; i + 3 < image.rgba.size(); i += 4) values.push_back(luminance(&image.rgba[i]));
  return values;
}

}  // namespace

FitMask fit_mask_of(const View& view) {
  Mask mask = object_mask(view.image, view.name).mask;
  FitMask fit{.size = mask.width, .coverage = std::move(mask.coverage), .camera = view.camera, .name = view.name};
  fit.brightness = brightness_of(view.image);
  if (fit.size < kLeastSize || fit.size > kMostSize) {
    fit.coverage = resized(fit.coverage, fit.size, static_cast<int>(kImageSize));
    fit.brightness = resized(fit.brightness, fit.size, static_cast<int>(kImageSize));
    fit.size = static_cast<int>(kImageSize);
  }
  return fit;
}

FitMask fit_mask_of(const Silhouette& silhouette, const Eigen::Matrix3d& rotation, const Eigen::Vector3d& translation,
                    std::string name) {
  FitMask fit{.size = silhouette.size, .coverage = silhouette.coverage, .camera = {}, .name = std::move(name)};
  fit.brightness = silhouette.brightness;
  // From OpenCV's axes, x right, y down, z forward, to ours: x right, y up, z backward.
  fit.camera.rotation = Eigen::Vector3d(1, -1, -1).asDiagonal() * Eigen::Matrix3d(silhouette.axes * rotation);
  fit.camera.origin = -(rotation.transpose() * translation);
  const double focal = silhouette.focal * kImageSize / silhouette.size;
  fit.camera.intrinsics = {.fx = focal, .fy = focal, .cx = kImageSize / 2, .cy = kImageSize / 2};
  return fit;
}

}  // namespace p2mpp
