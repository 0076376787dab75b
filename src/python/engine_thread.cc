#include "python/engine_thread.h"

#include <fmt/format.h>
#include <unistd.h>

#include <utility>

#include "p2mpp/error.h"
#include "pipeline/pipeline.h"
#include "python/background.h"
#include "results/initial_mesh.h"

namespace p2mpp::python {
namespace {

ComputedSample computed_sample(const Job& job, Frame frame) {
  const std::string& id = job.result.id;
  if (job.result.failed()) {
    const bool is_named = job.result.reason.starts_with(id + ": ");
    return {.id = id, .problem = is_named ? job.result.reason : fmt::format("{}: {}", id, job.result.reason)};
  }
  return {.id = id,
          .mesh = ReconstructedMesh{job.mesh_in(frame), job.result.fit, job.result.surface, job.result.texture},
          .warnings = job.result.warnings};
}

}  // namespace

EngineBatch::EngineBatch(std::vector<PhotographedSample> samples, Frame frame, RunOptions run) : frame_(frame) {
  options_.run = std::move(run);
  options_.start = read_initial_mesh(options_.run);
  for (PhotographedSample& each : samples) {
    Job& job = jobs_.emplace_back();
    job.result.id = each.sample.id;
    job.sample = std::move(each.sample);
    job.photographs = std::move(each.photographs);
  }
}

std::shared_ptr<EngineThread> EngineThread::start(EngineOptions options) {
  auto thread = std::make_shared<EngineThread>();
  thread->process_ = getpid();
  run_in_background([thread, options] { thread->run(options); },
                    [weak = std::weak_ptr<EngineThread>(thread)] {
                      if (const auto running = weak.lock()) running->stop();
                    });
  return thread;
}

bool EngineThread::wait_until_made(std::chrono::milliseconds time) {
  std::unique_lock lock(mutex_);
  if (!changed_.wait_for(lock, time, [this] { return made_; })) return false;
  if (failure_) std::rethrow_exception(failure_);
  return true;
}

std::shared_ptr<EngineBatch> EngineThread::submit(std::vector<PhotographedSample> samples, Frame frame,
                                                  RunOptions run) {
  if (is_other_process()) {
    throw Error("the engine was made before this process was forked; expected one that this process made");
  }
  auto batch = std::make_shared<EngineBatch>(std::move(samples), frame, std::move(run));
  batch->options_.reading.threads = engine_->threads();
  const std::lock_guard lock(mutex_);
  if (stopping_) throw Error("the engine is closed, because the interpreter ends");
  if (batch->jobs_.empty()) {
    set_done(*batch);
  } else {
    waiting_.push_back(batch);
  }
  changed_.notify_all();
  return batch;
}

bool EngineThread::wait_for(EngineBatch& batch, std::chrono::milliseconds time) {
  std::unique_lock lock(mutex_);
  return changed_.wait_for(lock, time, [&batch] { return batch.done_; });
}

std::vector<ComputedSample> EngineThread::take_results(EngineBatch& batch) {
  const std::lock_guard lock(mutex_);
  if (batch.failure_) std::rethrow_exception(batch.failure_);
  return std::move(batch.results_);
}

void EngineThread::abandon(EngineBatch& batch) {
  if (is_other_process()) return;
  const std::lock_guard lock(mutex_);
  batch.abandoned_ = true;
}

std::vector<std::string> EngineThread::take_warnings() {
  const std::lock_guard lock(mutex_);
  return std::exchange(warnings_, {});
}

void EngineThread::stop() {
  if (is_other_process()) return;
  const std::lock_guard lock(mutex_);
  stopping_ = true;
  for (const std::shared_ptr<EngineBatch>& batch : std::exchange(waiting_, {})) {
    set_done(*batch, std::make_exception_ptr(Error("the engine was closed before it computed this sample")));
  }
  changed_.notify_all();
}

void EngineThread::close() {
  if (is_other_process()) return;
  stop();
  {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return ended_; });
  }
  engine_.reset();
}

bool EngineThread::is_other_process() const { return process_ != getpid(); }

void EngineThread::set_done(EngineBatch& batch, std::exception_ptr failure) {
  batch.failure_ = std::move(failure);
  batch.done_ = true;
  changed_.notify_all();
}

// The following functions run in the thread, and in those of its pipeline.

void EngineThread::run(EngineOptions options) {
  make_engine(std::move(options));
  if (engine_) compute();
  const std::lock_guard lock(mutex_);
  ended_ = true;
  changed_.notify_all();
}

void EngineThread::make_engine(EngineOptions options) {
  options.on_warning = [this](const std::string& line) {
    const std::lock_guard lock(mutex_);
    warnings_.push_back(line);
  };
  std::unique_ptr<Engine> engine;
  std::exception_ptr failure;
  try {
    engine = std::make_unique<Engine>(options);
  } catch (...) {
    failure = std::current_exception();
  }
  const std::lock_guard lock(mutex_);
  if (!stopping_) engine_ = std::move(engine);  // else nobody waits for it any more
  failure_ = failure;
  made_ = true;
  changed_.notify_all();
}

void EngineThread::compute() {
  Trace trace;
  MaskFitters fitters;
  try {
    static_cast<void>(run_pipeline({.read = [&] { return next_jobs(trace); },
                                    .write = [&](std::vector<Job> jobs) { finish(std::move(jobs), trace, fitters); },
                                    .on_failure = [this] { stop(); },
                                    .waiting_batches = 1},
                                   {}, *engine_, trace));
  } catch (...) {
    const std::lock_guard lock(mutex_);
    for (const auto& [number, batch] : begun_) set_done(*batch, std::current_exception());
  }
}

// The jobs of the batch that has waited longest; none at the end.
std::vector<Job> EngineThread::next_jobs(Trace& trace) {
  std::unique_lock lock(mutex_);
  while (true) {
    changed_.wait(lock, [this] { return stopping_ || !waiting_.empty(); });
    if (waiting_.empty()) return {};
    const std::shared_ptr<EngineBatch> batch = std::move(waiting_.front());
    waiting_.pop_front();
    if (batch->abandoned_) {
      set_done(*batch);
      continue;
    }
    for (Job& job : batch->jobs_) job.number = next_number_;
    begun_[next_number_++] = batch;
    std::vector<Job> jobs = std::move(batch->jobs_);
    lock.unlock();
    for (Job& job : jobs) Steps(batch->options_, *engine_, trace).begin(job);
    return jobs;
  }
}

void EngineThread::finish(std::vector<Job> jobs, Trace& trace, MaskFitters& fitters) {
  std::shared_ptr<EngineBatch> batch;
  {
    const std::lock_guard lock(mutex_);
    batch = begun_.at(jobs.front().number);
  }
  const Steps steps(batch->options_, *engine_, trace, fitters);
  std::vector<ComputedSample> results;
  std::exception_ptr failure;
  for (Job& job : jobs) {
    if (is_abandoned(*batch)) break;
    steps.make_meshes({&job, 1});
    if (job.result.not_its_input && !failure) failure = job.failure;
    results.push_back(computed_sample(job, batch->frame_));
  }
  const std::lock_guard lock(mutex_);
  begun_.erase(jobs.front().number);
  batch->results_ = std::move(results);
  set_done(*batch, std::move(failure));
}

bool EngineThread::is_abandoned(const EngineBatch& batch) {
  const std::lock_guard lock(mutex_);
  return batch.abandoned_;
}

}  // namespace p2mpp::python
