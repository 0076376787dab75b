#pragma once

#include <nlohmann/json_fwd.hpp>

#include "pipeline/steps.h"

namespace p2mpp {

/// All that is known of a sample, so that from_json() gives the same again, bit by bit.
[[nodiscard]] nlohmann::json to_json(const SampleResult& result);

/// Throws nlohmann::json::exception for anything that to_json() has not made.
[[nodiscard]] SampleResult sample_result_from(const nlohmann::json& json);

}  // namespace p2mpp
