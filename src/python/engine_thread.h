#pragma once

#include <sys/types.h>

#include <chrono>
#include <condition_variable>
#include <deque>
#include <exception>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "p2mpp/engine.h"
#include "python/mesh.h"

namespace p2mpp::python {

/// The result for a sample of a batch: a mesh, or one line that says why there is none.
struct ComputedSample {
  std::string id;
  std::optional<Mesh> mesh = {};
  std::string problem = {};
};

/// Samples that an EngineThread computes together for one caller.
class Batch {
 public:
  Batch(std::vector<Sample> samples, Frame frame);

 private:
  friend class EngineThread;
  Frame frame_;
  std::vector<ComputedSample> results_;
  std::vector<Sample> samples_;         // that can be computed
  std::vector<std::size_t> positions_;  // of these in results_
  // The following members are guarded by the EngineThread's mutex.
  std::exception_ptr failure_;
  bool waited_for_ = false, abandoned_ = false, done_ = false;
};

/// An engine with a thread of its own, which computes the batches of all callers in the order of their arrival.
/// Thread-safe.
class EngineThread : public std::enable_shared_from_this<EngineThread> {
 public:
  /// Starts the thread, which begins with making the engine.
  [[nodiscard]] static std::shared_ptr<EngineThread> start(EngineOptions options);

  /// Waits until the engine is made, `time` at most; returns whether it is. Throws what its constructor threw.
  [[nodiscard]] bool wait_until_made(std::chrono::milliseconds time);
  /// Precondition: it is made.
  [[nodiscard]] const Engine& engine() const { return *engine_; }

  /// Throws Error after stop(), or if this process is a fork of the one that made the engine.
  [[nodiscard]] std::shared_ptr<Batch> submit(std::vector<Sample> samples, Frame frame);
  /// Waits until a batch is done, `time` at most; returns whether it is.
  [[nodiscard]] bool wait_for(Batch& batch, std::chrono::milliseconds time);
  /// A batch's results, in the samples' order. Throws what the engine threw. Precondition: the batch is done.
  [[nodiscard]] std::vector<ComputedSample> take_results(Batch& batch);
  /// Nobody waits for this batch any more. It is not begun or, if it has been, its results are dropped.
  void abandon(Batch& batch);

  /// The engine's warnings since the previous call, one line each.
  [[nodiscard]] std::vector<std::string> take_warnings();

  /// Lets the thread end after the batches in flight. Those that are not begun fail.
  void stop();
  /// Stops, waits for the thread's end, and frees the engine. Nobody may use this object any more.
  void close();

 private:
  void run(EngineOptions options);
  void make_engine(EngineOptions options);
  [[nodiscard]] bool has_work() const;
  [[nodiscard]] bool step();
  void begin(std::shared_ptr<Batch> batch);
  void finish_oldest();
  void compute_meshes(Batch& batch, const std::vector<ReconstructionResult>& computed);
  void set_done(Batch& batch, std::exception_ptr failure = {});
  [[nodiscard]] bool is_other_process() const;

  pid_t process_ = 0;
  std::unique_ptr<Engine> engine_;
  std::deque<std::shared_ptr<Batch>> in_flight_;  // the thread's own

  std::mutex mutex_;  // of what follows
  std::condition_variable changed_;
  std::exception_ptr failure_;  // of the constructor
  std::deque<std::shared_ptr<Batch>> queued_;
  std::vector<std::string> warnings_;
  bool made_ = false, stopping_ = false, ended_ = false;
};

}  // namespace p2mpp::python
