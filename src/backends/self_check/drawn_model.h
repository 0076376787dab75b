#pragma once

#include "p2mpp/model.h"

namespace p2mpp {

/// A model whose weights are drawn, all in memory: small, and yet with every kind of layer, every level and more
/// vertices, pixels and channels than one tile. Backends that run a model's files cannot compute it. It is
/// not calibrated for fp8.
[[nodiscard]] Model drawn_model(Semantics semantics);

}  // namespace p2mpp
