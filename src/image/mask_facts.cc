#include "image/mask_facts.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <iterator>
#include <utility>
#include <vector>

#include "base/numbers/median.h"
#include "base/thread_scopes.h"
#include "image/mask_boundary.h"
#include "p2mpp/error.h"

namespace p2mpp {

MaskFacts mask_facts(const Mask& mask) {
  MaskFacts facts;
  std::size_t count = 0, on_border = 0;
  for (int row = 0; row < mask.height; ++row) {
    end_if_stopped();
    for (int column = 0; column < mask.width; ++column) {
      if (mask.at(row, column) < 128) continue;
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

PixelBox covered_box(const Mask& mask) {
  PixelBox box{mask.width, mask.height, 0, 0};
  for (int row = 0; row < mask.height; ++row) {
    for (int column = 0; column < mask.width; ++column) {
      if (mask.at(row, column) == 0) continue;
      box.left = std::min(box.left, column);
      box.right = std::max(box.right, column + 1);
      box.top = std::min(box.top, row);
      box.bottom = row + 1;
    }
  }
  return box.bottom == 0 ? PixelBox{} : box;
}

void check_shows_object(const MaskFacts& facts) {
  constexpr double kFullShare = 0.98;
  constexpr int kLeastSide = 8;
  if (facts.share == 0) throw InputError("the mask is empty");
  if (facts.share > kFullShare) {
    throw InputError(fmt::format("the mask covers {:.0f}% of the image", 100 * facts.share));
  }
  const int width = facts.right - facts.left, height = facts.bottom - facts.top;
  if (std::max(width, height) < kLeastSide) {
    throw InputError(fmt::format("the mask has {}x{} pixels; expected at least {} one way", width, height, kLeastSide));
  }
}

bool shows_object(const MaskFacts& facts) {
  try {
    check_shows_object(facts);
    return true;
  } catch (const InputError&) {
    return false;
  }
}

namespace {

constexpr int kReach = 6;  ///< pixels on either side of the boundary
constexpr int kBins = 2 * kReach;
constexpr double kStrongestEdge = 40;  ///< of 255 a pixel: one white reflection must not decide
constexpr int kLeastPixels = 30;       ///< of a bin
constexpr double kClear = 1.5;         ///< times the change anywhere else within reach
constexpr double kLeastExcess = 0.7;   ///< pixels of the measured picture
constexpr double kMostSpread = 0.8;    ///< of the middle half of the masks, the same

using Profile = std::array<double, kBins>;

/// The mean change of the brightness a pixel, by the distance to the boundary: from -kReach (outside) on, one pixel
/// each.
Profile edge_profile(const Mask& mask, std::span<const std::uint8_t> brightness) {
  const std::vector<float> distances = MaskBoundary(mask).signed_distances();
  Profile sums{};
  std::array<int, kBins> counts{};
  const auto width = static_cast<std::size_t>(mask.width);
  for (int row = 1; row + 1 < mask.height; ++row) {
    for (int column = 1; column + 1 < mask.width; ++column) {
      const std::size_t i = static_cast<std::size_t>(row) * width + static_cast<std::size_t>(column);
      const float distance = distances[i];
      if (!(std::fabs(distance) < kReach) || !mask.is_known(i)) continue;
      const auto bin = static_cast<std::size_t>(std::floor(distance) + kReach);
      const double across = (brightness[i + 1] - brightness[i - 1]) / 2.0;
      const double down = (brightness[i + width] - brightness[i - width]) / 2.0;
      sums[bin] += std::min(std::hypot(across, down), kStrongestEdge);
      ++counts[bin];
    }
  }
  for (std::size_t i = 0; i < sums.size(); ++i) sums[i] = counts[i] >= kLeastPixels ? sums[i] / counts[i] : 0;
  return sums;
}

/// The value at a share of sorted values.
double quantile(const std::vector<double>& sorted, double share) {
  return sorted[static_cast<std::size_t>(share * static_cast<double>(sorted.size() - 1) + 0.5)];
}

/// Narrows a tile of a mask. `margin`: how far around it the boundary matters.
void narrow_tile(const Mask& mask, const PixelBox& tile, int margin, float pixels, Mask& result) {
  const PixelBox box{std::max(tile.left - margin, 0), std::max(tile.top - margin, 0),
                     std::min(tile.right + margin, mask.width), std::min(tile.bottom + margin, mask.height)};
  Mask part{box.right - box.left, box.bottom - box.top, {}};
  for (int row = box.top; row < box.bottom; ++row) {
    const auto begin = mask.coverage.begin() + std::ptrdiff_t{row} * mask.width + box.left;
    part.coverage.insert(part.coverage.end(), begin, begin + part.width);
    if (mask.unknown.empty()) continue;
    const auto first = mask.unknown.begin() + std::ptrdiff_t{row} * mask.width + box.left;
    part.unknown.insert(part.unknown.end(), first, first + part.width);
  }
  const Mask moved = MaskBoundary(std::move(part)).shrunk(pixels);
  for (int row = tile.top; row < tile.bottom; ++row) {
    std::copy_n(moved.coverage.begin() + std::ptrdiff_t{row - box.top} * moved.width + tile.left - box.left,
                tile.right - tile.left, result.coverage.begin() + std::ptrdiff_t{row} * mask.width + tile.left);
  }
}

}  // namespace

std::optional<MaskExcess> mask_excess(const Mask& mask, std::span<const std::uint8_t> brightness) {
  const Profile profile = edge_profile(mask, brightness);
  const int peak = static_cast<int>(std::ranges::max_element(profile) - profile.begin());
  const auto value = [&](int bin) { return profile[static_cast<std::size_t>(std::clamp(bin, 0, kBins - 1))]; };
  double elsewhere = 1, sum = 0, moment = 0;
  const double base = std::min(value(peak - 3), value(peak + 3));
  for (int bin = 0; bin < kBins; ++bin) {
    if (std::abs(bin - peak) > 2) {
      elsewhere = std::max(elsewhere, value(bin));
    } else {
      const double weight = std::max(value(bin) - base, 0.0);
      sum += weight;
      moment += weight * (bin - kReach + 0.5);
    }
  }
  if (peak == 0 || peak == kBins - 1 || value(peak) < kClear * elsewhere) return std::nullopt;
  return MaskExcess{moment / sum};
}

double common_excess(std::span<const std::optional<MaskExcess>> measured) {
  std::vector<double> pixels, grains;
  for (const std::optional<MaskExcess>& each : measured) {
    if (!each) continue;
    pixels.push_back(each->pixels);
    grains.push_back(each->grain);
  }
  if (pixels.size() < 3 || 3 * pixels.size() < 2 * measured.size()) return 0;
  std::ranges::sort(pixels);
  const double grain = upper_median(grains), excess = quantile(pixels, 0.5);
  if (grain * (quantile(pixels, 0.75) - quantile(pixels, 0.25)) > kMostSpread) return 0;
  return grain * std::fabs(excess) < kLeastExcess ? 0 : excess;
}

// In tiles, so that the boundary's points need little memory even if the mask is large and noisy.
Mask narrowed(const Mask& mask, double pixels) {
  constexpr int kTile = 256;
  const PixelBox covered = covered_box(mask);
  Mask result = mask;
  if (covered.right == 0) return result;
  const int margin = 2 + static_cast<int>(std::ceil(std::fabs(pixels)));
  const int left = std::max(covered.left - margin, 0), right = std::min(covered.right + margin, mask.width);
  const int top = std::max(covered.top - margin, 0), bottom = std::min(covered.bottom + margin, mask.height);
  for (int row = top; row < bottom; row += kTile) {
    end_if_stopped();
    for (int column = left; column < right; column += kTile) {
      const PixelBox tile{column, row, std::min(column + kTile, right), std::min(row + kTile, bottom)};
      narrow_tile(mask, tile, margin, static_cast<float>(pixels), result);
    }
  }
  return result;
}

}  // namespace p2mpp
