#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "p2mpp/engine.h"

namespace p2mpp {

/// {"mode": "auto" or "given", "chosen", "reason", "trials"}; the last two where it was measured.
[[nodiscard]] nlohmann::ordered_json to_json(const BatchChoice& choice);

/// "8 (measured; 16 gain less than 5%)", or the number alone where it was given.
[[nodiscard]] std::string describe(const BatchChoice& choice);

}  // namespace p2mpp
