#include "image/object_mask.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>

#include "base/option.h"
#include "base/text.h"
#include "base/thread_scopes.h"
#include "image/border_colours.h"
#include "p2mpp/error.h"

namespace p2mpp {
namespace {

/// A run of equal pixels in a row. Small: a mask of noise has one for every second pixel.
struct Run {
  int row = 0, begin = 0, end = 0;
  std::uint32_t parent = 0;
  std::uint32_t pixels = 0;  ///< of the piece, at its root
  bool on_border = false;    ///< of the piece, at its root
};

class Runs {
 public:
  /// The runs of pixels that are the object's (or are not), joined into pieces. reach: 1 if diagonal neighbours touch.
  Runs(const Mask& mask, bool object, int reach) : mask_(mask) {
    std::size_t above = 0;
    for (int row = 0; row < mask.height; ++row) {
      const std::size_t begin = runs_.size();
      append_row(row, object);
      join(above, begin, reach);
      above = begin;
    }
  }

  [[nodiscard]] std::size_t largest() const {
    std::uint32_t most = 0;
    for (const Run& run : runs_) most = std::max(most, run.pixels);
    return most;
  }

  /// Sets the pixels of pieces with fewer than `least` pixels; those at the border only if include_border is set.
  void fill_small(Mask& mask, std::size_t least, std::uint8_t value, bool include_border) {
    for (std::size_t i = 0; i < runs_.size(); ++i) {
      const Run& root = runs_[find_root(i)];
      if (root.pixels >= least || (root.on_border && !include_border)) continue;
      const Run& run = runs_[i];
      const auto start = mask.coverage.begin() + static_cast<std::ptrdiff_t>(run.row) * mask.width;
      std::fill(start + run.begin, start + run.end, value);
    }
  }

  /// Sets the pixels of pieces that do not touch the border.
  void fill_inner(Mask& mask, std::uint8_t value) {
    fill_small(mask, std::numeric_limits<std::size_t>::max(), value, false);
  }

 private:
  void append_row(int row, bool object) {
    for (int column = 0; column < mask_.width;) {
      const int begin = column;
      while (column < mask_.width && (mask_.at(row, column) > 0) == object) ++column;
      if (column > begin) {
        const bool on_border = row == 0 || row + 1 == mask_.height || begin == 0 || column == mask_.width;
        runs_.push_back({row, begin, column, static_cast<std::uint32_t>(runs_.size()),
                         static_cast<std::uint32_t>(column - begin), on_border});
      }
      while (column < mask_.width && (mask_.at(row, column) > 0) != object) ++column;
    }
  }

  void join(std::size_t above, std::size_t begin, int reach) {
    std::size_t upper = above;
    for (std::size_t lower = begin; lower < runs_.size(); ++lower) {
      while (upper < begin && runs_[upper].end + reach <= runs_[lower].begin) ++upper;
      for (std::size_t i = upper; i < begin && runs_[i].begin < runs_[lower].end + reach; ++i) unite(i, lower);
    }
  }

  std::size_t find_root(std::size_t i) {
    while (runs_[i].parent != i) i = runs_[i].parent = runs_[runs_[i].parent].parent;
    return i;
  }

  void unite(std::size_t a, std::size_t b) {
    a = find_root(a);
    b = find_root(b);
    if (a == b) return;
    if (runs_[a].pixels < runs_[b].pixels) std::swap(a, b);
    runs_[b].parent = static_cast<std::uint32_t>(a);
    runs_[a].pixels += runs_[b].pixels;
    runs_[a].on_border |= runs_[b].on_border;
  }

