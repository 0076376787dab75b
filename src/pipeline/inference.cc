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

/// Whether nobody wants a result of the batch any more.
StopQuestion stop_of_all(std::span<Job* const> jobs) {
  std::vector<std::shared_ptr<const StopQuestion>> questions;
  for (const Job* job : jobs) questions.push_back(job->stop);
  return [questions = std::move(questions)] {
    return std::ranges::all_of(questions, [](const auto& question) { return question && (*question)(); });
  };
}

// The other parts are copies, or run concurrently with these.
bool fills_the_device(Part part) { return part != Part::kCopyIn && part != Part::kCopyOut && part != Part::kCnn2; }

}  // namespace

Inference::~Inference() {
  for (Batch& batch : batches_) await(batch.submission);
}

void Inference::submit(std::vector<Job> jobs) {
  batches_.push_back({.jobs = std::move(jobs)});
  Batch& batch = batches_.back();
  batch.submission = begin(jobs_to_compute(batch.jobs));
}

Inference::Submission Inference::begin(std::span<Job* const> jobs) {
  Submission submission{.jobs = {jobs.begin(), jobs.end()}, .samples = take_samples(jobs), .begin = Clock::now()};
  submission.is_back = jobs.empty();
  if (jobs.empty()) return submission;
  const ProfilerRange range("submit");
  submission.stop = stop_of_all(jobs);
  try {
    reconstructor_.submit(submission.samples);
  } catch (...) {
    submission.is_back = true;
    submission.failure = std::current_exception();
  }
  return submission;
}

void Inference::await(Submission& submission) {
  if (submission.is_back) return;
  submission.is_back = true;
  const ProfilerRange range("collect");
  const StopScope scope(&submission.stop);
  try {
    submission.results = reconstructor_.collect();
  } catch (...) {
    submission.failure = std::current_exception();
  }
  submission.device_spans = reconstructor_.take_device_spans();
  for (const DeviceSpan& span : submission.device_spans) {
    if (fills_the_device(span.part)) device_seconds_ += std::chrono::duration<double>(span.end - span.begin).count();
  }
  submission.end = Clock::now();
  submission.begin = std::max(submission.begin, last_end_);
  last_end_ = submission.end;
}

std::vector<Job> Inference::collect() {
  Batch& batch = batches_.front();
  await(batch.submission);
  if (batch.submission.failure) {
    for (Batch& each : batches_) await(each.submission);  // the halves must not wait behind other batches
  }
  settle(batch.submission);
  std::vector<Job> jobs = std::move(batch.jobs);
  batches_.pop_front();
  return jobs;
}

void Inference::settle(Submission& submission) {
  give_back(submission.samples, submission.jobs);
  if (!submission.jobs.empty() && submission.stop()) {
    give_up(submission.jobs);
  } else if (submission.failure && submission.jobs.size() > 1) {
    compute_halves(submission.jobs);
  } else if (submission.failure) {
    run_step(*submission.jobs.front(), SampleStatus::kFailed, [&] { std::rethrow_exception(submission.failure); });
  } else if (!submission.jobs.empty()) {
    finish(submission);
  }
}

void Inference::compute_halves(std::span<Job* const> jobs) {
  const std::size_t half = jobs.size() / 2;
  for (const auto& some : {jobs.first(half), jobs.subspan(half)}) {
    Submission submission = begin(some);
    await(submission);
    settle(submission);
  }
}

void Inference::finish(Submission& submission) {
  const std::chrono::duration<double, std::milli> duration = submission.end - submission.begin;
  PartTimes batch_times;
  for (std::size_t i = 0; i < submission.jobs.size(); ++i) {
    batch_times += submission.results.at(i).times;
    store_result(submission.results[i], *submission.jobs[i]);
    submission.jobs[i]->result.compute_ms = duration.count() / static_cast<double>(submission.jobs.size());
  }
  const std::string name = describe_batch(submission.jobs);
  trace_.add("compute", "compute", submission.begin, submission.end, name);
  if (submission.device_spans.empty()) {
    trace_.add_parts(submission.begin, batch_times, name);
  } else {
    trace_.add_device_spans(submission.device_spans, name);
  }
}

}  // namespace p2mpp
