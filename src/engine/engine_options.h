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

/// The same, but "auto" on a CPU is bf16 if that is faster with the options' instruction set, if their backend supports
/// it and if they are not `exact`.
[[nodiscard]] Precision choose_precision(const EngineOptions& options, Device device);

/// Resolves the options' instruction set for a precision.
[[nodiscard]] InstructionSet choose_instruction_set(const EngineOptions& options, Precision precision);

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

/// Declares the options of the computation, apart from the model, its hashes and the warnings. `add`: as the visitor of
/// visit_options().
template <typename Add>
void visit_engine_options(EngineOptions& options, Add&& add) {
  add(options.device, {"--device", "Device to compute on; auto is CUDA if a device works, else the CPU",
                       "auto|cpu|cuda|cuda:N", device_name()});
  add(options.backend, {"--backend", "Implementation of the network; auto is the first that supports the precision", "",
                        one_of(backend_choices())});
  add(options.precision,
      {"--precision", "Arithmetic of matrix products; auto is tf32 on CUDA, else the fastest as good as fp32", "",
       one_of(precision_choices())});
  add(options.batch,
      {"--batch", "Samples computed together; auto measures the fastest number", "N|auto", batch_size()});
  add(options.memory_share,
      {"--memory-share", "Largest share of the device's memory in use with --batch auto", "X", share()});
  add(options.threads, {"--threads", "CPU threads; 0: one per physical core", "N", whole_number(0, kMaxThreads)});
  add(options.instruction_set, {"--instruction-set", "Instruction set of the CPU; auto is the fastest one",
                                "auto|portable|avx2|avx512|avx512_bf16|amx_bf16|neon|neon_bf16"});
  add(options.warmup, {"--warmup", "Passes before the first sample; -1: 15 on CUDA, none on a CPU", "N",
                       whole_number(-1, kMaxWarmupPasses)});
}

}  // namespace p2mpp
