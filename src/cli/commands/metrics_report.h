#pragma once

#include <cstddef>
#include <filesystem>

#include "eval/scored_predictions.h"
#include "geometry/metric_bounds.h"
#include "pipeline/scoring.h"

namespace p2mpp::cli {

/// Two files that `metrics` compares.
struct ComparedFiles {
  std::filesystem::path predicted, truth;
  bool json = false;  ///< print a JSON document instead of a table
};

/// Prints scores on stdout. sampled: number of random points that they were estimated from; 0: all.
void print_scores(const ComparedFiles& files, const ComparedPair& pair, const Scores& scores, std::size_t sampled);

/// Prints bounds on stdout.
void print_bounds(const ComparedFiles& files, const ComparedPair& pair, const MetricBounds& bounds);

}  // namespace p2mpp::cli
