#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "base/json_text.h"
#include "base/parallel.h"
#include "io/image/pixel_budget.h"
#include "pipeline/steps.h"
#include "requests/request_queue.h"

namespace p2mpp {

/// Keeps only the latest values, so that memory does not grow.
class RecentValues {
 public:
  void add(double value);
  /// {"count", "p50", "p95", "p99"} of the kept values.
  [[nodiscard]] Json percentiles() const;

 private:
  std::vector<double> values_;
  std::size_t next_ = 0;
};

/// Counts and times of a worker or a server since its start.
struct WorkerStatistics {
  std::size_t accepted = 0;
  std::size_t done = 0;                        ///< with a mesh
  std::size_t failed = 0;                      ///< accepted, but without a mesh or without the requested score
  std::size_t failed_otherwise = 0;            ///< of them, for a reason other than their files, such as memory
  std::size_t refused = 0;                     ///< lines that were not valid requests
  std::size_t dropped = 0;                     ///< accepted, but not started when a stop was requested
  std::size_t expired = 0;                     ///< accepted, but not started before their deadline
  std::size_t withdrawn = 0;                   ///< accepted, but nobody waited for the answer any more
  std::map<std::size_t, std::size_t> batches;  ///< batch size to number of batches
  RecentValues queued_ms, total_ms;            ///< from acceptance to the start of the batch, and to the answer

  /// Number of requests that are accepted but not answered.
  [[nodiscard]] std::size_t in_work() const { return accepted - done - failed - dropped - expired - withdrawn; }
  [[nodiscard]] Json to_json(std::size_t waiting) const;
};

/// The most batches of one client that are in flight: one is read, one computed and one written. The client's other
/// requests wait in the queue, so a flood of them delays other clients only by these batches.
inline constexpr std::size_t kMostBatchesOfClient = 3;

struct ServiceOptions {
  PipelineOptions evaluation;  ///< `batch` is the maximum; if roots and `out` are empty, requests name their own
  std::chrono::milliseconds batch_timeout{5};  ///< how long a request waits for others to share its batch
  std::size_t queue = 1000;                    ///< maximum number of waiting requests
  int threads = 1;  ///< that read, and that write, several requests side by side; half of them may have heavy ones
  /// Ends as after stop() when nothing more can be written; run() then throws DiskError.
  bool ends_on_full_disk = false;
  /// The writing threads call this for each sample with a mesh, before its answer, with the folder of its files. It may
  /// write further files. An exception fails the sample.
  std::function<void(const Job&, const std::filesystem::path&)> after_write = {};
};

/// The result of a request.
struct RequestAnswer {
  struct Computed {
    std::filesystem::path out;  ///< the folder of its files
    double queued_ms = 0, total_ms = 0;
    std::size_t batch = 0;
    SampleResult result;
    bool has_no_room = false;  ///< it failed because of DiskError
  };
  std::string id;
  std::string_view status;  ///< "done", "not_scored", "failed", "expired" or "dropped"
  std::string reason;
  std::optional<Computed> computed = {};  ///< empty if it was not begun
};

/// {"id", "status", "reason"} and, if it was begun, "files", "milliseconds": {"queued", "total"}, "batch", "result":
/// the fields of a sample in a run's manifest.
[[nodiscard]] Json to_json(const RequestAnswer& answer);

/// Answers requests in batches, in the order of a RequestQueue. Reading, computing and writing of batches overlap.
/// Every request that is accepted is answered once, unless it is withdrawn. A request that was begun is given up when
/// it is withdrawn or its deadline has passed. All functions but run() may be called by any thread, at any time.
class RequestService {
 public:
  /// Called once, by any thread and several at a time. An exception ends the service.
  using OnAnswer = std::function<void(const RequestAnswer&)>;

  /// All must outlive this object. `stop_requested`: returns true to start no further batch; called by several threads.
  /// `on_failure`: called when the service fails, by any thread.
  RequestService(const ServiceOptions& options, Reconstructor& reconstructor, Trace& trace,
                 std::function<bool()> stop_requested, std::function<void()> on_failure);

  /// Waits for room in the queue. After close() or stop(), the answer is "dropped".
  void accept(WorkerRequest request, OnAnswer on_answer);
  /// The same without waiting. Returns the request's number; nothing, and does not answer, if the queue is full or
  /// closed.
  std::optional<std::size_t> try_accept(WorkerRequest request, OnAnswer on_answer);
  /// Withdraws a request whose answer nobody waits for any more. It is not answered, unless it was already.
  void withdraw(std::size_t number);
  /// Answers a request whose deadline has passed, unless it was answered already.
  void expire(std::size_t number);

  /// Computes in the caller's thread until close() or stop() was called and everything is answered. Rethrows an
  /// exception of an OnAnswer.
  void run();
  /// Accepts no more requests. Waiting requests are still computed.
  void close() { waiting_.close(); }
  /// Accepts no more requests. Requests that have not begun are answered as dropped.
  void stop();
  /// The same; requests that were begun are given up and answered as dropped, too.
  void give_up();
  /// Ends as soon as possible, without answers.
  void fail();

  void count_refused();
  [[nodiscard]] bool has_failed() const { return failed_; }
  [[nodiscard]] std::size_t waiting() const { return waiting_.size(); }
  [[nodiscard]] WorkerStatistics statistics() const;

 private:
  // A request that was accepted and is not over: not answered, or given up and still in the hands of a step.
  struct Open {
    Ticket ticket;
    OnAnswer on_answer;  // keeps what the steps need
    bool is_answered = false;
    std::stop_source stop = {};
    // Once it was begun:
    PipelineOptions options = {};
    Clock::time_point begun = {};
  };
  using OpenRequest = std::shared_ptr<Open>;

  Ticket enter(WorkerRequest request, OnAnswer on_answer);
  [[nodiscard]] OpenRequest find(std::size_t number) const;
  [[nodiscard]] bool claim_answer(Open& request);
  void forget(const Open& request);
  std::vector<Ticket> next_tickets();
  std::vector<Job> read();
  [[nodiscard]] Job begin(const Ticket& ticket);
  [[nodiscard]] PipelineOptions resolve_options(const Open& request) const;
  [[nodiscard]] Job open(const WorkerRequest& request, PipelineOptions& options) const;
  void write(std::vector<Job> jobs);
  void write(Job& job, std::size_t batch_size);
  void make_files(Job& job, const PipelineOptions& options);
  void end_on_full_disk(std::span<const Job> jobs);
  void answer(Open& request, const Job& job, std::size_t batch_size);
  void decline(Open& request, std::string_view status, std::string_view reason);
  void decline(const std::vector<Ticket>& tickets, std::string_view status, std::string_view reason);

  const ServiceOptions& options_;
  Reconstructor& reconstructor_;
  Trace& trace_;
  const std::function<bool()> stop_requested_;
  const std::function<void()> on_failure_;
  RequestQueue waiting_;
  PixelBudget budget_;
  MaskFitters fitters_;
  std::atomic<bool> failed_ = false;
  mutable std::mutex mutex_;     // guards the members below, and the answering of requests
  std::vector<Ticket> carried_;  // those of a batch that was cut short
  WorkerStatistics statistics_;
  std::size_t next_number_ = 1;
  std::map<std::size_t, OpenRequest> open_;  // by number
  FirstFailure failure_;
};

}  // namespace p2mpp
