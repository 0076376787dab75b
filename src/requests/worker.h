#pragma once

#include <functional>
#include <optional>
#include <string>

#include "base/json_text.h"
#include "requests/request_service.h"

namespace p2mpp {

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
  std::function<void(const Json&)> answer;
  /// Returns true to start no further batch. Called by several threads.
  std::function<bool()> stop_requested = [] { return false; };
  /// Called when the worker fails, by any thread: next_line() must return soon.
  std::function<void()> give_up = [] {};
};

/// Answers requests (worker_request.h) until the input ends, as RequestService does. Reads no further line while the
/// queue is full. Every line gets exactly one answer: to_json(RequestAnswer), or with the status "refused" (not a valid
/// request). {"command": "statistics"} is answered at once with {"statistics": {...}}. Computes in the caller's thread.
/// Throws what answer() throws.
[[nodiscard]] WorkerStatistics run_worker(const ServiceOptions& options, Reconstructor& reconstructor, Trace& trace,
                                          const WorkerChannel& channel);

}  // namespace p2mpp
