#include "capture/photograph_mask.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "base/input_file.h"
#include "base/text.h"
#include "base/with_prefix.h"
#include "image/resize.h"
#include "io/image/image_file.h"
#include "io/image/png_file.h"
#include "p2mpp/error.h"

namespace p2mpp {
namespace {

namespace fs = std::filesystem;

constexpr double kAspectTolerance = 0.01;
constexpr int kObject = 128;

/// Grey values as coverage. Files that count objects (0, 1, 2, ...) have no value above 127.
Mask grey_mask(const Image& image) {
  Mask mask{image.width, image.height, std::vector<std::uint8_t>(image.rgba.size() / 4)};
  for (std::size_t i = 0; i < mask.coverage.size(); ++i) {
    mask.coverage[i] = std::max({image.rgba[4 * i], image.rgba[4 * i + 1], image.rgba[4 * i + 2]});
  }
  const auto largest = std::max_element(mask.coverage.begin(), mask.coverage.end());
  if (largest != mask.coverage.end() && *largest < kObject) {
    for (std::uint8_t& value : mask.coverage) value = value > 0 ? 255 : 0;
  }
  return mask;
}

/// Reduced to what a photograph of that size can use. Labels of 16 bits are not cut to 0.
Image read_mask_pixels(const fs::path& path, int most_side) {
  const std::string bytes = read_file(path, kMaxTextFileBytes), name = display(path);
  if (std::optional<Image> labels = decode_png_labels(bytes, name)) return *std::move(labels);
  return decode_image(bytes, name, Orientation::kUpright, most_side);
}

Mask read_mask_file(const std::filesystem::path& path, const Image& image, const std::string& name) {
  const Image file = read_mask_pixels(path, std::max({image.width, image.height, kMaxViewSide}));
  const auto differs = [](double a, double b) { return std::fabs(a / b - 1) > kAspectTolerance; };
  const double aspect = static_cast<double>(file.width) / file.height;
  const double expected = static_cast<double>(image.width) / image.height;
  if (differs(aspect, expected) && !differs(aspect, 1 / expected)) {
    throw InputError(fmt::format(
        "{}: has {}x{} pixels, and {} has {}x{}: one of the two is turned, as by an EXIF orientation that was applied "
        "to one only; expected both upright (mogrify -auto-orient)",
        display(path), file.width, file.height, name, image.width, image.height));
  }
  if (differs(aspect, expected)) {
    throw InputError(fmt::format("{}: has {}x{} pixels; expected {}x{} as {}, or the same shape", display(path),
                                 file.width, file.height, image.width, image.height, name));
  }
  return resize_bilinear(is_opaque(file) ? grey_mask(file) : alpha_mask(file), image.width, image.height);
}

}  // namespace

ObjectMask photograph_mask(const Image& image, const std::string& name, const fs::path& mask_file,
                           const BackgroundColour& background, const BorderColours* shared) {
  if (mask_file.empty()) {
    return shared == nullptr ? object_mask(image, name, background) : object_mask(image, name, background, *shared);
  }
  return {read_mask_file(mask_file, image, name), std::nullopt, "mask file"};
}

MaskView resampled_mask(const Photograph& photograph, const Mask& mask, const MaskFacts& facts, int size,
                        const Image* image) {
  return with_prefix(photograph.name + ": ", [&] {
    MaskView view = resampled_mask(photograph.lens, {photograph.width, photograph.height}, mask, facts, size, image);
    view.set_photograph_pose(photograph.cam_from_source);
    return view;
  });
}

}  // namespace p2mpp
