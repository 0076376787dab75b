#pragma once

#include <sys/types.h>

#include <chrono>
#include <condition_variable>
#include <deque>
#include <exception>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "p2mpp/engine.h"
#include "p2mpp/files.h"
#include "p2mpp/reconstruct.h"
#include "pipeline/steps.h"

namespace p2mpp::python {

/// The result for a sample of a batch: a mesh, or one line that says why there is none.
struct ComputedSample {
  std::string id;
  std::optional<ReconstructedMesh> mesh = {};
  std::string problem = {};
  std::vector<SampleWarning> warnings = {};
};

/// Samples that an EngineThread computes together for one caller.
class EngineBatch {
 public:
  /// Throws as read_initial_mesh().
  EngineBatch(std::vector<PhotographedSample> samples, Frame frame, RunOptions run);

 private:
  friend class EngineThread;
  Frame frame_;
  PipelineOptions options_;
  std::vector<Job> jobs_;  // until they are begun
  // The following members are guarded by the EngineThread's mutex.
  std::vector<ComputedSample> results_;
  std::exception_ptr failure_;
  bool abandoned_ = false, done_ = false;
};

/// An engine with a pipeline of its own, which computes the batches of all callers in the order of their arrival.
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
  [[nodiscard]] std::shared_ptr<EngineBatch> submit(std::vector<PhotographedSample> samples, Frame frame,
                                                    RunOptions run);
  /// Waits until a batch is done, `time` at most; returns whether it is.
  [[nodiscard]] bool wait_for(EngineBatch& batch, std::chrono::milliseconds time);
  /// A batch's results, in the samples' order. Throws what the engine threw. Precondition: the batch is done.
  [[nodiscard]] std::vector<ComputedSample> take_results(EngineBatch& batch);
  /// Nobody waits for this batch any more. It is not begun or, if it has been, its results are dropped.
  void abandon(EngineBatch& batch);

  /// The engine's warnings since the previous call, one line each.
  [[nodiscard]] std::vector<std::string> take_warnings();

  /// Lets the thread end after the batches in flight. Those that are not begun fail.
  void stop();
  /// Stops, waits for the thread's end, and frees the engine. Nobody may use this object any more.
  void close();

 private:
  void run(EngineOptions options);
  void make_engine(EngineOptions options);
  void compute();
  [[nodiscard]] std::vector<Job> next_jobs(Trace& trace);
  void finish(std::vector<Job> jobs, Trace& trace, MaskFitters& fitters);
  [[nodiscard]] bool is_abandoned(const EngineBatch& batch);
  void set_done(EngineBatch& batch, std::exception_ptr failure = {});  // with the mutex
  [[nodiscard]] bool is_other_process() const;

  pid_t process_ = 0;
  std::unique_ptr<Engine> engine_;

  std::mutex mutex_;  // of what follows
  std::condition_variable changed_;
  std::exception_ptr failure_;  // of the constructor
  std::deque<std::shared_ptr<EngineBatch>> waiting_;
  std::map<std::size_t, std::shared_ptr<EngineBatch>> begun_;  // by the number of its jobs
  std::size_t next_number_ = 0;
  std::vector<std::string> warnings_;
  bool made_ = false, stopping_ = false, ended_ = false;
};

}  // namespace p2mpp::python
