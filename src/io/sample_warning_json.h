#pragma once

#include <nlohmann/json_fwd.hpp>
#include <span>

#include "p2mpp/sample.h"

namespace p2mpp {

/// A list of {"code", "view", "message"}, the form of warnings in every document: "view" counts from 0 among the
/// sample's views, and is null for the sample as a whole.
[[nodiscard]] nlohmann::ordered_json to_json(std::span<const SampleWarning> warnings);

}  // namespace p2mpp
