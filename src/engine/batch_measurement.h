#pragma once

#include "backends/backend.h"
#include "p2mpp/engine.h"

namespace p2mpp {

/// A sample of white 224x224 views from evenly spaced azimuths: its tensors have the same shapes as those of a real
/// sample.
[[nodiscard]] Sample blank_sample(std::size_t view_count);

/// choose_batch() with throughput measured on blank samples. Throws Error if the device fails or if not even one sample
/// fits into its memory.
[[nodiscard]] BatchChoice measure_batch(Backend& backend, std::size_t view_count, double memory_share, int largest);

}  // namespace p2mpp