  const Mask& mask_;
  std::vector<Run> runs_;
};

constexpr int kColourTolerance = 24;  ///< of 255, in any channel: what a border's pixel may differ from its median
constexpr int kLeastTolerance = 10;   ///< a JPEG's ringing
constexpr double kSpeckShare = 1e-3;
constexpr double kSpeckShareOfCloth = 1e-2;  ///< folds that no border shows

std::string colour_text(const Colour& colour) { return fmt::format("{},{},{}", colour[0], colour[1], colour[2]); }

/// The background colour, and the noise around it.
struct KnownBackground {
  Colour colour{};
  int tolerance = kLeastTolerance;
};

/// `shared`: colours of all photographs' borders, or nothing.
KnownBackground find_background(const Image& image, const std::string& name, const BackgroundColour& background,
                                const BorderColours* shared) {
  const std::vector<const std::uint8_t*> border = border_pixels(image);
  KnownBackground known{background.colour.value_or(median_colour(border))};
  std::array<std::size_t, 256> counts{};
  std::size_t agree = 0, known_by_others = 0;
  for (const std::uint8_t* pixel : border) {
    const int own = colour_difference(pixel, known.colour);
    ++counts[static_cast<std::size_t>(own)];
    if (shared != nullptr && own > kColourTolerance && shared->contain(pixel)) ++known_by_others;
  }
  for (std::size_t i = 0; i <= kColourTolerance; ++i) agree += counts[i];
  const double disagreement = 1 - static_cast<double>(agree + known_by_others) / static_cast<double>(border.size());
  if (disagreement > kMaxBorderDisagreement) {
    throw InputError(
        fmt::format("{}: {:.0f}% of the border differs from the background's colour {}; expected a plain background, "
                    "alpha, or a folder of masks (the option masks; rembg, for one, removes backgrounds)",
                    name, 100 * disagreement, colour_text(known.colour)));
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
std::uint8_t edge_coverage(const std::vector<std::uint8_t>& differences, int width, int height, int row, int column) {
  int largest = 0;
  for (int y = std::max(row - 1, 0); y <= std::min(row + 1, height - 1); ++y) {
    for (int x = std::max(column - 1, 0); x <= std::min(column + 1, width - 1); ++x) {
      const int value =
          differences[static_cast<std::size_t>(y) * static_cast<std::size_t>(width) + static_cast<std::size_t>(x)];
      largest = std::max(largest, value);
    }
  }
  const int own =
      differences[static_cast<std::size_t>(row) * static_cast<std::size_t>(width) + static_cast<std::size_t>(column)];
  return static_cast<std::uint8_t>(std::max(1, 255 * own / std::max(largest, 1)));
}

/// Sets the differences of pixels to 0 that have a shared colour and are joined to the border through such pixels.
void clear_shared(const Image& image, const BorderColours& shared, int tolerance,
                  std::vector<std::uint8_t>& differences) {
  Mask other{image.width, image.height, std::vector<std::uint8_t>(differences.size())};
  for (std::size_t i = 0; i < differences.size(); ++i) {
    other.coverage[i] = differences[i] <= tolerance || shared.contain(&image.rgba[4 * i]) ? 0 : 255;
  }
  Runs(other, false, 0).fill_inner(other, 255);
  for (std::size_t i = 0; i < differences.size(); ++i) {
    if (other.coverage[i] == 0) differences[i] = 0;
  }
}

Mask mask_by_colour(const Image& image, const KnownBackground& background, const BorderColours* shared) {
  Mask mask{image.width, image.height, std::vector<std::uint8_t>(image.rgba.size() / 4)};
  std::vector<std::uint8_t> differences(mask.coverage.size());
  for (std::size_t i = 0; i < differences.size(); ++i) {
    differences[i] = static_cast<std::uint8_t>(colour_difference(&image.rgba[4 * i], background.colour));
  }
  if (shared != nullptr) clear_shared(image, *shared, background.tolerance, differences);
  const auto width = static_cast<std::size_t>(image.width);
  std::vector<std::uint8_t> near(width + 2);  // of a column: whether the row or its neighbours have background there
  for (int row = 0; row < image.height; ++row) {
    end_if_stopped();
    const std::size_t start = static_cast<std::size_t>(row) * width;
    const std::uint8_t* const middle = &differences[start];
    const std::uint8_t* const above = row > 0 ? middle - width : middle;
    const std::uint8_t* const below = row + 1 < image.height ? middle + width : middle;
    for (std::size_t i = 0; i < width; ++i) {
      near[i + 1] = std::min(std::min(above[i], below[i]), middle[i]) <= background.tolerance ? 1 : 0;
    }
    for (std::size_t i = 0; i < width; ++i) {
      if (middle[i] <= background.tolerance) continue;
      const bool is_at_edge = (near[i] | near[i + 1] | near[i + 2]) != 0;
      mask.coverage[start + i] =
          is_at_edge ? edge_coverage(differences, image.width, image.height, row, static_cast<int>(i)) : 255;
    }
  }
  remove_specks(mask, shared != nullptr ? kSpeckShareOfCloth : kSpeckShare);
  return mask;
}

ObjectMask found_mask(const Image& image, const std::string& name, const BackgroundColour& background,
                      const BorderColours* shared) {
  if (!is_opaque(image)) return {alpha_mask(image), std::nullopt, "alpha"};
  const KnownBackground known = find_background(image, name, background, shared);
  return {mask_by_colour(image, known, shared), known.colour, "background " + colour_text(known.colour)};
}

}  // namespace

void remove_specks(Mask& mask, double share) {
  std::size_t least = 2;
  {
    Runs pieces(mask, true, 1);
    least = std::max(least, static_cast<std::size_t>(share * static_cast<double>(pieces.largest())));
    pieces.fill_small(mask, least, 0, true);
  }
  Runs(mask, false, 0).fill_small(mask, least, 255, false);
}

void from_text(std::string_view text, BackgroundColour& background) {
  background = {};
  if (text == "auto") return;
  if (text == "white") {
    background.colour = Colour{255, 255, 255};
    return;
  }
  std::string given(text);
  Eigen::Vector3d numbers = Eigen::Vector3d::Constant(0.5);
  if (three_numbers(0, 255).accepts(given)) from_text(given, numbers);
  if (numbers != numbers.array().floor().matrix()) {
    throw UsageError(fmt::format("background '{}'; expected auto, white, or R,G,B from 0 to 255", printable(text, 40)));
  }
  Colour colour{};
  std::ranges::transform(numbers, colour.begin(), [](double number) { return static_cast<std::uint8_t>(number); });
  background.colour = colour;
}

std::string to_string(const BackgroundColour& background) {
  return background.colour ? colour_text(*background.colour) : "auto";
}

Mask alpha_mask(const Image& image) {
  Mask mask{image.width, image.height, std::vector<std::uint8_t>(image.rgba.size() / 4)};
  for (std::size_t i = 0; i < mask.coverage.size(); ++i) mask.coverage[i] = image.rgba[4 * i + 3];
  return mask;
}

ObjectMask object_mask(const Image& image, const std::string& name, const BackgroundColour& background) {
  return found_mask(image, name, background, nullptr);
}

ObjectMask object_mask(const Image& image, const std::string& name, const BackgroundColour& background,
                       const BorderColours& shared) {
  return found_mask(image, name, background, shared.help() && !background.colour ? &shared : nullptr);
}

}  // namespace p2mpp
