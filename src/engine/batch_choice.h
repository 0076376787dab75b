#pragma once

#include <functional>
#include <optional>

#include "backends/backend.h"
#include "p2mpp/engine.h"

namespace p2mpp {

/// The measurements that choose_batch() needs from a device.
struct BatchMeter {
  /// The device's memory and what a batch of this size needs. Called before the batch is computed.
  std::function<BatchMemory(int batch)> memory;
  /// Throughput in samples per second at this batch size; nothing if the batch does not fit into memory.
  std::function<std::optional<double>(int batch)> samples_per_second;
};

/// A batch counts as faster if its throughput is at least this multiple of the highest so far.
inline constexpr double kWorthwhileGain = 1.05;
/// The chosen batch reaches at least this share of the highest throughput.
inline constexpr double kGoodShare = 0.95;
/// Larger batches are not measured if one pass would take longer than this, so that choosing takes a few seconds at
/// most.
inline constexpr double kMaxPassSeconds = 1.5;

/// Doubles the batch, starting at 1, while throughput rises, the device's memory in use (by all processes) stays within
/// `memory_share` of its total, and the batch is at most `largest`. Returns the smallest batch whose throughput is
/// close to that of the fastest.
[[nodiscard]] BatchChoice choose_batch(const BatchMeter& meter, double memory_share, int largest);

/// A sample of white 224x224 views from evenly spaced azimuths: its tensors have the same shapes as those of a real
/// sample.
[[nodiscard]] Sample blank_sample(std::size_t view_count);

/// choose_batch() with throughput measured on blank samples. Throws Error if the device fails or if not even one sample
/// fits into its memory.
[[nodiscard]] BatchChoice measure_batch(Backend& backend, std::size_t view_count, double memory_share, int largest);

}  // namespace p2mpp
