#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "base/environment.h"
#include "eval/benchmark.h"
#include "model/flop_count.h"

namespace p2mpp {

/// Measurements and everything that they depend on.
struct BenchmarkReport {
  std::vector<BenchmarkRow> rows;
  ModelInfo model;
  std::string sample_id;
  std::size_t view_count = 0;
  FlopCount flops;  ///< of one sample
  Environment environment;
};

/// Everything but the rows, as pairs of name and value: model, sample, hardware, versions, commit.
[[nodiscard]] std::vector<std::pair<std::string, std::string>> benchmark_facts(const BenchmarkReport& report);

/// The rows and facts as JSON. "gflops" and "share_of_gemm_rate" (1: the full rate) are computed from the median time,
/// and null for a part whose operations are not counted.
[[nodiscard]] nlohmann::ordered_json benchmark_document(const BenchmarkReport& report);

/// A line for each combination and part ("total" first), each with all facts. A skipped combination is one line.
[[nodiscard]] std::string benchmark_csv(const BenchmarkReport& report);

/// Tables for people: totals of all combinations, parts of each measured combination with their share of the matrix
/// product's rate, skipped combinations with reasons, facts.
[[nodiscard]] std::string benchmark_markdown(const BenchmarkReport& report);

}  // namespace p2mpp
