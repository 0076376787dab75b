#pragma once

#include "eval/environment_facts.h"
#include "eval/version.h"

namespace p2mpp {

/// Asks the machine; the CUDA driver is started for it (once).
[[nodiscard]] Environment describe_environment();

}  // namespace p2mpp
