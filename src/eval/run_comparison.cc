#include "eval/run_comparison.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <map>
#include <nlohmann/json.hpp>
#include <random>
#include <span>

#include "base/json_text.h"
#include "base/numbers/random.h"
#include "base/numbers/statistics.h"
#include "eval/score_summary.h"

namespace p2mpp {
namespace {
constexpr int kResamples = 10000;
constexpr std::uint64_t kSeed = 1;

struct ComparedMetric {
  MeanChange CategoryChange::*change;
  double ShapeMetrics::*value;
};
constexpr std::array<ComparedMetric, 4> kMetrics = {
    {{&CategoryChange::f1_tau, &ShapeMetrics::f1_tau},
     {&CategoryChange::f1_2tau, &ShapeMetrics::f1_2tau},
     {&CategoryChange::chamfer_distance, &ShapeMetrics::chamfer_distance},
     {&CategoryChange::normal_consistency, &ShapeMetrics::normal_consistency}}};

// A sample's scores in both runs.
struct SamplePair {
  const SampleResult* before;
  const SampleResult* after;
};

// The means of samples drawn with replacement, ascending.
std::vector<double> resampled_means(std::span<const double> changes) {
  std::mt19937_64 generator(kSeed);
  std::vector<double> means(kResamples);
  const auto count = static_cast<double>(changes.size());
  for (double& each : means) {
    double sum = 0;
    for (std::size_t i = 0; i < changes.size(); ++i) {
      sum += changes[static_cast<std::size_t>(draw_unit(generator) * count)];
    }
    each = sum / count;
  }
  std::ranges::sort(means);
  return means;
}

MeanChange measure_change(std::span<const SamplePair> pairs, double ShapeMetrics::*value) {
  std::vector<double> before, after, changes;
  for (const SamplePair& pair : pairs) {
    before.push_back(pair.before->scores->vertices.*value);
    after.push_back(pair.after->scores->vertices.*value);
    changes.push_back(after.back() - before.back());
  }
  constexpr double kUnknown = std::numeric_limits<double>::quiet_NaN();
  MeanChange change{mean(before), mean(after), kUnknown, kUnknown, kUnknown};
  if (pairs.size() < 2 || !(change.change() - change.change() == 0)) return change;
  const std::vector<double> means = resampled_means(changes);
  change.low = percentile(means, 2.5);
  change.high = percentile(means, 97.5);
  const auto share = [&](auto is_on_side) {
    return static_cast<double>(std::ranges::count_if(means, is_on_side)) / kResamples;
  };
  const double smaller =
      std::min(share([](double each) { return each <= 0; }), share([](double each) { return each >= 0; }));
  change.p_value = std::clamp(2 * smaller, 1.0 / kResamples, 1.0);
  return change;
}

CategoryChange measure_change(std::string category, std::span<const SamplePair> pairs) {
  CategoryChange change;
  change.category = std::move(category);
  change.count = pairs.size();
  for (const ComparedMetric& metric : kMetrics) change.*metric.change = measure_change(pairs, metric.value);
  return change;
}

std::string signed_cell(double value, int decimals) {
  return std::isfinite(value) ? fmt::format("{:+.{}f}", value, decimals) : "-";
}

Json to_json(const MeanChange& change) {
  return {{"before", change.before}, {"after", change.after}, {"change", change.change()},
          {"low", change.low},       {"high", change.high},   {"p_value", change.p_value}};
}

}  // namespace

RunComparison compare_runs(const ResultsByIdAndLine& before, const ResultsByIdAndLine& after) {
  RunComparison comparison;
  std::vector<SamplePair> all;
  std::map<std::string, std::vector<SamplePair>> by_category;
  for (const auto& [key, result] : before) {
    if (!result.scores) continue;
    const auto other = after.find(key);
    if (other == after.end() || !other->second.scores) {
      ++comparison.only_before;
      continue;
    }
    all.push_back({&result, &other->second});
    by_category[result.category].push_back(all.back());
  }
  for (const auto& [key, result] : after) comparison.only_after += result.scores ? 1 : 0;
  comparison.only_after -= all.size();
  if (all.empty()) return comparison;
  comparison.categories.push_back(measure_change("all", all));
  for (const auto& [category, pairs] : by_category) comparison.categories.push_back(measure_change(category, pairs));
  for (const SamplePair& pair : all) {
    const ShapeMetrics &a = pair.before->scores->vertices, &b = pair.after->scores->vertices;
    comparison.samples.push_back(
        {pair.before->id, pair.before->category, a.f1_tau, b.f1_tau, a.chamfer_distance, b.chamfer_distance});
  }
  std::ranges::stable_sort(comparison.samples, {},
                           [](const SampleChange& each) { return each.f1_after - each.f1_before; });
  return comparison;
}

TableCells change_table(const RunComparison& comparison) {
  TableCells rows = {{"category", "samples", "F1@tau", "change", "95% from", "to", "p", "F1@2tau", "change", "CD x1000",
                      "change", "normals", "change"}};
  for (const CategoryChange& each : comparison.categories) {
    rows.push_back(
        {category_name(each.category), std::to_string(each.count), fixed_cell(each.f1_tau.after, 2),
         signed_cell(each.f1_tau.change(), 2), signed_cell(each.f1_tau.low, 2), signed_cell(each.f1_tau.high, 2),
         fixed_cell(each.f1_tau.p_value, 4), fixed_cell(each.f1_2tau.after, 2), signed_cell(each.f1_2tau.change(), 2),
         fixed_cell(1000 * each.chamfer_distance.after, 4), signed_cell(1000 * each.chamfer_distance.change(), 4),
         fixed_cell(each.normal_consistency.after, 3), signed_cell(each.normal_consistency.change(), 3)});
  }
  return rows;
}

TableCells sample_table(const RunComparison& comparison, std::size_t count) {
  TableCells rows = {{"sample", "category", "F1@tau before", "after", "change", "CD x1000 before", "after"}};
  const auto add = [&](const SampleChange& each) {
    rows.push_back({each.id, category_name(each.category), fixed_cell(each.f1_before, 2), fixed_cell(each.f1_after, 2),
                    signed_cell(each.f1_after - each.f1_before, 2), fixed_cell(1000 * each.cd_before, 4),
                    fixed_cell(1000 * each.cd_after, 4)});
  };
  const std::vector<SampleChange>& samples = comparison.samples;
  for (std::size_t i = 0; i < std::min(count, samples.size()); ++i) {
    if (samples[i].f1_after < samples[i].f1_before) add(samples[i]);
  }
  for (std::size_t i = samples.size() - std::min(count, samples.size()); i < samples.size(); ++i) {
    if (samples[i].f1_after > samples[i].f1_before) add(samples[i]);
  }
  return rows;
}

Json to_json(const RunComparison& comparison) {
  Json json = {{"compared", comparison.samples.size()}, {"only_before", comparison.only_before},
               {"only_after", comparison.only_after},   {"resamples", kResamples},
               {"categories", Json::object()},          {"samples", Json::array()}};
  for (const CategoryChange& each : comparison.categories) {
    json["categories"][each.category] = {{"count", each.count},
                                         {"f1_tau", to_json(each.f1_tau)},
                                         {"f1_2tau", to_json(each.f1_2tau)},
                                         {"chamfer_distance", to_json(each.chamfer_distance)},
                                         {"normal_consistency", to_json(each.normal_consistency)}};
  }
  for (const SampleChange& each : comparison.samples) {
    json["samples"].push_back({{"id", each.id},
                               {"category", each.category},
                               {"f1_tau", {each.f1_before, each.f1_after}},
                               {"chamfer_distance", {each.cd_before, each.cd_after}}});
  }
  return json;
}

}  // namespace p2mpp
