#include "eval/evaluation_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <type_traits>

#include "base/input_file.h"
#include "base/json_text.h"
#include "check/sample_check.h"
#include "eval/engine_facts.h"
#include "p2mpp/precision.h"
#include "results/recorded_options.h"

namespace p2mpp {
namespace {
// The absolute path, so that the identity does not depend on how the folder was named.
std::string place(const std::filesystem::path& folder) {
  return folder.empty() ? "" : real_path(folder, "a readable folder").string();
}

template <typename Figure>
Statistics collect_statistics(const std::vector<const SampleResult*>& results, Figure&& figure) {
  std::vector<double> values;
  values.reserve(results.size());
  for (const SampleResult* result : results) values.push_back(figure(*result));
  return summarize(std::move(values));
}

Json settings_json(const EvaluationSettings& settings) {
  const PipelineOptions& options = settings.options;
  Json json = {{"list", settings.list.string()},
               {"images_root", options.images_root.string()},
               {"truth_root", options.truth_root.empty() ? Json(nullptr) : Json(options.truth_root.string())},
               {"out", options.out.string()},
               {"limit", settings.limit == 0 ? Json(nullptr) : Json(settings.limit)},
               {"shard", to_string(settings.shard)},
               {"views", options.reading.trained_views},
               {"stage_views", {options.stage_views.stage1, options.stage_views.stage2}},
               {"batch", options.batch},
               {"device", settings.device},
               {"backend", settings.backend},
               {"precision", settings.precision},
               {"threads", settings.threads}};
  json.update(option_settings(options.run));
  return json;
}

Json times_json(const EvaluationSummary& summary) {
  Json parts;
  for (std::size_t i = 0; i < kPartCount; ++i) parts[to_string(static_cast<Part>(i))] = to_json(summary.parts[i]);
  return {{"total", to_json(summary.total)}, {"compute", to_json(summary.compute)}, {"parts", parts}};
}

Json failures_json(const EvaluationSummary& summary) {
  Json failures = Json::array();
  for (const SampleResult& result : summary.failures) {
    failures.push_back(
        {{"line", result.line}, {"id", result.id}, {"status", to_string(result.status)}, {"reason", result.reason}});
  }
  return failures;
}

Json warnings_json(const EvaluationSummary& summary) {
  Json warnings = Json::array();
  for (const SampleResult& result : summary.warned) {
    warnings.push_back({{"line", result.line}, {"id", result.id}, {"warnings", to_json(result.warnings)}});
  }
  return warnings;
}

Json statistics_json(const NamedStatistics& figures) {
  Json json;
  for (const auto& [name, statistics] : figures) json[name] = to_json(statistics);
  return json;
}

Json figures_json(const EvaluationSummary& summary) {
  Json json = {{"stopped", summary.stopped},
               {"samples",
                {{"listed", summary.listed},
                 {"reconstructed", summary.reconstructed},
                 {"failed", summary.failed},
                 {"not_scored", summary.not_scored},
                 {"done_earlier", summary.earlier}}},
               {"milliseconds_a_sample", times_json(summary)},
               {"throughput",
                {{"samples_per_second_computing", summary.compute_throughput()},
                 {"samples_per_second_end_to_end", summary.end_to_end_throughput()},
                 {"compute_seconds", summary.compute_seconds},
                 {"wall_seconds", summary.wall_seconds}}},
               {"metrics", to_json(summary.scores)},
               {"failures", failures_json(summary)},
               {"warnings", warnings_json(summary)}};
  if (!summary.fit.empty()) json["fit"] = statistics_json(summary.fit);
  if (!summary.volume.empty()) json["volume"] = statistics_json(summary.volume);
  return json;
}

/// Calls visit(name, number) for the figures that are numbers.
template <typename Figures, typename Visit>
void for_each_number(const Figures& figures, const Visit& visit) {
  for_each_figure(figures, [&](const char* name, const auto& figure) {
    if constexpr (!std::is_same_v<std::decay_t<decltype(figure)>, std::string>) {
      visit(name, static_cast<double>(figure));
    }
  });
}

/// Statistics of the figures of a step, of the results that have them.
template <typename Figures>
NamedStatistics figure_statistics(const std::vector<const SampleResult*>& results,
                                  std::optional<Figures> SampleResult::*step) {
  std::vector<std::pair<std::string, std::vector<double>>> values;
  for (const SampleResult* result : results) {
    if (!(result->*step)) continue;
    std::size_t next = 0;
    for_each_number(*(result->*step), [&](const char* name, double number) {
      if (next == values.size()) values.emplace_back(name, std::vector<double>());
      values[next++].second.push_back(number);
    });
  }
  NamedStatistics statistics;
  for (auto& [name, numbers] : values) statistics.emplace_back(name, summarize(std::move(numbers)));
  return statistics;
}

/// The columns of a step's figures, after those of all results: none if no result has any.
template <typename Figures>
class FigureColumns {
 public:
  FigureColumns(const Evaluation& evaluation, std::optional<Figures> SampleResult::*step) : step_(step) {
    are_there_ = std::ranges::any_of(evaluation.results, [&](const SampleResult& each) { return bool(each.*step); });
  }
  void append_names(std::string_view prefix, TableRow& header) const {
    if (!are_there_) return;
    for_each_number(Figures(), [&](const char* name, double) { header.push_back(fmt::format("{}_{}", prefix, name)); });
  }
  void append(const SampleResult& result, TableRow& row) const {
    if (!are_there_) return;
    const std::optional<Figures>& figures = result.*step_;
    for_each_number(figures.value_or(Figures()),
                    [&](const char*, double number) { row.push_back(figures ? csv_number(number) : std::string()); });
  }

