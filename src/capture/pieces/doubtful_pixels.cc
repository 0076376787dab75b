#include <Eigen/Core>
#include <algorithm>
#include <array>
#include <cmath>
#include <span>

#include "base/numbers/median.h"
#include "base/thread_scopes.h"
#include "capture/pieces/missing_pieces.h"
#include "image/mask_boundary.h"

namespace p2mpp {
namespace {

constexpr float kWeak = 0.25F;           ///< contrast of no outline, relative to the median of the boundary
constexpr float kLeastContrast = 10;     ///< of 255, that median
constexpr float kMostWeak = 0.35F;       ///< share of a boundary; beyond, the photograph's outline is not to be trusted
constexpr float kAlong = 6;              ///< pixels along the boundary over which outlines are judged
constexpr float kAgreement = 0.6F;       ///< share of weak points there
constexpr std::size_t kMostPoints = 16;  ///< of a boundary, for each pixel of the silhouette's side
constexpr double kLikelihood = 2;        ///< of the object's brightness, relative to that of the background's

/// Of a plane [width, width]: bilinear, at a position from the upper left corner.
float value_at(std::span<const std::uint8_t> plane, int width, const Eigen::Vector2f& position) {
  const auto most = static_cast<float>(width - 1);
  const float x = std::clamp(position.x() - 0.5F, 0.0F, most), y = std::clamp(position.y() - 0.5F, 0.0F, most);
  const int column = std::min(static_cast<int>(x), width - 2), row = std::min(static_cast<int>(y), width - 2);
  const auto value = [&](int r, int c) { return static_cast<float>(plane[static_cast<std::size_t>(r * width + c)]); };
  const float s = x - static_cast<float>(column), t = y - static_cast<float>(row);
  return std::lerp(std::lerp(value(row, column), value(row, column + 1), s),
                   std::lerp(value(row + 1, column), value(row + 1, column + 1), s), t);
}

/// How much the brightness and, if it is known, the colour change across a boundary that may be off by a pixel and a
/// half.
float contrast_at(const MaskView& silhouette, const BoundaryPoint& point) {
  constexpr int kAcrossSamples = 4;  // on either side, a pixel apart
  std::array<float, 3> squares{};    // by the place of the boundary
  const std::array<std::span<const std::uint8_t>, 3> planes = {silhouette.brightness, silhouette.blue, silhouette.red};
  for (const std::span<const std::uint8_t> plane : planes) {
    if (plane.empty()) continue;
    float values[2 * kAcrossSamples];
    for (int i = 0; i < 2 * kAcrossSamples; ++i) {
      const float along = static_cast<float>(i - kAcrossSamples) + 0.5F;
      values[i] = value_at(plane, silhouette.width, point.position + along * point.outward);
    }
    for (int k = 0; k < 3; ++k) {
      const float* const at = values + kAcrossSamples - 1 + k;
      const float change = (at[-1] + at[-2] - at[0] - at[1]) / 2;
      squares[static_cast<std::size_t>(k)] += change * change;
    }
  }
  return std::sqrt(*std::ranges::max_element(squares));
}

/// For each point of a mask's boundary whether the photograph shows no outline around it. Empty: nothing is known.
std::vector<bool> weak_points(const MaskView& silhouette, const MaskBoundary& boundary) {
  const std::vector<BoundaryPoint>& points = boundary.points();
  const bool is_noise = points.size() > kMostPoints * static_cast<std::size_t>(silhouette.width);
  if (silhouette.brightness.empty() || points.empty() || is_noise) return {};
  std::vector<float> contrasts;
  for (const BoundaryPoint& point : points) contrasts.push_back(contrast_at(silhouette, point));
  const float median = upper_median(contrasts);
  const auto is_weak = [&](float contrast) { return contrast < kWeak * median; };
  if (median < kLeastContrast || std::ranges::none_of(contrasts, is_weak)) return {};
  std::vector<bool> weak(points.size());
  std::size_t count = 0;
  std::size_t begin = 0;  // of the points in the rows around: they are in the order of the pixels above them
  for (std::size_t i = 0; i < points.size(); ++i) {
    const float row = points[i].position.y();
    while (points[begin].position.y() < row - kAlong - 1) ++begin;
    float near = 0, agree = 0;
    for (std::size_t k = begin; k < points.size() && points[k].position.y() <= row + kAlong + 1; ++k) {
      if ((points[k].position - points[i].position).squaredNorm() > kAlong * kAlong) continue;
      ++near;
      agree += is_weak(contrasts[k]) ? 1.0F : 0.0F;
    }
    weak[i] = agree > kAgreement * near;
    count += weak[i] ? 1 : 0;
  }
  if (count == 0 || static_cast<float>(count) > kMostWeak * static_cast<float>(points.size())) return {};
  return weak;
}

/// The pixels outside a mask that are nearest to a boundary without an outline, [width, width]; empty if there is none.
std::vector<std::uint8_t> pixels_without_outline(const MaskView& silhouette) {
  end_if_stopped();
  const MaskBoundary boundary(silhouette);
  const std::vector<bool> weak = weak_points(silhouette, boundary);
  if (weak.empty()) return {};
  const auto depth = static_cast<float>(kPieceDepth * silhouette.width);
  std::vector<std::uint8_t> doubtful(silhouette.coverage.size());
  for (std::size_t i = 0; i < doubtful.size(); ++i) {
    if (silhouette.coverage[i] >= 128 || !silhouette.is_known(i)) continue;
    const Eigen::Vector2f centre(static_cast<float>(i % static_cast<std::size_t>(silhouette.width)) + 0.5F,
                                 static_cast<float>(i / static_cast<std::size_t>(silhouette.width)) + 0.5F);
    const BoundaryPoint& nearest = boundary.nearest(centre);
    const auto point = static_cast<std::size_t>(&nearest - boundary.points().data());
    doubtful[i] = weak[point] && (nearest.position - centre).norm() < depth ? 1 : 0;
  }
  return doubtful;
}

/// How often the object and the background have a value that a pixel has.
class Occurrences {
 public:
  /// bin_of(i): of pixel i, from 0 to bins - 1. Doubtful pixels are neither.
  template <class BinOf>
  Occurrences(const MaskView& silhouette, const std::vector<std::uint8_t>& doubtful, std::size_t bins,
              const BinOf& bin_of)
      : object_(bins), background_(bins) {
    for (std::size_t i = 0; i < doubtful.size(); ++i) {
      if (doubtful[i] != 0 || !silhouette.is_known(i)) continue;
      const bool is_object = silhouette.coverage[i] >= 128;
      ++(is_object ? object_ : background_)[bin_of(i)];
      ++(is_object ? objects_ : backgrounds_);
    }
  }

