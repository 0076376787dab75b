#include "capture/photograph_pixels.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <optional>
#include <utility>
#include <vector>

#include "base/input_file.h"
#include "base/text.h"
#include "base/with_prefix.h"
#include "image/brightness.h"
#include "image/reduced_part.h"
#include "image/resize.h"
#include "io/image/image_file.h"
#include "io/image/png_file.h"
#include "p2mpp/error.h"

namespace p2mpp {
namespace {

bool shapes_match(const Image& image, const Photograph& photograph) {
  constexpr double kTolerance = 0.005;
  const double ratio =
      static_cast<double>(image.width) * photograph.height / (static_cast<double>(image.height) * photograph.width);
  return std::fabs(ratio - 1) <= kTolerance;
}

/// Brightness of the reduced box of a mask, negative where a pixel is not wholly the object's.
ReducedPart<float> reduced_brightness(const Image& image, const Mask& mask, const MaskFacts& facts) {
  constexpr int kPixels = 256;
  const int factor = std::max(1, facts.extent() / kPixels);
  const PixelBox whole_blocks{facts.left, facts.top, facts.left + (facts.right - facts.left) / factor * factor,
                              facts.top + (facts.bottom - facts.top) / factor * factor};
  return {whole_blocks, factor, [&](const PixelBox& block) {
            int sum = 0;
            for (int row = block.top; row < block.bottom; ++row) {
              for (int column = block.left; column < block.right; ++column) {
                if (mask.at(row, column) < 255) return -1.0F;
                const auto i = static_cast<std::size_t>(row) * static_cast<std::size_t>(image.width) +
                               static_cast<std::size_t>(column);
                sum += luminance(&image.rgba[4 * i]);
              }
            }
            return static_cast<float>(sum) / static_cast<float>(factor * factor);
          }};
}

}  // namespace

DecodedPhotograph decode(const Photograph& photograph, PixelBudget& budget) {
  const std::string bytes = read_file(photograph.image);
  const std::string name = display(photograph.image);
  DecodedPhotograph result{
      budget.take(image_size(bytes, name), name), photograph,
      decode_image(bytes, name, photograph.upright ? Orientation::kUpright : Orientation::kAsStored)};
  if (!shapes_match(result.image, photograph)) {
    const std::pair stored(result.image.width, result.image.height);
    result.image = {};
    result.image = decode_image(bytes, name);
    if (!shapes_match(result.image, photograph)) {
      throw InputError(fmt::format("{}: has {}x{} pixels; its camera expects {}x{}, or the same shape", name,
                                   stored.first, stored.second, photograph.width, photograph.height));
    }
  }
  const double x = static_cast<double>(result.image.width) / photograph.width;
  const double y = static_cast<double>(result.image.height) / photograph.height;
  Lens& lens = result.photograph.lens;
  lens.fx *= x;
  lens.cx *= x;
  lens.fy *= y;
  lens.cy *= y;
  result.photograph.width = result.image.width;
  result.photograph.height = result.image.height;
  return result;
}

double sharpness(const Image& image, const Mask& mask, const MaskFacts& facts) {
  const ReducedPart<float> brightness = reduced_brightness(image, mask, facts);
  double sum = 0, squares = 0, count = 0;
  for (int row = 1; row + 1 < brightness.height(); ++row) {
    for (int column = 1; column + 1 < brightness.width(); ++column) {
      const float middle = brightness.at(row, column);
      const float around[] = {brightness.at(row - 1, column), brightness.at(row + 1, column),
                              brightness.at(row, column - 1), brightness.at(row, column + 1)};
      if (middle < 0 || *std::min_element(std::begin(around), std::end(around)) < 0) continue;
      const double laplacian = around[0] + around[1] + around[2] + around[3] - 4 * middle;
      sum += laplacian;
      squares += laplacian * laplacian;
      ++count;
    }
  }
  return count > 0 ? squares / count - (sum / count) * (sum / count) : 0;
}

Thumbnail thumbnail(const Image& image) {
  constexpr int kCells = static_cast<int>(kThumbnailSide);
  Thumbnail result{};
  std::vector<float> on_white(image.rgba.size() / 4);
  for (std::size_t c = 0; c < 3; ++c) {
    for (std::size_t i = 0; i < on_white.size(); ++i) {
      const float alpha = static_cast<float>(image.rgba[4 * i + 3]) / 255;
      on_white[i] = 255 + alpha * (static_cast<float>(image.rgba[4 * i + c]) - 255);
    }
    const std::vector<float> cells = resize_area(std::span(on_white), {image.width, image.height}, {kCells, kCells});
    for (std::size_t i = 0; i < cells.size(); ++i) result[3 * i + c] = cells[i];
  }
  return result;
}

double thumbnail_difference(const Thumbnail& a, const Thumbnail& b) {
  double sum = 0, count = 0;
  for (std::size_t i = 0; i < a.size(); i += 3) {
    const float darkest = std::min(*std::min_element(&a[i], &a[i] + 3), *std::min_element(&b[i], &b[i] + 3));
    if (darkest >= kNotWhite) continue;
    for (std::size_t c = 0; c < 3; ++c) sum += std::abs(a[i + c] - b[i + c]);
    count += 3;
  }
  return count > 0 ? sum / count : 0;
}

std::uint64_t pixel_hash(const Image& image) {
  // Four chains, because a multiplication takes several cycles.
  std::array<std::uint64_t, 4> chains{0xcbf29ce484222325 ^ static_cast<std::uint64_t>(image.width), 1, 2, 3};
  const auto add = [](std::uint64_t& hash, std::uint64_t word) {
    hash = (hash ^ word) * 0x100000001b3;
    hash ^= hash >> 29;
  };
  constexpr std::size_t kBlock = sizeof(chains);
  std::size_t at = 0;
  for (; at + kBlock <= image.rgba.size(); at += kBlock) {
    std::array<std::uint64_t, 4> words{};
    std::memcpy(words.data(), &image.rgba[at], kBlock);
    for (std::size_t i = 0; i < 4; ++i) add(chains[i], words[i]);
  }
  for (; at < image.rgba.size(); ++at) add(chains[0], image.rgba[at]);
  for (std::size_t i = 1; i < 4; ++i) add(chains[0], chains[i]);
  return chains[0];
}

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
