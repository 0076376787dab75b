#pragma once

#include "base/environment_facts.h"
#include "base/version.h"

namespace p2mpp {

/// Asks the machine; the CUDA driver is started for it (once).
[[nodiscard]] Environment describe_environment();

}  // namespace p2mpp