  /// Whether the object has it more than `times` as often.
  [[nodiscard]] bool are_likely(std::size_t bin, double times) const {
    return object_[bin] * backgrounds_ > times * background_[bin] * objects_;
  }

 private:
  std::vector<double> object_, background_;
  double objects_ = 0, backgrounds_ = 0;
};

/// Takes back what is as bright as the background often is, or has another colour than the object: pixels that are not
/// clearly the object's. Grey objects on grey have one colour, which says nothing.
void keep_like_object(const MaskView& silhouette, std::vector<std::uint8_t>& doubtful) {
  const auto brightness = [&](std::size_t i) { return static_cast<std::size_t>(silhouette.brightness[i] >> 3); };
  const auto colour = [&](std::size_t i) {
    return silhouette.blue.empty() ? 0
                                   : static_cast<std::size_t>(silhouette.blue[i] >> 3) << 5 | silhouette.red[i] >> 3;
  };
  const Occurrences brightnesses(silhouette, doubtful, 32, brightness), colours(silhouette, doubtful, 1024, colour);
  for (std::size_t i = 0; i < doubtful.size(); ++i) {
    if (doubtful[i] == 0) continue;
    doubtful[i] =
        brightnesses.are_likely(brightness(i), kLikelihood) && colours.are_likely(colour(i), 1 / kLikelihood) ? 1 : 0;
  }
}

/// Adds the pixels around those that were filled: a sliver between a piece and the object's outline has an outline.
void add_around(const MaskView& silhouette, std::span<const FilledPixel> filled, std::vector<std::uint8_t>& doubtful) {
  if (filled.empty()) return;
  doubtful.resize(silhouette.coverage.size());
  const int width = silhouette.width;
  for (const FilledPixel& each : filled) {
    const int row = static_cast<int>(each.pixel) / width, column = static_cast<int>(each.pixel) % width;
    for (int r = std::max(row - kSliver, 0); r <= std::min(row + kSliver, width - 1); ++r) {
      for (int c = std::max(column - kSliver, 0); c <= std::min(column + kSliver, width - 1); ++c) {
        const auto i = static_cast<std::size_t>(r * width + c);
        if (silhouette.coverage[i] < 128 && silhouette.is_known(i)) doubtful[i] = 1;
      }
    }
  }
}

}  // namespace

std::vector<std::uint8_t> doubtful_pixels(const MaskView& silhouette, std::span<const FilledPixel> filled) {
  std::vector<std::uint8_t> doubtful = pixels_without_outline(silhouette);
  add_around(silhouette, filled, doubtful);
  keep_like_object(silhouette, doubtful);
  return doubtful;
}

}  // namespace p2mpp
