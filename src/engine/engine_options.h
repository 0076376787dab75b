#pragma once

#include "base/option.h"
#include "p2mpp/engine.h"

namespace p2mpp {

inline constexpr int kCudaWarmupPasses = 15;
inline constexpr int kMaxBatch = 1024;
inline constexpr int kMaxThreads = 1024;
inline constexpr int kMaxWarmupPasses = 1000;

/// The value of an option that leaves the choice to p2mpp.
inline constexpr std::string_view kAuto = "auto";

/// The values of --backend and --precision, "auto" first.
[[nodiscard]] std::vector<std::string> backend_choices();
[[nodiscard]] std::vector<std::string> precision_choices();

/// What the text of a batch must be: "auto", which becomes kAutoBatch, or 1 to kMaxBatch.
[[nodiscard]] inline ValueCheck batch_size() { return auto_or_whole_number(1, kMaxBatch, kAutoBatch); }

/// Sets a check of hashes from "skip" or "require".
inline void from_text(std::string_view text, HashCheck& check) {
  check = text == "skip" ? HashCheck::kSkip : HashCheck::kRequire;
}

/// All precisions, including those that this machine does not support.
[[nodiscard]] std::span<const Precision> all_precisions();

/// Resolves "auto" for a device: tf32 on CUDA, fp32 on a CPU. Throws UsageError if the device does not support the
/// precision or if `text` is not one of precision_choices().
[[nodiscard]] Precision choose_precision(std::string_view text, Device device);

/// The backends that match `text`, one of backend_choices(), and support this device and precision, in order of
/// preference. Never empty: throws UsageError if there is none.
[[nodiscard]] std::vector<std::string_view> choose_backends(std::string_view text, Device device, Precision precision);

/// The first of choose_backends().
[[nodiscard]] std::string_view choose_backend(std::string_view text, Device device, Precision precision);

/// choose_device(), but also tests whether a backend can compute on a CUDA device. If none can, "auto" falls back to
/// the CPU and an explicit CUDA device throws Error.
[[nodiscard]] DeviceChoice choose_computing_device(std::string_view text);

/// Number of passes before the first sample. They complete autotuning and whatever is compiled or recorded for each
/// shape, for every backend.
[[nodiscard]] int warmup_passes(const EngineOptions& options, Device device);

}  // namespace p2mpp
