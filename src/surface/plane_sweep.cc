#include "surface/plane_sweep.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <limits>

#include "base/numbers/patch_sums.h"

namespace p2mpp {
namespace {

constexpr int kPatchReach = 3;         ///< pixels from a patch's middle to its side
constexpr float kFewestPixels = 30;    ///< of 49 that both pictures show
constexpr float kLeastContrast = 2;    ///< of a patch, standard deviation of its brightness
constexpr float kLeastScore = 0.7F;    ///< mean correlation with the two pictures that agree best
constexpr float kClearlyLess = 0.05F;  ///< by which all other planes must be worse
constexpr int kOfOnePeak = 3;          ///< planes that belong to one peak
constexpr int kMostPlanes = 160;

/// Rows and columns of a picture; the last ones are excluded.
struct Window {
  int top = 0, left = 0, bottom = 0, right = 0;

  [[nodiscard]] bool is_empty() const { return top >= bottom || left >= right; }
  [[nodiscard]] std::size_t width() const { return static_cast<std::size_t>(right - left); }
  [[nodiscard]] std::size_t height() const { return static_cast<std::size_t>(bottom - top); }
  void add(int row, int column) {
    if (is_empty()) *this = {row, column, row + 1, column + 1};
    top = std::min(top, row);
    left = std::min(left, column);
    bottom = std::max(bottom, row + 1);
    right = std::max(right, column + 1);
  }
  [[nodiscard]] Window grown(int by, int size) const {
    return {std::max(top - by, 0), std::max(left - by, 0), std::min(bottom + by, size), std::min(right + by, size)};
  }
};

/// The sums of patches: pixels, a, b, aa, bb, ab.
constexpr std::size_t kSums = 6;

float bilinear(const ReducedView& picture, float x, float y) {
  const auto limit = static_cast<float>(picture.size - 1);
  if (!(x >= 0 && y >= 0 && x < limit && y < limit)) return kUnknown;
  const int column = static_cast<int>(x), row = static_cast<int>(y);
  const float right = x - static_cast<float>(column), down = y - static_cast<float>(row);
  const float* upper = &picture.brightness[static_cast<std::size_t>(row * picture.size + column)];
  const float* lower = upper + picture.size;
  const float above = upper[0] + right * (upper[1] - upper[0]), below = lower[0] + right * (lower[1] - lower[0]);
  return above + down * (below - above);
}

class Sweep {
 public:
  Sweep(const ReducedView& picture, std::span<const ReducedView* const> others, std::span<const DepthRange> ranges)
      : picture_(picture), own_(picture.camera), others_(others), ranges_(ranges) {
    find_planes();
  }

  [[nodiscard]] float step() const { return step_; }

  [[nodiscard]] std::vector<float> depths() {
    const auto pixels = static_cast<std::size_t>(picture_.size) * static_cast<std::size_t>(picture_.size);
    std::vector<float> found(pixels, kUnknown);
    if (object_.is_empty() || planes_ < 2 * kOfOnePeak) return found;
    scores_.assign(static_cast<std::size_t>(planes_) * object_.width() * object_.height(), -1);
    for (int plane = 0; plane < planes_; ++plane) score(plane);
    for (int row = object_.top; row < object_.bottom; ++row) {
      for (int column = object_.left; column < object_.right; ++column) {
        found[index(row, column)] = best_depth(row, column);
      }
    }
    return found;
  }

 private:
  [[nodiscard]] std::size_t index(int row, int column) const {
    return static_cast<std::size_t>(row) * static_cast<std::size_t>(picture_.size) + static_cast<std::size_t>(column);
  }
  [[nodiscard]] float nearness(float plane) const { return first_ + plane * step_; }
  [[nodiscard]] float& score_at(int plane, int row, int column) {
    return scores_[(static_cast<std::size_t>(plane) * object_.height() + static_cast<std::size_t>(row - object_.top)) *
                       object_.width() +
                   static_cast<std::size_t>(column - object_.left)];
  }

  /// Planes at equal steps of 1 / depth, between which a point moves by a pixel in one of the others.
  void find_planes() {
    float nearest = std::numeric_limits<float>::max(), farthest = 0;
    for (int row = 0; row < picture_.size; ++row) {
      for (int column = 0; column < picture_.size; ++column) {
        const DepthRange& range = ranges_[index(row, column)];
        if (range.nearest > range.farthest) continue;
        object_.add(row, column);
        nearest = std::min(nearest, range.nearest);
        farthest = std::max(farthest, range.farthest);
      }
    }
    if (object_.is_empty()) return;
    float baseline = 0;
    for (const ReducedView* other : others_) {
      const Eigen::Vector3f way = own_.rotation * (other->camera.centre - own_.centre);
      baseline = std::max(baseline, other->camera.focal.x() * way.norm());
    }
    const float extent = 1 / nearest - 1 / farthest;
    step_ = std::max(1 / baseline, extent / kMostPlanes);
    first_ = 1 / farthest;
    planes_ = static_cast<int>(extent / step_) + 1;
  }

