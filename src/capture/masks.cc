#include "capture/masks.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "base/text.h"
#include "capture/mask_pieces.h"
#include "io/image/image_file.h"
#include "p2mpp/error.h"
#include "p2mpp/sample.h"

namespace p2mpp {
namespace {

constexpr int kColourTolerance = 24;  ///< of 255, in any channel: what a border's pixel may differ from its median
constexpr int kLeastTolerance = 10;   ///< a JPEG's ringing
constexpr double kSpeckShare = 1e-3;
constexpr double kAspectTolerance = 0.01;
constexpr int kObject = 128;

std::size_t pixel_count(const Image& image) {
  return static_cast<std::size_t>(image.width) * static_cast<std::size_t>(image.height);
}

Mask alpha_of(const Image& image) {
  Mask mask{image.width, image.height, std::vector<std::uint8_t>(pixel_count(image))};
  for (std::size_t i = 0; i < mask.coverage.size(); ++i) mask.coverage[i] = image.rgba[4 * i + 3];
  return mask;
}

/// Grey values as coverage. Files that count objects (0, 1, 2, ...) have no value above 127.
Mask grey_of(const Image& image) {
  Mask mask{image.width, image.height, std::vector<std::uint8_t>(pixel_count(image))};
  for (std::size_t i = 0; i < mask.coverage.size(); ++i) {
    mask.coverage[i] = std::max({image.rgba[4 * i], image.rgba[4 * i + 1], image.rgba[4 * i + 2]});
  }
  const auto largest = std::max_element(mask.coverage.begin(), mask.coverage.end());
  if (largest != mask.coverage.end() && *largest < kObject) {
    for (std::uint8_t& value : mask.coverage) value = value > 0 ? 255 : 0;
  }
  return mask;
}

/// Bilinear, with the centres of pixels at halves.
Mask resized(const Mask& mask, int width, int height) {
  if (mask.width == width && mask.height == height) return mask;
  Mask result{width, height, {}};
  result.coverage.reserve(static_cast<std::size_t>(width) * static_cast<std::size_t>(height));
  for (int row = 0; row < height; ++row) {
    const double y = std::clamp((row + 0.5) * mask.height / height - 0.5, 0.0, mask.height - 1.0);
    const int top = static_cast<int>(y), bottom = std::min(top + 1, mask.height - 1);
    for (int column = 0; column < width; ++column) {
      const double x = std::clamp((column + 0.5) * mask.width / width - 0.5, 0.0, mask.width - 1.0);
      const int left = static_cast<int>(x), right = std::min(left + 1, mask.width - 1);
      const double upper = std::lerp(mask.at(top, left), mask.at(top, right), x - left);
      const double lower = std::lerp(mask.at(bottom, left), mask.at(bottom, right), x - left);
      result.coverage.push_back(static_cast<std::uint8_t>(std::lround(std::lerp(upper, lower, y - top))));
    }
  }
  return result;
}

Mask read_mask_file(const std::filesystem::path& path, const Image& image, const std::string& name) {
  const Image file = read_reduced_image(path, std::max({image.width, image.height, kMaxViewSide}));
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
  return resized(is_opaque(file) ? grey_of(file) : alpha_of(file), image.width, image.height);
}

int difference(const std::uint8_t* pixel, const Colour& colour) {
  return std::max({std::abs(pixel[0] - colour[0]), std::abs(pixel[1] - colour[1]), std::abs(pixel[2] - colour[2])});
}

/// The pixels of a frame along the border.
std::vector<const std::uint8_t*> border_pixels(const Image& image) {
  const int thickness = std::max(1, std::min(image.width, image.height) / 100);
  std::vector<const std::uint8_t*> pixels;
  for (int row = 0; row < image.height; ++row) {
    const bool whole_row = row < thickness || row >= image.height - thickness;
    for (int column = 0; column < image.width; ++column) {
      if (!whole_row && column == thickness) column = std::max(column, image.width - thickness);
      const auto index = static_cast<std::size_t>(row) * static_cast<std::size_t>(image.width);
      pixels.push_back(&image.rgba[4 * (index + static_cast<std::size_t>(column))]);
    }
  }
  return pixels;
}

Colour median_colour(const std::vector<const std::uint8_t*>& pixels) {
  Colour colour{};
  for (std::size_t channel = 0; channel < 3; ++channel) {
    std::array<std::size_t, 256> counts{};
    for (const std::uint8_t* pixel : pixels) ++counts[pixel[channel]];
    std::size_t sum = 0;
    std::uint8_t value = 0;
    for (sum = counts[0]; 2 * sum < pixels.size(); sum += counts[value]) ++value;
    colour[channel] = value;
  }
  return colour;
}

std::string describe(const Colour& colour) { return fmt::format("{},{},{}", colour[0], colour[1], colour[2]); }

/// The background colour, and the noise around it.
struct KnownBackground {
  Colour colour{};
  int tolerance = kLeastTolerance;
};

KnownBackground find_background(const Image& image, const std::string& name, const BackgroundColour& background) {
  const std::vector<const std::uint8_t*> border = border_pixels(image);
  KnownBackground known{background.colour.value_or(median_colour(border))};
  std::array<std::size_t, 256> counts{};
  for (const std::uint8_t* pixel : border) ++counts[static_cast<std::size_t>(difference(pixel, known.colour))];
  std::size_t agree = 0;
  for (std::size_t i = 0; i <= kColourTolerance; ++i) agree += counts[i];
  const double disagreement = 1 - static_cast<double>(agree) / static_cast<double>(border.size());
  if (disagreement > kMaxBorderDisagreement) {
    throw InputError(
        fmt::format("{}: {:.0f}% of the border differs from the background's colour {}; expected a plain background, "
                    "alpha, or a folder of masks (the option masks; rembg, for one, removes backgrounds)",
                    name, 100 * disagreement, describe(known.colour)));
  }
  std::size_t below = 0;
  int noise = 0;  // 95% of what agrees differs no more
  for (below = counts[0]; static_cast<double>(below) < 0.95 * static_cast<double>(agree); ++noise) {
    below += counts[static_cast<std::size_t>(noise) + 1];
  }
  known.tolerance = std::clamp(noise + 4, kLeastTolerance, kColourTolerance);
  return known;
}

/// How much of a pixel beside the background is the object: its difference from the background, relative to the
/// largest one around it, which is the object's own.
std::uint8_t edge_coverage(const std::vector<std::uint8_t>& differences, int width, int height, int row, int column,
                           int tolerance) {
  int largest = 0;
  bool at_edge = false;
  for (int y = std::max(row - 1, 0); y <= std::min(row + 1, height - 1); ++y) {
    for (int x = std::max(column - 1, 0); x <= std::min(column + 1, width - 1); ++x) {
      const int value =
          differences[static_cast<std::size_t>(y) * static_cast<std::size_t>(width) + static_cast<std::size_t>(x)];
      largest = std::max(largest, value);
      at_edge |= value <= tolerance;
    }
  }
  if (!at_edge) return 255;
  const int own =
      differences[static_cast<std::size_t>(row) * static_cast<std::size_t>(width) + static_cast<std::size_t>(column)];
  return static_cast<std::uint8_t>(std::max(1, 255 * own / std::max(largest, 1)));
}

Mask mask_by_colour(const Image& image, const KnownBackground& background) {
  Mask mask{image.width, image.height, std::vector<std::uint8_t>(pixel_count(image))};
  std::vector<std::uint8_t> differences(mask.coverage.size());
  for (std::size_t i = 0; i < differences.size(); ++i) {
    differences[i] = static_cast<std::uint8_t>(difference(&image.rgba[4 * i], background.colour));
  }
  std::size_t i = 0;
  for (int row = 0; row < image.height; ++row) {
    for (int column = 0; column < image.width; ++column, ++i) {
      if (differences[i] <= background.tolerance) continue;
      mask.coverage[i] = edge_coverage(differences, image.width, image.height, row, column, background.tolerance);
    }
  }
  remove_specks(mask, kSpeckShare);
  return mask;
}

}  // namespace

BackgroundColour parse_background(std::string_view text) {
  if (text == "auto") return {};
  if (text == "white") return {Colour{255, 255, 255}};
  Colour colour{};
  std::string_view rest = text;
  for (std::size_t i = 0; i < 3; ++i) {
    const std::size_t comma = i < 2 ? rest.find(',') : rest.size();
    const std::optional<double> value =
        comma == std::string_view::npos ? std::nullopt : parse_finite(trimmed(rest.substr(0, comma)));
    if (!value || *value < 0 || *value > 255 || *value != std::floor(*value)) {
      throw UsageError(
          fmt::format("background '{}'; expected auto, white, or R,G,B from 0 to 255", printable(text, 40)));
    }
    colour[i] = static_cast<std::uint8_t>(*value);
    rest.remove_prefix(std::min(comma + 1, rest.size()));
  }
  return {colour};
}

ObjectMask object_mask(const Image& image, const std::string& name, const std::filesystem::path& mask_file,
                       const BackgroundColour& background) {
  if (!mask_file.empty()) return {read_mask_file(mask_file, image, name), std::nullopt, "mask file"};
  if (!is_opaque(image)) return {alpha_of(image), std::nullopt, "alpha"};
  const KnownBackground known = find_background(image, name, background);
  return {mask_by_colour(image, known), known.colour, "background " + describe(known.colour)};
}

MaskFacts mask_facts(const Mask& mask) {
  MaskFacts facts;
  std::size_t count = 0, on_border = 0;
  for (int row = 0; row < mask.height; ++row) {
    for (int column = 0; column < mask.width; ++column) {
      if (mask.at(row, column) < kObject) continue;
      if (count++ == 0) facts = {0, 0, {}, column, row, column + 1, row + 1};
      facts.left = std::min(facts.left, column);
      facts.right = std::max(facts.right, column + 1);
      facts.bottom = row + 1;
      on_border += row == 0 || column == 0 || row + 1 == mask.height || column + 1 == mask.width;
    }
  }
  if (count == 0) return facts;
  const double pixels = static_cast<double>(mask.width) * mask.height;
  const double border = 2.0 * (mask.width + mask.height) - 4;
  facts.share = static_cast<double>(count) / pixels;
  facts.border_share = static_cast<double>(on_border) / border;
  const bool cut[] = {facts.left == 0, facts.top == 0, facts.right == mask.width, facts.bottom == mask.height};
  std::copy(std::begin(cut), std::end(cut), std::begin(facts.cut));
  return facts;
}

std::string describe_problem(const MaskFacts& facts) {
  constexpr double kFullShare = 0.98;
  constexpr int kLeastSide = 8;
  if (facts.share == 0) return "the mask is empty";
  if (facts.share > kFullShare) return fmt::format("the mask covers {:.0f}% of the image", 100 * facts.share);
  const int width = facts.right - facts.left, height = facts.bottom - facts.top;
  if (std::max(width, height) < kLeastSide) {
    return fmt::format("the mask has {}x{} pixels; expected at least {} one way", width, height, kLeastSide);
  }
  return {};
}

}  // namespace p2mpp
