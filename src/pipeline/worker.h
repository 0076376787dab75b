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
  EvaluationOptions evaluation;  ///< `batch` is the maximum; if roots and `out` are empty, requests name their own
  std::chrono::milliseconds batch_timeout{5};  ///< how long a request waits for others to share its batch
  std::size_t queue = 1000;  ///< maximum number of waiting requests; at the limit, no further line is read
};

/// A line of the input, without its line end.
struct RequestLine {
  std::string text;
  bool too_long = false;  ///< longer than kMaxRequestBytes, and truncated
};

/// The input and output of a worker.
struct WorkerChannel {
  /// Returns the next line; nothing at the end of the input or after a stop was requested. Called by one thread; may
  /// block.
  std::function<std::optional<RequestLine>()> next_line;
  /// Writes one answer. Never called concurrently. An exception ends the worker.
  std::function<void(const nlohmann::ordered_json&)> answer;
  /// Returns true to start no further batch. Called by several threads.
  std::function<bool()> stop_requested = [] { return false; };
  /// Called when the worker fails, by any thread: next_line() must return soon.
  std::function<void()> give_up = [] {};
};

/// Answers requests (worker_request.h) in batches until the input ends. Reading, computing and writing of batches
/// overlap. Every line gets exactly one answer: {"id", "status", "reason", "files", "milliseconds": {"queued",
/// "total"}, "batch", "result"}. The status is "done", "not_scored", "failed", "refused" (not a valid request) or
/// "dropped" (not started when a stop was requested). The result has the same fields as a sample in a run's manifest.
/// {"command": "statistics"} is answered at once with {"statistics": {...}}. Computes in the caller's thread. Throws
/// what answer() throws.
[[nodiscard]] WorkerStatistics run_worker(const WorkerOptions& options, const Reconstructor& reconstructor,
                                          Trace& trace, const WorkerChannel& channel);

}  // namespace p2mpp
