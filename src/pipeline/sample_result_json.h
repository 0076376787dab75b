#pragma once

#include <nlohmann/json_fwd.hpp>

#include "pipeline/steps.h"

namespace p2mpp {

[[nodiscard]] nlohmann::json to_json(const FitFigures& fit);
[[nodiscard]] nlohmann::json to_json(const SurfaceFigures& surface);

/// All fields of a result. sample_result_from() restores them bit by bit.
[[nodiscard]] nlohmann::json to_json(const SampleResult& result);

/// Throws nlohmann::json::exception for a document that to_json() cannot have written: a key is missing, or a value is
/// of another type or out of range.
[[nodiscard]] SampleResult sample_result_from(const nlohmann::json& json);

}  // namespace p2mpp
