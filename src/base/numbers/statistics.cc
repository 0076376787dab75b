#include "base/numbers/statistics.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>
#include <numeric>

#include "base/json_text.h"

namespace p2mpp {
namespace {

constexpr double kNone = std::numeric_limits<double>::quiet_NaN();

double standard_deviation(const std::vector<double>& values, double mean) {
  if (values.size() < 2) return kNone;
  double sum = 0;
  for (const double value : values) sum += (value - mean) * (value - mean);
  return std::sqrt(sum / static_cast<double>(values.size() - 1));
}

}  // namespace

double mean(std::span<const double> values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

double percentile(std::span<const double> ascending, double percent) {
  if (ascending.empty()) return kNone;
  const double rank = percent / 100 * static_cast<double>(ascending.size() - 1);
  const auto below = static_cast<std::size_t>(rank);
  const std::size_t above = std::min(below + 1, ascending.size() - 1);
  return std::lerp(ascending[below], ascending[above], rank - static_cast<double>(below));
}

Statistics summarize(std::vector<double> values) {
  if (values.empty()) return {0, kNone, kNone, kNone, kNone, kNone, kNone, kNone};
  std::ranges::sort(values);
  Statistics result;
  result.count = values.size();
  result.mean = mean(values);
  result.standard_deviation = standard_deviation(values, result.mean);
  result.min = values.front();
  result.median = percentile(values, 50);
  result.p95 = percentile(values, 95);
  result.p99 = percentile(values, 99);
  result.max = values.back();
  return result;
}

Json to_json(const Statistics& statistics) {
  return {
      {"count", statistics.count}, {"mean", statistics.mean},     {"standard_deviation", statistics.standard_deviation},
      {"min", statistics.min},     {"median", statistics.median}, {"p95", statistics.p95},
      {"p99", statistics.p99},     {"max", statistics.max}};
}

}  // namespace p2mpp
