#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cmath>
#include <map>
#include <nlohmann/json.hpp>

#include "base/json_text.h"
#include "base/table.h"
#include "eval/benchmark.h"
#include "eval/engine_facts.h"

namespace p2mpp {
namespace {

constexpr double kMebibyte = 1 << 20;

// The speed of a part or of the total, from the median time, which a disturbed call does not change.
struct Rate {
  double flop = 0;  // per sample; all three are NaN if the operations are not counted
  double gflops = 0;
  double share_of_gemm_rate = 0;
};

Rate measured_rate(double flop, const Statistics& times, const BenchmarkRow& row) {
  const double gflops = flop / (1e6 * times.median);
  return {.flop = flop, .gflops = gflops, .share_of_gemm_rate = gflops / row.gemm_gflops};
}

// A part of a combination, or the total, with its name in all formats.
struct BenchmarkEntry {
  std::string_view name;
  Statistics times;
  Rate rate;
};

BenchmarkEntry total_entry(const BenchmarkRow& row, const FlopCount& flops) {
  return {"total", row.total, measured_rate(flops.total(), row.total, row)};
}

BenchmarkEntry part_entry(Part part, const BenchmarkRow& row, const FlopCount& flops) {
  const Statistics& times = row.parts[static_cast<std::size_t>(part)];
  return {to_string(part), times, measured_rate(flops.of(part), times, row)};
}

Json entry_json(const BenchmarkEntry& entry) {
  Json json = to_json(entry.times);
  json["flop"] = entry.rate.flop;
  json["gflops"] = entry.rate.gflops;
  json["share_of_gemm_rate"] = entry.rate.share_of_gemm_rate;
  return json;
}

Json row_json(const BenchmarkRow& row, const FlopCount& flops) {
  Json json = {{"device", row.device},
               {"backend", row.backend},
               {"precision", row.precision},
               {"batch", row.batch == kAutoBatch ? Json("auto") : Json(row.batch)},
               {"status", row.measured() ? "measured" : "skipped"}};
  if (!row.measured()) {
    json["reason"] = row.skipped;
    return json;
  }
  json["threads"] = row.threads;
  if (row.batch_choice.is_measured()) json["batch_choice"] = to_json(row.batch_choice);
  json["warmup"] = row.warmup;
  json["repeats"] = row.repeats;
  json["is_baseline"] = row.is_baseline;
  json["gemm_gflops"] = row.gemm_gflops;
  json["total"] = entry_json(total_entry(row, flops));
  for (const Part part : kMeasuredParts) json["parts"][to_string(part)] = entry_json(part_entry(part, row, flops));
  json["samples_per_second"] = row.samples_per_second;
  json["speedup"] = row.speedup;
  json["peak_resident_bytes"] = row.peak_resident_bytes;
  return json;
}

TableRow combination(const BenchmarkRow& row) {
  return {row.device, row.backend, row.precision, batch_size_name(row.batch)};
}

void append(TableRow& cells, const TableRow& more) { cells.insert(cells.end(), more.begin(), more.end()); }

// In the order of display.
std::array<double, 7> figures(const Statistics& times) {
  return {times.median, times.p95, times.p99, times.min, times.max, times.mean, times.standard_deviation};
}
constexpr std::array<std::string_view, 7> kFigureNames = {"median", "p95", "p99", "min", "max", "mean", "stdev"};

TableRow figure_cells(const Statistics& times) {
  TableRow cells;
  for (const double value : figures(times)) cells.push_back(fixed_cell(value, 3));
  return cells;
}

TableRow csv_cells(const BenchmarkRow& row, const BenchmarkEntry& entry) {
  TableRow cells = combination(row);
  append(cells, {"measured", "", std::to_string(row.threads), std::to_string(row.warmup), std::to_string(row.repeats),
                 std::string(entry.name)});
  for (const double value : figures(entry.times)) cells.push_back(csv_number(value));
  for (const double value : {entry.rate.flop, entry.rate.gflops, row.gemm_gflops, entry.rate.share_of_gemm_rate}) {
    cells.push_back(csv_number(value));
  }
  append(cells, {csv_number(row.samples_per_second), csv_number(row.speedup), std::to_string(row.peak_resident_bytes)});
  return cells;
}

TableRow csv_header(const BenchmarkReport& report) {
  TableRow cells = {"device", "backend", "precision", "batch",   "status",
                    "reason", "threads", "warmup",    "repeats", "part"};
  for (const std::string_view name : kFigureNames) cells.push_back(fmt::format("{}_ms", name));
  append(cells, {"flop", "gflops", "gemm_gflops", "share_of_gemm_rate"});
  append(cells, {"samples_per_second", "speedup", "peak_resident_bytes"});
  for (const auto& [name, value] : benchmark_facts(report)) cells.push_back(name);
  return cells;
}

TableCells total_table(const BenchmarkReport& report) {
  TableRow header = {"device", "backend", "precision", "batch"};
  header.insert(header.end(), kFigureNames.begin(), kFigureNames.end());
  append(header, {"samples/s", "speed-up", "peak MiB", "threads"});
  TableCells rows = {header};
  for (const BenchmarkRow& row : report.rows) {
    TableRow cells = combination(row);
    if (row.measured()) {
      append(cells, figure_cells(row.total));
      append(cells,
             {fixed_cell(row.samples_per_second, 3), fixed_cell(row.speedup, 2),
              fixed_cell(static_cast<double>(row.peak_resident_bytes) / (1 << 20), 0), std::to_string(row.threads)});
    }
    cells.resize(header.size(), "-");
    rows.push_back(std::move(cells));
  }
  return rows;
}

std::string percent_cell(double share) { return std::isfinite(share) ? fmt::format("{:.1f}%", 100 * share) : "-"; }

TableRow part_cells(const BenchmarkRow& row, const BenchmarkEntry& entry) {
  TableRow cells = combination(row);
  cells.emplace_back(entry.name);
  append(cells, figure_cells(entry.times));
  append(cells, {percent_cell(entry.times.mean / row.total.mean), fixed_cell(entry.rate.gflops, 1),
                 percent_cell(entry.rate.share_of_gemm_rate)});
  return cells;
}

TableCells part_table(const BenchmarkReport& report) {
  TableRow header = {"device", "backend", "precision", "batch", "part"};
  header.insert(header.end(), kFigureNames.begin(), kFigureNames.end());
  append(header, {"share", "GFLOP/s", "of GEMM rate"});
  TableCells rows = {header};
  for (const BenchmarkRow& row : report.rows) {
    if (!row.measured()) continue;
    for (const Part part : kMeasuredParts) rows.push_back(part_cells(row, part_entry(part, row, report.flops)));
    rows.push_back(part_cells(row, total_entry(row, report.flops)));
  }
  return rows;
}

// Lists every measured rate, which shows how steady the machine was: "fp32 on 2 threads 487, 490 GFLOP/s".
std::string gemm_rates(const std::vector<BenchmarkRow>& rows) {
  std::map<std::string, TableRow> by_product;
  for (const BenchmarkRow& row : rows) {
    if (!row.measured() || row.device != "cpu") continue;
    by_product[fmt::format("{} on {} threads", row.precision, row.threads)].push_back(fixed_cell(row.gemm_gflops, 0));
  }
  TableRow texts;
  for (const auto& [product, figures] : by_product) {
    texts.push_back(fmt::format("{} {} GFLOP/s", product, fmt::join(figures, ", ")));
  }
  return texts.empty() ? "-" : fmt::format("{}", fmt::join(texts, "; "));
}

}  // namespace

std::vector<std::pair<std::string, std::string>> benchmark_facts(const BenchmarkReport& report) {
  std::vector<std::pair<std::string, std::string>> facts = {
      {"model", report.model.name},
      {"semantics", std::string(to_string(report.model.semantics))},
      {"weights_from", report.model.weights_from},
      {"sample", report.sample_id},
      {"views", std::to_string(report.view_count)}};
  const auto environment = environment_facts(report.environment);
  facts.insert(facts.end(), environment.begin(), environment.end());
  return facts;
}

Json benchmark_document(const BenchmarkReport& report) {
  Json results = Json::array();
  for (const BenchmarkRow& row : report.rows) results.push_back(row_json(row, report.flops));
  return {{"unit", "milliseconds a sample"},
          {"model", to_json(report.model)},
          {"sample", {{"id", report.sample_id}, {"views", report.view_count}}},
          {"environment", to_json(report.environment)},
          {"results", std::move(results)}};
}

std::string benchmark_csv(const BenchmarkReport& report) {
  const TableRow header = csv_header(report);
  const auto facts = benchmark_facts(report);
  std::string text = csv_line(header);
  const auto add_line = [&](TableRow cells) {
    cells.resize(header.size() - facts.size());
    for (const auto& [name, value] : facts) cells.push_back(value);
    text += csv_line(cells);
  };
  for (const BenchmarkRow& row : report.rows) {
    if (!row.measured()) {
      TableRow cells = combination(row);
      append(cells, {"skipped", row.skipped});
      add_line(std::move(cells));
      continue;
    }
    add_line(csv_cells(row, total_entry(row, report.flops)));
    for (const Part part : kMeasuredParts) add_line(csv_cells(row, part_entry(part, row, report.flops)));
  }
  return text;
}

std::string benchmark_markdown(const BenchmarkReport& report) {
  std::string text = "Milliseconds a sample.\n\n" + markdown_table(total_table(report)) + '\n' +
                     markdown_table(part_table(report)) + '\n';
  for (const BenchmarkRow& row : report.rows) {
    if (!row.measured()) text += fmt::format("- skipped: {}: {}\n", fmt::join(combination(row), " "), row.skipped);
  }
  for (const BenchmarkRow& row : report.rows) {
    if (!row.batch_choice.is_measured()) continue;
    text +=
        fmt::format("- batch auto: {} {} {}: {}\n", row.device, row.backend, row.precision, describe(row.batch_choice));
  }
  text += fmt::format("- gemm_rate: {}\n", gemm_rates(report.rows));
  for (const auto& [name, value] : benchmark_facts(report)) text += fmt::format("- {}: {}\n", name, value);
  return text;
}

}  // namespace p2mpp
