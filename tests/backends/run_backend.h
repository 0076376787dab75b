#pragma once

#include <span>
#include <vector>

#include "backends/backend.h"

namespace p2mpp {

/// What a backend computes, where nobody asks for its times.
inline std::vector<Reconstruction> run_backend(Backend& backend, std::span<const Sample> batch,
                                               Intermediates* between = nullptr) {
  PartTimes times;
  return backend.run(batch, times, between);
}

inline Reconstruction run_backend(Backend& backend, const Sample& sample, Intermediates* between = nullptr) {
  return run_backend(backend, std::span(&sample, 1), between).front();
}

}  // namespace p2mpp
