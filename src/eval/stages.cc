#include "eval/stages.h"

#include "eval/prediction_files.h"
#include "io/mesh_file.h"
#include "io/sample_folder.h"

namespace p2mpp {
void attempt(Job& job, SampleStatus status_of_failure, const std::function<void()>& step) {
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

void Stages::write(Job& job) const {
  if (job.result.failed()) return;
  Span span(trace_, "write", job.result.id);
  attempt(job, SampleStatus::kFailed, [&] {
    const TriangleMesh mesh = reconstructor_.mesh(job.sample, job.reconstruction, options_.frame);
    job.result.files =
        write_prediction(options_.out, job.result.id, mesh, {.encoding = {.comment = options_.comment}}).sha256;
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