  void score(int plane) {
    const float depth = 1 / nearness(static_cast<float>(plane));
    Window wanted;
    for (int row = object_.top; row < object_.bottom; ++row) {
      for (int column = object_.left; column < object_.right; ++column) {
        const DepthRange& range = ranges_[index(row, column)];
        if (depth >= range.nearest && depth <= range.farthest) wanted.add(row, column);
      }
    }
    if (wanted.is_empty()) return;
    const Window around = wanted.grown(kPatchReach, picture_.size);
    second_.assign(around.width() * around.height(), -1);
    first_best_ = second_;
    for (const ReducedView* other : others_) correlate(*other, depth, around);
    for (int row = wanted.top; row < wanted.bottom; ++row) {
      for (int column = wanted.left; column < wanted.right; ++column) {
        const DepthRange& range = ranges_[index(row, column)];
        if (!(depth >= range.nearest && depth <= range.farthest)) continue;
        const std::size_t at = static_cast<std::size_t>(row - around.top) * around.width() +
                               static_cast<std::size_t>(column - around.left);
        if (second_[at] > -1) score_at(plane, row, column) = (first_best_[at] + second_[at]) / 2;
      }
    }
  }

  /// Correlates the patches of a window, taken as parts of a plane, with those of another picture.
  void correlate(const ReducedView& other, float depth, const Window& window) {
    const Eigen::Matrix3f rotation = other.camera.rotation * own_.rotation.transpose();
    const Eigen::Vector3f translation = other.camera.translation - rotation * own_.translation;
    const std::size_t width = window.width(), height = window.height();
    for (std::vector<float>& sums : sums_) sums.assign(width * height, 0);
    for (std::size_t y = 0; y < height; ++y) {
      for (std::size_t x = 0; x < width; ++x) {
        const int row = window.top + static_cast<int>(y), column = window.left + static_cast<int>(x);
        const float a = picture_.brightness[index(row, column)];
        if (std::isnan(a)) continue;
        const Eigen::Vector3f point =
            depth * own_.ray_in_cam(static_cast<float>(column) + 0.5F, static_cast<float>(row) + 0.5F);
        const Eigen::Vector3f seen = rotation * point + translation;
        const Eigen::Vector2f pixel = other.camera.pixel_of(seen);
        const float b = bilinear(other, pixel.x() - 0.5F, pixel.y() - 0.5F);
        if (std::isnan(b)) continue;
        const std::array<float, kSums> terms = {1, a, b, a * a, b * b, a * b};
        for (std::size_t k = 0; k < kSums; ++k) sums_[k][y * width + x] = terms[k];
      }
    }
    for (std::vector<float>& sums : sums_) sum_patches<kPatchReach>(sums, width, height, scratch_);
    constexpr float kLeastVariance = kLeastContrast * kLeastContrast;
    for (std::size_t i = 0; i < width * height; ++i) {
      const float n = sums_[0][i];
      if (n < kFewestPixels) continue;
      const float a = sums_[1][i] / n, b = sums_[2][i] / n;
      const float aa = sums_[3][i] / n - a * a, bb = sums_[4][i] / n - b * b, ab = sums_[5][i] / n - a * b;
      if (!(aa > kLeastVariance && bb > kLeastVariance)) continue;
      const float correlation = ab / std::sqrt(aa * bb);
      second_[i] = std::max(second_[i], std::min(first_best_[i], correlation));
      first_best_[i] = std::max(first_best_[i], correlation);
    }
  }

  [[nodiscard]] float best_depth(int row, int column) {
    int best = 0;
    for (int plane = 1; plane < planes_; ++plane) {
      if (score_at(plane, row, column) > score_at(best, row, column)) best = plane;
    }
    const float most = score_at(best, row, column);
    if (most < kLeastScore || best == 0 || best == planes_ - 1) return kUnknown;
    for (int plane = 0; plane < planes_; ++plane) {
      if (std::abs(plane - best) > kOfOnePeak && score_at(plane, row, column) > most - kClearlyLess) return kUnknown;
    }
    const float before = score_at(best - 1, row, column), after = score_at(best + 1, row, column);
    const float bend = 2 * most - before - after;
    const float shift = bend > 1e-4F ? std::clamp(0.5F * (after - before) / bend, -0.5F, 0.5F) : 0;
    return 1 / nearness(static_cast<float>(best) + shift);
  }

  const ReducedView& picture_;
  const Pinhole<float>& own_;
  std::span<const ReducedView* const> others_;
  std::span<const DepthRange> ranges_;
  Window object_;
  float first_ = 0, step_ = 0;  // 1 / depth of the first plane, and between two
  int planes_ = 0;
  std::vector<float> scores_;                   // [planes, object's window]
  std::vector<float> first_best_, second_;      // of a plane: the two largest correlations
  std::array<std::vector<float>, kSums> sums_;  // of a plane and another picture
  std::vector<float> scratch_;
};

}  // namespace

std::vector<float> sweep_planes(const ReducedView& picture, std::span<const ReducedView* const> others,
                                std::span<const DepthRange> ranges, float& step) {
  Sweep sweep(picture, others, ranges);
  step = sweep.step();
  return sweep.depths();
}

}  // namespace p2mpp
