#include "cli/commands/check_verdict.h"

#include <fmt/format.h>

#include <numeric>

namespace p2mpp::cli {
namespace {

constexpr double kBetter = 0.03;  ///< of the mean IoU, from which other cameras fit better than those given
constexpr double kUnusual = 2;    ///< standard deviations below what the model reaches

std::string warning_of(std::span<const Trial> trials) {
  const double given = trials.front().mean_iou();
  if (trials.size() > 1 && trials[1].mean_iou() > given + kBetter) {
    return fmt::format("other cameras fit better: {}", trials[1].name);
  }
  if (given < kLowOverlap) return "the mesh does not fit the images with any of these cameras";
  return {};
}

}  // namespace

double Trial::mean_iou() const {
  const double sum = std::accumulate(overlaps.begin(), overlaps.end(), 0.0,
                                     [](double total, const ViewOverlap& overlap) { return total + overlap.iou; });
  return sum / static_cast<double>(overlaps.size());
}

CheckVerdict verdict(std::span<const Trial> trials, const TrainedViews& trained) {
  CheckVerdict found{.warning = warning_of(trials), .typical = {}, .is_low = false};
  if (!trained.typical_iou) return found;
  const double given = trials.front().mean_iou();
  const auto [mean, deviation] = *trained.typical_iou;
  found.is_low = given < mean - kUnusual * deviation;
  found.typical = fmt::format("this model reaches {:.2f} +- {:.2f} on its own kind of objects", mean, deviation);
  if (found.is_low) {
    found.typical += fmt::format(
        "; {:.2f} is unusually low: the object may be of another kind, or the cameras wrong. The IoU alone does not "
        "tell "
        "whether their distances are right",
        given);
  }
  return found;
}

}  // namespace p2mpp::cli
