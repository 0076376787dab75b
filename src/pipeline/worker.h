#pragma once

#include <chrono>
#include <functional>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>

#include "pipeline/steps.h"
#include "pipeline/worker_statistics.h"

namespace p2mpp {

struct WorkerOptions {
  EvaluationOptions evaluation;  ///< its batch is the largest one; empty roots and out: requests name theirs
  std::chrono::milliseconds batch_timeout{5};  ///< how long a request waits for others to share its batch
  std::size_t queue = 1000;                    ///< requests that wait; beyond, no further line is read
};

/// A line of the input, without its end.
struct RequestLine {
  std::string text;
  bool too_long = false;  ///< longer than kMaxRequestBytes, and cut
};

/// The input and output of a worker.
struct WorkerChannel {
  /// The next line; nothing at the end of the input, and once a stop is requested. Called by one thread, which may
  /// wait.
  std::function<std::optional<RequestLine>()> next_line;
  /// Takes one answer. Calls do not overlap. What it throws ends the worker.
  std::function<void(const nlohmann::ordered_json&)> answer;
  /// Whether to begin no further batch. Asked from several threads.
  std::function<bool()> stop_requested = [] { return false; };
};

/// Answers requests (worker_request.h) until the input ends, in batches; while one computes, the next is read and the
/// one before is written. Every line gets exactly one answer: {"id", "status", "reason", "files", "milliseconds":
/// {"queued", "total"}, "batch", "result"}, where the status is "done", "not_scored", "failed", "refused" (no request)
/// or "dropped" (not begun when a stop was requested), and the result is what a run's manifest holds of a sample.
/// {"command": "statistics"} is answered at once by {"statistics": {...}}. Computes in the caller's thread. Throws what
/// answer() throws.
[[nodiscard]] WorkerStatistics run_worker(const WorkerOptions& options, const Reconstructor& reconstructor,
                                          Trace& trace, const WorkerChannel& channel);

}  // namespace p2mpp
