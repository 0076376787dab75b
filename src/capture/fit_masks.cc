#include "capture/fit_masks.h"

#include <cstddef>
#include <utility>

#include "image/luminance.h"
#include "image/object_mask.h"
#include "image/resize.h"

namespace p2mpp {
namespace {

constexpr int kLeastSize = 64, kMostSize = 256;

std::vector<std::uint8_t> image_brightness(const Image& image) {
  std::vector<std::uint8_t> values;
  values.reserve(image.rgba.size() / 4);
  for (std::size_t i = 0; i + 3 < image.rgba.size(); i += 4) values.push_back(luminance(&image.rgba[i]));
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

FitMask make_fit_mask(const Silhouette& silhouette, const Rigid3& cam_from_world, std::string name) {
  FitMask fit{silhouette, {}, silhouette.brightness, std::move(name)};
  fit.camera.rotation = flip_y_and_z(silhouette.axes * cam_from_world.rotation);
  fit.camera.origin = inverse(cam_from_world).translation;
  const double focal = silhouette.focal * kImageSize / silhouette.width;
  fit.camera.intrinsics = {.fx = focal, .fy = focal, .cx = kImageSize / 2, .cy = kImageSize / 2};
  return fit;
}

}  // namespace p2mpp
