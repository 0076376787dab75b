#pragma once

#include <nlohmann/json.hpp>

#include "p2mpp/figures.h"
#include "pipeline/steps.h"

namespace p2mpp {

/// The figures of a step, such as FitFigures: name to value.
template <typename Figures>
[[nodiscard]] nlohmann::json figures_json(const Figures& figures) {
  nlohmann::json json;
  for_each_figure(figures, [&json](const char* name, const auto& figure) { json[name] = figure; });
  return json;
}

/// All fields of a result. sample_result_from() restores them bit by bit.
[[nodiscard]] nlohmann::json to_json(const SampleResult& result);

/// Throws nlohmann::json::exception for a document that to_json() cannot have written: a key is missing, or a value is
/// of another type or out of range.
[[nodiscard]] SampleResult sample_result_from(const nlohmann::json& json);

}  // namespace p2mpp
