#pragma once

#include "backends/backend.h"
#include "p2mpp/engine.h"

namespace p2mpp {

/// White views, so that a pass has every shape of a real one.
[[nodiscard]] Sample blank_sample(std::size_t view_count);

/// choose_batch() by computing blank samples. Throws Error if the device fails, or not even one sample fits into its
/// memory.
[[nodiscard]] BatchChoice measure_batch(Backend& backend, std::size_t view_count, double memory_share, int largest);

}  // namespace p2mpp
