#pragma once

#include "p2mpp/engine.h"

namespace p2mpp {

inline constexpr int kCudaWarmupPasses = 15;
inline constexpr int kMaxBatch = 1024;
inline constexpr int kMaxThreads = 1024;
inline constexpr int kMaxWarmupPasses = 1000;

/// The values of --backend and --precision, "auto" first.
[[nodiscard]] std::vector<std::string> backend_choices();
[[nodiscard]] std::vector<std::string> precision_choices();

/// All that any device may have.
[[nodiscard]] std::span<const Precision> all_precisions();

/// "auto" resolved for a device: tf32 on CUDA, fp32 on a CPU. Throws UsageError for what the device cannot do and for
/// what is none of precision_choices().
[[nodiscard]] Precision choose_precision(std::string_view text, Device device);

/// The backends that `text`, one of backend_choices(), means for a device and a precision: the one named, or all that
/// compute it, the preferred ones first. Never empty: throws UsageError where none does.
[[nodiscard]] std::vector<std::string_view> choose_backends(std::string_view text, Device device, Precision precision);

/// The first of these.
[[nodiscard]] std::string_view choose_backend(std::string_view text, Device device, Precision precision);

/// choose_device(), but a CUDA device only where a backend computes on it here: it is tried out.
[[nodiscard]] DeviceChoice choose_computing_device(std::string_view text);

/// Passes before the first sample, whichever backend computes: by then autotuning has measured what is fastest, and
/// what is compiled or recorded for a shape is there.
[[nodiscard]] int warmup_passes(const EngineOptions& options, Device device);

}  // namespace p2mpp
