#include "p2mpp/sample.h"

#include <fmt/format.h>

#include <utility>

#include "base/with_prefix.h"
#include "image/network_frame.h"
#include "p2mpp/error.h"

namespace p2mpp {
namespace {

View make_view(Image image, const CameraRow& row) { return view_from_row(std::move(image), row); }

View make_view(Image image, const Camera& camera) {
  if (image.width != image.height) {
    throw InputError(fmt::format("image is {}x{}; expected a square (padded_to_square())", image.width, image.height));
  }
  return {std::move(image), camera};
}

void check_pixels(const Image& image) {
  if (image.width >= 1 && image.height >= 1 &&
      image.rgba.size() ==
          std::size_t{4} * static_cast<std::size_t>(image.width) * static_cast<std::size_t>(image.height)) {
    return;
  }
  throw InputError(fmt::format("image has {} bytes for {}x{} pixels; expected 4 per pixel", image.rgba.size(),
                               image.width, image.height));
}

template <typename AnyCamera>
Sample assemble_sample(std::string id, std::vector<Image> images, const std::vector<AnyCamera>& cameras) {
  if (images.size() != cameras.size()) {
    throw InputError(
        fmt::format("{} images and {} cameras; expected a camera for each image", images.size(), cameras.size()));
  }
  if (images.size() < kMinViews || images.size() > kMaxViews) {
    throw InputError(fmt::format("{} images; expected {} to {}", images.size(), kMinViews, kMaxViews));
  }
  Sample sample{std::move(id), {}};
  for (std::size_t i = 0; i < images.size(); ++i) {
    with_prefix(fmt::format("view {}: ", i), [&] {
      with_prefix("camera: ", [&] { check_camera(cameras[i]); });
      check_pixels(images[i]);
      sample.views.push_back(make_view(std::move(images[i]), cameras[i]));
    });
  }
  sample.network_frame = network_frame_for_given(sample.views.front());
  return sample;
}

}  // namespace

View view_from_row(Image image, const CameraRow& row) {
  const bool padded = image.width != image.height;
  return {padded_to_square(std::move(image)), camera_from_row(row), row, padded};
}

Sample make_sample(std::string id, std::vector<Image> images, const std::vector<CameraRow>& rows) {
  return assemble_sample(std::move(id), std::move(images), rows);
}

Sample make_sample(std::string id, std::vector<Image> images, const std::vector<Camera>& cameras) {
  return assemble_sample(std::move(id), std::move(images), cameras);
}

}  // namespace p2mpp
