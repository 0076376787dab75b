#include "capture/hull/robust_hull.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "p2mpp/error.h"

namespace p2mpp {
namespace {

/// The silhouettes that are not excluded.
double worst(const std::vector<SilhouetteFit>& fits, const std::vector<std::size_t>& excluded) {
  double most = 0;
  for (std::size_t i = 0; i < fits.size(); ++i) {
    if (std::find(excluded.begin(), excluded.end(), i) == excluded.end()) most = std::max(most, fits[i].unexplained);
  }
  return most;
}

double mean(const std::vector<SilhouetteFit>& fits) {
  double sum = 0;
  for (const SilhouetteFit& fit : fits) sum += fit.unexplained;
  return sum / static_cast<double>(fits.size());
}

/// nullopt if nothing is left.
std::optional<RobustHull> carved(std::span<const Silhouette> silhouettes, std::vector<std::size_t> excluded,
                                 int allowance, int depth) {
  std::vector<Silhouette> used;
  for (std::size_t i = 0; i < silhouettes.size(); ++i) {
    if (std::find(excluded.begin(), excluded.end(), i) == excluded.end()) used.push_back(silhouettes[i]);
  }
  CarvingOptions options;
  options.allowance = allowance;
  options.depth = depth;
  try {
    RobustHull result{carve(used, options), std::move(excluded), allowance, {}};
    result.fits = silhouette_fits(result.hull, silhouettes);
    return result;
  } catch (const InputError&) {
    return std::nullopt;
  }
}

}  // namespace

RobustHull robust_hull(std::span<const Silhouette> silhouettes, int depth) {
  constexpr double kMeanExplained = 0.015;
  std::optional<RobustHull> best = carved(silhouettes, {}, 0, depth);
  const double strict = best ? worst(best->fits, {}) : 1;
  if (strict <= kExplained) return *std::move(best);

  std::vector<std::size_t> excluded;
  try {
    excluded = contradicting_silhouettes(silhouettes);
  } catch (const InputError&) {
    // No point is in most of the silhouettes: carve() below says so.
  }
  for (std::size_t count = 1; count <= excluded.size(); ++count) {
    std::vector<std::size_t> few(excluded.begin(), excluded.begin() + static_cast<std::ptrdiff_t>(count));
    std::sort(few.begin(), few.end());
    std::optional<RobustHull> without = carved(silhouettes, few, 0, depth);
    if (without && worst(without->fits, few) <= std::max(kExplained, 0.3 * strict)) return *std::move(without);
  }
  const int most = static_cast<int>((silhouettes.size() + 6) / 12);
  for (int allowance = 1; allowance <= most && (!best || mean(best->fits) > kMeanExplained); ++allowance) {
    std::optional<RobustHull> allowed = carved(silhouettes, {}, allowance, depth);
    if (allowed) best = std::move(allowed);
  }
  if (best) return *std::move(best);
  Hull hull = carve(silhouettes);  // throws the reason
  return {std::move(hull), {}, 0, std::vector<SilhouetteFit>(silhouettes.size())};
}

}  // namespace p2mpp
