#include "backends/common/finding.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace p2mpp {

double relative_difference(std::span<const float> found, std::span<const double> expected) {
  if (found.size() != expected.size()) return std::numeric_limits<double>::infinity();
  double largest = 1e-30;
  double difference = 0;
  for (std::size_t i = 0; i < expected.size(); ++i) {
    largest = std::max(largest, std::abs(expected[i]));
    const double here = std::abs(static_cast<double>(found[i]) - expected[i]);
    difference = std::max(difference, std::isnan(here) ? std::numeric_limits<double>::infinity() : here);
  }
  return difference / largest;
}

double relative_difference(std::span<const float> found, std::span<const float> expected) {
  return relative_difference(found, std::vector<double>(expected.begin(), expected.end()));
}

double mean_relative_difference(std::span<const float> found, std::span<const double> expected) {
  if (found.size() != expected.size()) return std::numeric_limits<double>::infinity();
  double largest = 1e-30;
  double sum = 0;
  for (std::size_t i = 0; i < expected.size(); ++i) {
    largest = std::max(largest, std::abs(expected[i]));
    sum += std::abs(static_cast<double>(found[i]) - expected[i]);
  }
  const double mean = sum / static_cast<double>(expected.size()) / largest;
  return std::isnan(mean) ? std::numeric_limits<double>::infinity() : mean;
}

std::string describe_failure(const Finding& finding) {
  if (!finding.problem.empty()) return fmt::format("{}: {}", finding.what, finding.problem);
  if (!std::isfinite(finding.error)) return fmt::format("{}, gives values that are not numbers", finding.what);
  return fmt::format("{}, differs by {:.2g} of the largest value (at most {:g} is expected)", finding.what,
                     finding.error, finding.tolerance);
}

const Finding* first_failure(std::span<const Finding> findings) {
  const auto found = std::ranges::find_if(findings, [](const Finding& each) { return !each.passed(); });
  return found == findings.end() ? nullptr : &*found;
}

}  // namespace p2mpp
