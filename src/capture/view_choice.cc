#include "capture/view_choice.h"

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <numbers>
#include <set>

#include "base/numbers/median.h"
#include "geometry/angles.h"

namespace p2mpp {
namespace {

double angle_between(const Eigen::Vector3d& a, const Eigen::Vector3d& b) {
  return std::atan2(a.cross(b).norm(), a.dot(b));
}

/// 1 from low to high, falling to 0 over `slope` on both sides.
double plateau(double value, double low, double high, double slope) {
  const double beyond = std::max({0.0, low - value, value - high});
  return std::max(0.0, 1 - beyond / slope);
}

/// 0 to 1 for each candidate.
std::vector<double> qualities(std::span<const ViewCandidate> candidates) {
  std::vector<double> sharpness;
  for (const ViewCandidate& candidate : candidates) {
    if (candidate.usable) sharpness.push_back(candidate.sharpness);
  }
  const double typical = sharpness.empty() ? 0 : upper_median(std::move(sharpness));
  constexpr double kEnoughPixels = 224;
  std::vector<double> result;
  for (const ViewCandidate& candidate : candidates) {
    const Eigen::Vector3d& camera = candidate.camera;
    const double elevation = std::atan2(camera.y(), std::hypot(camera.x(), camera.z())) / kRadiansPerDegree;
    const double height = plateau(elevation, 15, 40, 50);
    const double whole = std::max(0.0, 1 - 10 * candidate.border_share);
    // Shaking divides the variance by two or more. Textures differ by less between the sides of most objects.
    const double sharp = typical > 0 ? std::min(1.0, candidate.sharpness / (0.7 * typical)) : 1;
    const double large = std::min(1.0, candidate.extent / kEnoughPixels);
    const double quality = 0.4 * height + 0.3 * whole + 0.2 * sharp + 0.1 * large;
    result.push_back(std::round(1000 * quality) / 1000);  // differences below do not decide
  }
  return result;
}

class Choice {
 public:
  Choice(std::span<const ViewCandidate> candidates, std::size_t count)
      : candidates_(candidates),
        qualities_(qualities(candidates)),
        ideal_(ideal_angle(count)),
        angles_(candidates.size() <= kMostKept ? candidates.size() * candidates.size() : 0, kUnknown) {}

  [[nodiscard]] double quality(std::size_t i) const { return qualities_[i]; }

  /// The smallest angle between two directions counts most: views next to each other show the same.
  [[nodiscard]] double score(const std::vector<std::size_t>& chosen) const {
    double least = ideal_, sum = 0, quality = 0;
    int pairs = 0;
    for (std::size_t i = 0; i < chosen.size(); ++i) {
      quality += qualities_[chosen[i]];
      for (std::size_t j = i + 1; j < chosen.size(); ++j, ++pairs) {
        const double between = std::min(ideal_, angle(chosen[i], chosen[j]));
        least = std::min(least, between);
        sum += between;
      }
    }
    const double spread = pairs > 0 ? (least + 0.3 * sum / pairs) / (1.3 * ideal_) : 0;
    return spread + 1.2 * quality / static_cast<double>(chosen.size());
  }

 private:
  static constexpr std::size_t kMostKept = 2048;  ///< candidates whose angles are kept: 32 MiB
  static constexpr double kUnknown = -1;

  /// Between two directions. Choosing many views asks for the same angles again and again.
  [[nodiscard]] double angle(std::size_t a, std::size_t b) const {
    if (angles_.empty()) return angle_between(candidates_[a].camera, candidates_[b].camera);
    double& kept = angles_[a * candidates_.size() + b];
    if (kept == kUnknown) kept = angle_between(candidates_[a].camera, candidates_[b].camera);
    return kept;
  }

  /// Views around the object at about 25 degrees above the horizon: the angle between neighbours.
  static double ideal_angle(std::size_t count) {
    const double azimuth = 2 * std::numbers::pi / static_cast<double>(std::max<std::size_t>(count, 3));
    const double flat = std::cos(25 * kRadiansPerDegree) * std::cos(25 * kRadiansPerDegree);
    return std::acos(1 - flat * (1 - std::cos(azimuth)));
  }

  std::span<const ViewCandidate> candidates_;
  std::vector<double> qualities_;
  double ideal_;
  mutable std::vector<double> angles_;
};

/// Replaces or adds the view that helps most. Whether the score grew.
bool improve(const Choice& choice, const std::vector<std::size_t>& usable, std::vector<std::size_t>& chosen,
             std::size_t place) {
  constexpr double kLeastGain = 1e-9;
  const bool adds = place == chosen.size();
  double best = adds ? -1 : choice.score(chosen) + kLeastGain;
  std::vector<std::size_t> trial = chosen, winner;
  if (adds) trial.push_back(0);
  for (const std::size_t i : usable) {
    if (std::find(chosen.begin(), chosen.end(), i) != chosen.end()) continue;
    trial[place] = i;
    if (const double score = choice.score(trial); score > best + kLeastGain) {
      best = score;
      winner = trial;
    }
  }
  if (winner.empty()) return false;
  chosen = std::move(winner);
  return true;
}

}  // namespace

std::vector<std::pair<std::size_t, std::size_t>> duplicate_views(std::span<const ViewCandidate> candidates) {
  constexpr double kSameAngle = 0.5 * kRadiansPerDegree, kSameDistance = 0.005;
  std::vector<std::pair<std::size_t, std::size_t>> pairs;
  for (std::size_t i = 0; i < candidates.size(); ++i) {
    for (std::size_t j = i + 1; j < candidates.size(); ++j) {
      const ViewCandidate &a = candidates[i], &b = candidates[j];
      const bool same_pose = (a.camera - b.camera).norm() < kSameDistance * a.camera.norm() &&
                             angle_between(a.camera, b.camera) < kSameAngle;
      if (same_pose || a.pixels == b.pixels) pairs.emplace_back(i, j);
    }
  }
  return pairs;
}

std::vector<std::size_t> choose_views(std::span<const ViewCandidate> candidates, std::size_t count) {
  std::set<std::size_t> doubles;
  for (const auto& [first, second] : duplicate_views(candidates)) {
    doubles.insert(candidates[first].usable || !candidates[second].usable ? second : first);
  }
  std::vector<std::size_t> usable;
  for (std::size_t i = 0; i < candidates.size(); ++i) {
    if (candidates[i].usable && !doubles.contains(i)) usable.push_back(i);
  }
  count = std::min(count, usable.size());
  if (count == 0) return {};
  const Choice choice(candidates, count);
  std::vector<std::size_t> chosen;
  while (chosen.size() < count) improve(choice, usable, chosen, chosen.size());
  constexpr int kMostRounds = 50;
  for (int round = 0; round < kMostRounds; ++round) {
    bool better = false;
    for (std::size_t place = 0; place < count; ++place) better |= improve(choice, usable, chosen, place);
    if (!better) break;
  }
  std::sort(chosen.begin(), chosen.end());
  const auto best = std::max_element(chosen.begin(), chosen.end(), [&](std::size_t a, std::size_t b) {
    return choice.quality(a) < choice.quality(b);
  });
  std::rotate(chosen.begin(), best, best + 1);
  return chosen;
}

}  // namespace p2mpp
