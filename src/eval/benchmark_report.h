#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "base/environment.h"
#include "eval/benchmark.h"
#include "model/flop_count.h"

namespace p2mpp {

/// Measurements with what they depend on.
struct BenchmarkReport {
  std::vector<BenchmarkRow> rows;
  ModelInfo model;
  std::string sample_id;
  std::size_t view_count = 0;
  FlopCount flops;  ///< of one sample
  Environment environment;
};

/// Name and value of everything but the rows: model, sample, hardware, versions, commit.
[[nodiscard]] std::vector<std::pair<std::string, std::string>> benchmark_facts(const BenchmarkReport& report);

/// The results with all they depend on. "gflops" and "share_of_gemm_rate" (1 is all of it) are of the median time, null
/// for a part whose operations are not counted.
[[nodiscard]] nlohmann::ordered_json benchmark_document(const BenchmarkReport& report);

/// A line for each combination and part ("total" first), with all facts in each; a skipped combination is one line.
[[nodiscard]] std::string benchmark_csv(const BenchmarkReport& report);

/// Tables for people: every combination in total, every measured combination by part with the share of
/// the matrix rate that it reaches, what was skipped and why, facts.
[[nodiscard]] std::string benchmark_markdown(const BenchmarkReport& report);

}  // namespace p2mpp
