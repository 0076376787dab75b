#include "python/engine_thread.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <utility>

#include "p2mpp/error.h"
#include "p2mpp/reconstruct.h"
#include "python/background.h"

namespace p2mpp::python {

Batch::Batch(std::vector<Sample> samples, Frame frame) : frame_(frame) {
  for (Sample& sample : samples) {
    ComputedSample& result = results_.emplace_back(ComputedSample{.id = sample.id});
    if (const std::string problem = Engine::problem_of(sample); !problem.empty()) {
      result.problem = fmt::format("{}: {}", sample.id, problem);
      continue;
    }
    positions_.push_back(results_.size() - 1);
    samples_.push_back(std::move(sample));
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

std::shared_ptr<Batch> EngineThread::submit(std::vector<Sample> samples, Frame frame) {
  if (is_other_process()) {
    throw Error("the engine was made before this process was forked; expected one that this process made");
  }
  auto batch = std::make_shared<Batch>(std::move(samples), frame);
  const std::lock_guard lock(mutex_);
  if (stopping_) throw Error("the engine is closed, because the interpreter ends");
  queued_.push_back(batch);
  changed_.notify_all();
  return batch;
}

bool EngineThread::wait_for(Batch& batch, std::chrono::milliseconds time) {
  std::unique_lock lock(mutex_);
  if (!std::exchange(batch.waited_for_, true)) changed_.notify_all();
  return changed_.wait_for(lock, time, [&batch] { return batch.done_; });
}

std::vector<ComputedSample> EngineThread::take_results(Batch& batch) {
  const std::lock_guard lock(mutex_);
  if (batch.failure_) std::rethrow_exception(batch.failure_);
  return std::move(batch.results_);
}

void EngineThread::abandon(Batch& batch) {
  if (is_other_process()) return;
  const std::lock_guard lock(mutex_);
  batch.abandoned_ = true;
  changed_.notify_all();
}

std::vector<std::string> EngineThread::take_warnings() {
  const std::lock_guard lock(mutex_);
  return std::exchange(warnings_, {});
}

void EngineThread::stop() {
  if (is_other_process()) return;
  const std::lock_guard lock(mutex_);
  stopping_ = true;
  for (const std::shared_ptr<Batch>& batch : std::exchange(queued_, {})) {
    batch->failure_ = std::make_exception_ptr(Error("the engine was closed before it computed this sample"));
    batch->done_ = true;
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

// The following functions run in the thread.

void EngineThread::run(EngineOptions options) {
  make_engine(std::move(options));
  while (engine_ && step()) {
  }
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

bool EngineThread::has_work() const {
  if (stopping_ || !queued_.empty() || in_flight_.size() == engine_->batches_in_flight()) return true;
  // Waiting for the device would delay the next submission, so a batch is collected only if somebody waits for it.
  return std::ranges::any_of(in_flight_, [](const auto& batch) { return batch->waited_for_ || batch->abandoned_; });
}

// Submits or collects a batch. Returns false if there will be none any more.
bool EngineThread::step() {
  std::shared_ptr<Batch> next;
  {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return has_work(); });
    std::erase_if(queued_, [](const auto& batch) { return batch->abandoned_; });
    if (!queued_.empty() && in_flight_.size() < engine_->batches_in_flight()) {
      next = std::move(queued_.front());
      queued_.pop_front();
    } else if (in_flight_.empty()) {
      return !stopping_;
    }
  }
  if (next) {
    begin(std::move(next));
  } else {
    finish_oldest();
  }
  return true;
}

void EngineThread::begin(std::shared_ptr<Batch> batch) {
  if (batch->samples_.empty()) return set_done(*batch);
  try {
    engine_->submit(batch->samples_);
  } catch (...) {
    return set_done(*batch, std::current_exception());
  }
  in_flight_.push_back(std::move(batch));
}

void EngineThread::finish_oldest() {
  const std::shared_ptr<Batch> batch = std::move(in_flight_.front());
  in_flight_.pop_front();
  try {
    const std::vector<ReconstructionResult> computed = engine_->collect();
    compute_meshes(*batch, computed);
  } catch (...) {
    return set_done(*batch, std::current_exception());
  }
  set_done(*batch);
}

void EngineThread::compute_meshes(Batch& batch, const std::vector<ReconstructionResult>& computed) {
  for (std::size_t i = 0; i < batch.samples_.size(); ++i) {
    {
      const std::lock_guard lock(mutex_);
      if (batch.abandoned_) return;
    }
    ComputedSample& result = batch.results_[batch.positions_[i]];
    Mesh mesh;
    try {
      mesh.mesh = fitted_mesh(*engine_, batch.samples_[i], computed[i], batch.frame_, &mesh.fit);
      result.mesh = std::move(mesh);
    } catch (const InputError& error) {
      result.problem = error.what();
    }
  }
}

void EngineThread::set_done(Batch& batch, std::exception_ptr failure) {
  const std::lock_guard lock(mutex_);
  batch.samples_.clear();
  batch.failure_ = std::move(failure);
  batch.done_ = true;
  changed_.notify_all();
}

}  // namespace p2mpp::python
