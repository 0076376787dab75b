#pragma once

#include <functional>
#include <optional>

#include "backends/backend.h"
#include "p2mpp/engine.h"

namespace p2mpp {

/// What choose_batch() asks of a device.
struct BatchMeter {
  /// Of the device with a batch of so many samples. Asked before it is computed.
  std::function<BatchMemory(int batch)> memory;
  /// Samples a second in batches of so many; nothing where they do not fit into the memory together.
  std::function<std::optional<double>(int batch)> samples_per_second;
};

/// A batch counts as faster if it computes at least so many times the samples a second.
inline constexpr double kWorthwhileGain = 1.05;
/// Of the highest samples a second, what the chosen batch must reach.
inline constexpr double kGoodShare = 0.95;
/// Batches that take longer are not measured, so that the choice takes a few seconds at most.
inline constexpr double kMaxPassSeconds = 1.5;

/// Doubles the batch from 1 on while that gains something and the device's memory in use, by whomever, stays within
/// `memory_share` of all; gives the smallest batch that is nearly as fast as the fastest. `largest`: no batch beyond.
[[nodiscard]] BatchChoice choose_batch(const BatchMeter& meter, double memory_share, int largest);

}  // namespace p2mpp
