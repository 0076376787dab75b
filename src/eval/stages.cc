#include "eval/stages.h"

#include <fmt/format.h>

#include "io/mesh_file.h"
#include "io/sample_folder.h"

namespace p2mpp {
namespace {

// Runs one step of a job; whatever it throws becomes the job's status and reason.
template <typename Step>
void attempt(Job& job, SampleStatus status_of_failure, Step&& step) {
  try {
    step();
  } catch (const std::bad_alloc&) {
    job.result.status = status_of_failure;
    job.result.reason = "out of memory";
  } catch (const std::exception& error) {
    job.result.status = status_of_failure;
    job.result.reason = error.what();
  }
}

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

std::string batch_name(std::span<Job* const> jobs) {
  const std::string& first = jobs.front()->result.id;
  return jobs.size() == 1 ? first : fmt::format("{} and {} more", first, jobs.size() - 1);
}

}  // namespace

std::string_view to_string(SampleStatus status) {
  switch (status) {
    case SampleStatus::kDone:
      return "done";
    case SampleStatus::kNotScored:
      return "not_scored";
    case SampleStatus::kFailed:
      break;
  }
  return "failed";
}

Job Stages::read(const ListEntry& entry) const {
  return read(entry,
              [&] { return read_sample(find_listed_sample(options_.images_root, entry, options_.view_indices)); });
}

Job Stages::read(const ListEntry& entry, const std::function<Sample()>& open) const {
  Job job{.entry = entry, .result = {}, .sample = {}, .reconstruction = {}};
  job.result.line = entry.line;
  job.result.id = entry.id;
  job.result.category = entry.category;
  if (!entry.problem.empty()) {
    job.result.status = SampleStatus::kFailed;
    job.result.reason = entry.problem;
    return job;
  }
  Span span(trace_, "read", entry.id);
  attempt(job, SampleStatus::kFailed, [&] { job.sample = open(); });
  job.result.times[Part::kRead] = span.finish();
  return job;
}

void Stages::infer(std::span<Job> jobs) const {
  std::vector<Job*> good;
  for (Job& job : jobs) {
    if (!job.result.failed()) good.push_back(&job);
  }
  infer_or_halve(good);
}

void Stages::infer_or_halve(std::span<Job* const> jobs) const {
  if (jobs.empty()) return;
  if (jobs.size() == 1) {
    attempt(*jobs.front(), SampleStatus::kFailed, [&] { infer_together(jobs); });
    return;
  }
  try {
    infer_together(jobs);
    return;
  } catch (const std::exception&) {
    // Too many for the memory, or one of them is bad: that is found out below.
  }
  infer_or_halve(jobs.first(jobs.size() / 2));
  infer_or_halve(jobs.subspan(jobs.size() / 2));
}

void Stages::infer_together(std::span<Job* const> jobs) const {
  std::vector<Sample> samples = take_samples(jobs);
  std::vector<Outcome> outcomes;
  const std::string name = batch_name(jobs);
  Span span(trace_, "compute", name);
  try {
    outcomes = reconstructor_.reconstruct(samples);
  } catch (...) {
    give_back(samples, jobs);
    throw;
  }
  const double compute_ms = span.finish() / static_cast<double>(jobs.size());
  give_back(samples, jobs);
  PartTimes batch_times;
  for (std::size_t i = 0; i < jobs.size(); ++i) {
    batch_times += outcomes.at(i).times;
    take_outcome(outcomes[i], *jobs[i]);
    jobs[i]->result.compute_ms = compute_ms;
  }
  trace_.add_parts(span.begin(), batch_times, name);
}

void Stages::write(Job& job) const {
  if (job.result.failed()) return;
  Span span(trace_, "write", job.result.id);
  attempt(job, SampleStatus::kFailed, [&] {
    const TriangleMesh mesh = reconstructor_.mesh(job.sample, job.reconstruction, options_.frame);
    job.result.files = write_prediction(options_.out, job.result.id, mesh, options_.meshes).sha256;
  });
  job.result.times[Part::kWrite] = span.finish();
}

void Stages::score(Job& job) const {
  if (job.result.failed() || options_.truth_root.empty()) return;
  Span span(trace_, "score", job.result.id);
  attempt(job, SampleStatus::kNotScored, [&] {
    const TriangleMesh truth = read_mesh(find_ground_truth(options_.truth_root, job.result.id));
    const TriangleMesh mesh = reconstructor_.mesh(job.sample, job.reconstruction, Frame::kCamera0);
    const std::vector<Points>& levels = job.reconstruction.coarse;
    const ComparisonOptions comparison{.find_neighbours = options_.find_neighbours};
    job.result.scores = score_mesh(mesh, truth, comparison, levels.empty() ? Points{} : levels.back());
  });
  span.finish();
}

}  // namespace p2mpp
