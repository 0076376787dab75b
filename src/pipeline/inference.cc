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

void store_result(ReconstructionResult& result, Job& job) {
  const double read_ms = job.result.times[Part::kRead];
  job.result.times = result.times;
  job.result.times[Part::kRead] = read_ms;
  job.reconstruction = std::move(result.reconstruction);
  if (result.problem.empty()) return;
  job.result.status = SampleStatus::kFailed;
  job.result.reason = result.problem;
}

/// The others have their vertices already.
std::vector<Job*> jobs_to_compute(std::span<Job> jobs) {
  std::vector<Job*> wanted = good_jobs(jobs);
  std::erase_if(wanted, [](const Job* job) { return !job->reconstruction.refined.empty(); });
  return wanted;
}

// The other parts are copies, or run concurrently with these.
bool fills_the_device(Part part) { return part != Part::kCopyIn && part != Part::kCopyOut && part != Part::kCnn2; }

}  // namespace

Inference::~Inference() {
  for (Batch& batch : batches_) await(batch.computation);
}

void Inference::submit(std::vector<Job> jobs) {
  batches_.push_back({.jobs = std::move(jobs)});
  Batch& batch = batches_.back();
  batch.computation = begin(jobs_to_compute(batch.jobs));
}

Inference::Computation Inference::begin(std::span<Job* const> jobs) {
  Computation computation{.jobs = {jobs.begin(), jobs.end()}, .samples = take_samples(jobs), .begin = Clock::now()};
  computation.is_back = jobs.empty();
  if (jobs.empty()) return computation;
  const ProfilerRange range("submit");
  try {
    reconstructor_.submit(computation.samples);
  } catch (...) {
    computation.is_back = true;
    computation.failure = std::current_exception();
  }
  return computation;
}

void Inference::await(Computation& computation) {
  if (computation.is_back) return;
  computation.is_back = true;
  const ProfilerRange range("collect");
  try {
    computation.results = reconstructor_.collect();
  } catch (...) {
    computation.failure = std::current_exception();
  }
  computation.device_spans = reconstructor_.take_device_spans();
  for (const DeviceSpan& span : computation.device_spans) {
    if (fills_the_device(span.part)) device_seconds_ += std::chrono::duration<double>(span.end - span.begin).count();
  }
  computation.end = Clock::now();
  computation.begin = std::max(computation.begin, last_end_);
  last_end_ = computation.end;
}

std::vector<Job> Inference::collect() {
  Batch& batch = batches_.front();
  await(batch.computation);
  if (batch.computation.failure) {
    for (Batch& each : batches_) await(each.computation);  // the halves must not wait behind other batches
  }
  settle(batch.computation);
  std::vector<Job> jobs = std::move(batch.jobs);
  batches_.pop_front();
  return jobs;
}

void Inference::settle(Computation& computation) {
  give_back(computation.samples, computation.jobs);
  if (computation.failure && computation.jobs.size() > 1) {
    compute_halves(computation.jobs);
  } else if (computation.failure) {
    run_step(*computation.jobs.front(), SampleStatus::kFailed, [&] { std::rethrow_exception(computation.failure); });
  } else if (!computation.jobs.empty()) {
    finish(computation);
  }
}

void Inference::compute_halves(std::span<Job* const> jobs) {
  const std::size_t half = jobs.size() / 2;
  for (const auto& some : {jobs.first(half), jobs.subspan(half)}) {
    Computation computation = begin(some);
    await(computation);
    settle(computation);
  }
}

void Inference::finish(Computation& computation) {
  const std::chrono::duration<double, std::milli> duration = computation.end - computation.begin;
  PartTimes batch_times;
  for (std::size_t i = 0; i < computation.jobs.size(); ++i) {
    batch_times += computation.results.at(i).times;
    store_result(computation.results[i], *computation.jobs[i]);
    computation.jobs[i]->result.compute_ms = duration.count() / static_cast<double>(computation.jobs.size());
  }
  const std::string name = batch_name(computation.jobs);
  trace_.add("compute", "compute", computation.begin, computation.end, name);
  if (computation.device_spans.empty()) {
    trace_.add_parts(computation.begin, batch_times, name);
  } else {
    trace_.add_device_spans(computation.device_spans, name);
  }
}

}  // namespace p2mpp
