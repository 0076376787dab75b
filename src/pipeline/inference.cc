#include "pipeline/inference.h"

#include <algorithm>

namespace p2mpp {
namespace {

std::vector<Sample> take_samples(std::span<Job* const> jobs) {
  std::vector<Sample> samples;
  samples.reserve(jobs.size());
  for (Job* job : jobs) samples.push_back(std::move(job->sample));
  return samples;
}

void give_back(std::vector<Sample>& samples, std::span<Job* const> jobs) {
  for (std::size_t i = 0; i < jobs.size(); ++i) jobs[i]->sample = std::move(samples[i]);
}

void take_outcome(Outcome& outcome, Job& job) {
  const double read_ms = job.result.times[Part::kRead];
  job.result.times = outcome.times;
  job.result.times[Part::kRead] = read_ms;
  job.reconstruction = std::move(outcome.reconstruction);
  if (outcome.problem.empty()) return;
  job.result.status = SampleStatus::kFailed;
  job.result.reason = outcome.problem;
}

// The other parts are copies, or run beside these.
bool fills_the_device(Part part) { return part != Part::kCopyIn && part != Part::kCopyOut && part != Part::kCnn2; }

}  // namespace

Inference::~Inference() {
  for (Batch& batch : batches_) await(batch);
}

void Inference::submit(std::span<Job> jobs) { begin(batches_.emplace_back(), good_jobs(jobs)); }

void Inference::begin(Batch& batch, std::span<Job* const> jobs) {
  batch.jobs.assign(jobs.begin(), jobs.end());
  batch.samples = take_samples(jobs);
  batch.begin = Clock::now();
  batch.is_back = jobs.empty();
  if (jobs.empty()) return;
  const ProfilerRange range("submit");
  try {
    reconstructor_.submit(batch.samples);
  } catch (...) {
    batch.is_back = true;
    batch.failure = std::current_exception();
  }
}

void Inference::await(Batch& batch) {
  if (batch.is_back) return;
  batch.is_back = true;
  const ProfilerRange range("collect");
  try {
    batch.outcomes = reconstructor_.collect();
  } catch (...) {
    batch.failure = std::current_exception();
  }
  batch.device_spans = reconstructor_.take_device_spans();
  for (const DeviceSpan& span : batch.device_spans) {
    if (fills_the_device(span.part)) device_seconds_ += std::chrono::duration<double>(span.end - span.begin).count();
  }
  batch.end = Clock::now();
  batch.begin = std::max(batch.begin, last_end_);
  last_end_ = batch.end;
}

void Inference::collect() {
  Batch& batch = batches_.front();
  await(batch);
  if (batch.failure) {
    for (Batch& each : batches_) await(each);  // what is computed again is computed alone
  }
  settle(batch);
  batches_.pop_front();
}

void Inference::settle(Batch& batch) {
  give_back(batch.samples, batch.jobs);
  if (batch.failure && batch.jobs.size() > 1) {
    compute_halves(batch.jobs);  // too many for the memory, or one of them is bad
  } else if (batch.failure) {
    attempt(*batch.jobs.front(), SampleStatus::kFailed, [&] { std::rethrow_exception(batch.failure); });
  } else if (!batch.jobs.empty()) {
    finish(batch);
  }
}

void Inference::compute_halves(std::span<Job* const> jobs) {
  const std::size_t half = jobs.size() / 2;
  for (const auto& some : {jobs.first(half), jobs.subspan(half)}) {
    Batch batch;
    begin(batch, some);
    await(batch);
    settle(batch);
  }
}

void Inference::finish(Batch& batch) {
  const std::chrono::duration<double, std::milli> duration = batch.end - batch.begin;
  PartTimes batch_times;
  for (std::size_t i = 0; i < batch.jobs.size(); ++i) {
    batch_times += batch.outcomes.at(i).times;
    take_outcome(batch.outcomes[i], *batch.jobs[i]);
    batch.jobs[i]->result.compute_ms = duration.count() / static_cast<double>(batch.jobs.size());
  }
  const std::string name = batch_name(batch.jobs);
  trace_.add("compute", "compute", batch.begin, batch.end, name);
  if (batch.device_spans.empty()) {
    trace_.add_parts(batch.begin, batch_times, name);
  } else {
    trace_.add_device_spans(batch.device_spans, name);
  }
}

}  // namespace p2mpp
