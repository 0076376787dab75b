#include "eval/evaluation.h"

#include <chrono>

namespace p2mpp {
namespace {

// As many entries from the front as it takes to have a batch of readable samples.
std::vector<Job> read_batch(std::span<const ListEntry>& entries, std::size_t batch, const Stages& stages) {
  std::vector<Job> jobs;
  std::size_t readable = 0;
  while (!entries.empty() && readable < batch) {
    jobs.push_back(stages.read(entries.front()));
    entries = entries.subspan(1);
    if (!jobs.back().result.failed()) ++readable;
  }
  return jobs;
}

}  // namespace

Evaluation evaluate(std::span<const ListEntry> entries, const EvaluationOptions& options,
                    const Reconstructor& reconstructor, Trace& trace,
                    const std::function<void(const SampleResult&)>& on_result) {
  const auto begin = std::chrono::steady_clock::now();
  const Stages stages(options, reconstructor, trace);
  Evaluation evaluation;
  evaluation.results.reserve(entries.size());
  while (!entries.empty()) {
    std::vector<Job> jobs = read_batch(entries, options.batch, stages);
    stages.infer(jobs);
    for (Job& job : jobs) {
      stages.write(job);
      stages.score(job);
      if (!job.result.failed()) evaluation.compute_seconds += job.result.compute_ms / 1000;
      on_result(job.result);
      evaluation.results.push_back(std::move(job.result));
    }
  }
  evaluation.wall_seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  return evaluation;
}

}  // namespace p2mpp