 private:
  std::optional<Figures> SampleResult::*step_;
  bool are_there_;
};

TableRow csv_header() {
  TableRow row = {"id", "line", "category", "status", "reason", "total_ms", "compute_ms"};
  for (std::size_t i = 0; i < kPartCount; ++i) row.push_back(fmt::format("{}_ms", to_string(static_cast<Part>(i))));
  for (std::string& name : score_columns()) row.push_back(std::move(name));
  return row;
}

void append_times(const SampleResult& result, TableRow& row) {
  row.push_back(csv_number(result.total_ms()));
  row.push_back(csv_number(result.compute_ms));
  for (const double value : result.times.milliseconds) row.push_back(csv_number(value));
}

TableRow csv_row(const SampleResult& result, std::size_t columns) {
  TableRow row = {result.id, std::to_string(result.line), result.category, std::string(to_string(result.status)),
                  result.reason};
  if (!result.failed()) append_times(result, row);
  if (result.scores) append_scores(*result.scores, row);
  row.resize(columns);
  return row;
}

TableRow time_row(std::string name, const Statistics& times) {
  TableRow row = {std::move(name)};
  for (const double value :
       {times.mean, times.standard_deviation, times.min, times.median, times.p95, times.p99, times.max}) {
    row.push_back(fixed_cell(value, 2));
  }
  return row;
}

}  // namespace

double EvaluationSummary::compute_throughput() const { return static_cast<double>(reconstructed) / compute_seconds; }

double EvaluationSummary::end_to_end_throughput() const {
  return (static_cast<double>(reconstructed) - static_cast<double>(earlier)) / wall_seconds;
}

EvaluationSummary summarize(const Evaluation& evaluation) {
  const auto results = results_with_mesh(evaluation);
  EvaluationSummary summary;
  summary.listed = evaluation.results.size();
  summary.reconstructed = results.size();
  summary.failed = summary.listed - summary.reconstructed;
  summary.total = collect_statistics(results, [](const SampleResult& result) { return result.total_ms(); });
  summary.compute = collect_statistics(results, [](const SampleResult& result) { return result.compute_ms; });
  for (std::size_t i = 0; i < kPartCount; ++i) {
    summary.parts[i] =
        collect_statistics(results, [i](const SampleResult& result) { return result.times.milliseconds[i]; });
  }
  summary.fit = figure_statistics(results, &SampleResult::fit);
  summary.volume = figure_statistics(results, &SampleResult::surface);
  summary.stopped = evaluation.stopped;
  summary.earlier = evaluation.earlier;
  summary.steps = evaluation.steps;
  summary.wall_seconds = evaluation.wall_seconds;
  summary.compute_seconds = evaluation.compute_seconds;
  for (const SampleResult& result : evaluation.results) {
    if (result.scores) summary.scores.add(result.category, *result.scores);
  }
  std::ranges::copy_if(evaluation.results, std::back_inserter(summary.warned),
                       [](const SampleResult& result) { return !result.warnings.empty(); });
  std::ranges::copy_if(evaluation.results, std::back_inserter(summary.failures),
                       [](const SampleResult& result) { return result.status != SampleStatus::kDone; });
  summary.not_scored = summary.failures.size() - summary.failed;
  return summary;
}

RunIdentity run_identity(const EvaluationSettings& settings) {
  const PipelineOptions& options = settings.options;
  RunIdentity identity = {{"model", settings.model.sha256},
                          {"semantics", to_string(settings.model.semantics)},
                          {"device", settings.device.substr(0, settings.device.find(':'))},
                          {"backend", settings.backend},
                          {"precision", settings.precision},
                          {"instruction_set", settings.instruction_set},
                          {"views", options.reading.trained_views},
                          {"comment", options.run.meshes.encoding.comment},
                          {"images_root", place(options.images_root)},
                          {"truth_root", place(options.truth_root)}};
  if (const StageViews& views = options.stage_views; views.stage1 != 0 || views.stage2 != 0) {
    identity["stage_views"] = {views.stage1, views.stage2};
  }
  identity.update(option_identity(options.run));
  if (options.run.initial.kind == InitialShape::Kind::kFile) {
    identity["initial"] = options.start.sha256;
    identity["initial_frame"] = to_string(options.start.frame);
  }
  if (settings.precision == to_string(Precision::kFp8)) {
    identity["fp8_largest_inputs"] = settings.model.fp8_largest_inputs;
  }
  return identity;
}

Json batch_document(const EvaluationSettings& settings) {
  Json json = to_json(settings.batch_choice);
  json["memory_share"] = settings.memory_share;
  json["at_last"] = settings.batch_at_last;
  return json;
}

std::string batch_line(const EvaluationSettings& settings) {
  const bool is_lowered = settings.batch_at_last < settings.batch_choice.batch;
  if (!settings.batch_choice.is_measured() && !is_lowered) return "";
  std::string line = "\nbatch: " + describe(settings.batch_choice);
  if (is_lowered) {
    line += fmt::format("; reduced to {}, because more did not fit into memory", settings.batch_at_last);
  }
  return line + "\n";
}

RunDescription run_description(const EvaluationSettings& settings, const Environment& environment) {
  return {{"settings", settings_json(settings)},
          {"batch", batch_document(settings)},
          {"model", to_json(settings.model)},
          {"environment", to_json(environment)}};
}

Json summary_document(const EvaluationSummary& summary, const RunDescription& description) {
  Json document = description;
  document.update(figures_json(summary));
  return document;
}

std::string results_csv(const Evaluation& evaluation) {
  TableRow header = csv_header();
  const std::size_t columns = header.size();
  const FigureColumns fit(evaluation, &SampleResult::fit);
  const FigureColumns volume(evaluation, &SampleResult::surface);
  fit.append_names("fit", header);
  volume.append_names("volume", header);
  std::string text = csv_line(header);
  for (const SampleResult& result : evaluation.results) {
    TableRow row = csv_row(result, columns);
    fit.append(result, row);
    volume.append(result, row);
    text += csv_line(row);
  }
  return text;
}

TableCells time_table(const EvaluationSummary& summary) {
  TableCells rows = {{"milliseconds a sample", "mean", "stdev", "min", "median", "p95", "p99", "max"}};
  rows.push_back(time_row("total", summary.total));
  for (std::size_t i = 0; i < kPartCount; ++i) {
    const auto part = static_cast<Part>(i);
    const bool of_computing = part != Part::kRead && part != Part::kWrite;
    rows.push_back(time_row(fmt::format("{}{}", of_computing ? "    " : "  ", to_string(part)), summary.parts[i]));
    if (part == Part::kRead) rows.push_back(time_row("  compute", summary.compute));
  }
  return rows;
}

}  // namespace p2mpp
