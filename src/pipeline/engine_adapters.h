#pragma once

#include "pipeline/stages.h"

namespace p2mpp {

/// The engine as the pipeline sees it; the pipeline itself knows no engine, so its tests need no model. The engine must
/// outlive the result.
[[nodiscard]] Reconstructor reconstructor_of(Engine& engine);

}  // namespace p2mpp
