#pragma once

#include <sstream>

#include "eval/evaluation.h"

namespace p2mpp {

inline SampleResult scored_result(const std::string& category, const std::string& id, double compute_ms,
                                  double chamfer_distance) {
  SampleResult result;
  result.id = id;
  result.category = category;
  result.compute_ms = compute_ms;
  result.times[Part::kRead] = 1;
  result.times[Part::kDrb] = compute_ms / 2;
  result.times[Part::kWrite] = 2;
  result.scores.emplace();
  result.scores->vertices.chamfer_distance = chamfer_distance;
  result.scores->vertices.f1_tau = 60;
  result.scores->surface.f1_2tau = 80;
  result.scores->coarse.chamfer_distance = 2 * chamfer_distance;
  return result;
}

/// Four samples: two scored chairs, a scored lamp, one not scored; and one that failed for a reason that needs quotes.
inline Evaluation sample_evaluation() {
  Evaluation evaluation;
  evaluation.results = {scored_result("chair", "chair_1_00", 10, 0.001),
                        scored_result("chair", "chair_2_00", 20, 0.003), scored_result("lamp", "lamp_1_00", 30, 0.005),
                        scored_result("lamp", "lamp_2_00", 40, 0)};
  for (std::size_t i = 0; i < evaluation.results.size(); ++i) evaluation.results[i].line = i + 1;
  evaluation.results[3].scores.reset();
  evaluation.results[3].status = SampleStatus::kNotScored;
  evaluation.results[3].reason = "no truth";
  SampleResult failed;
  failed.line = 5;
  failed.id = "bad";
  failed.status = SampleStatus::kFailed;
  failed.reason = "a \"quoted\", reason";
  evaluation.results.push_back(failed);
  evaluation.compute_seconds = 0.1;
  evaluation.wall_seconds = 0.4;
  return evaluation;
}

inline std::vector<std::string> lines_of(const std::string& text) {
  std::istringstream stream(text);
  std::vector<std::string> lines;
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

}  // namespace p2mpp
