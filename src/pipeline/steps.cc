#include "pipeline/steps.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "base/with_prefix.h"
#include "geometry/foreign/placed_points.h"
#include "io/mesh/mesh_file.h"
#include "p2mpp/error.h"

namespace p2mpp {

void give_up(std::span<Job* const> jobs) {
  for (Job* job : jobs) {
    job->is_stopped = true;
    job->result.status = SampleStatus::kFailed;
    job->result.reason = "it was given up";
    job->result.not_its_input = true;
  }
}

void run_step(std::span<Job* const> jobs, SampleStatus status_of_failure, const std::function<void()>& step) {
  std::string reason;
  std::exception_ptr failure;
  bool is_input = false, is_too_large = false;
  try {
    return step();
  } catch (const Stopped&) {
    return give_up(jobs);
  } catch (const std::bad_alloc&) {
    reason = "out of memory";
    failure = std::current_exception();
  } catch (const InputError& error) {
    reason = error.what();
    failure = std::current_exception();
    is_input = true;
    is_too_large = dynamic_cast<const TooManyPixels*>(&error) != nullptr;
  } catch (const std::exception& error) {
    reason = error.what();
    failure = std::current_exception();
  }
  for (Job* job : jobs) {
    job->result.status = status_of_failure;
    job->result.reason = reason;
    job->result.not_its_input = !is_input;
    job->result.is_too_large = is_too_large;
    job->failure = failure;
  }
}

void run_step(Job& job, SampleStatus status_of_failure, const std::function<void()>& step) {
  Job* const one = &job;
  const StopScope stop(job.stop.get());
  const ReadingScope reading(job.readable);
  run_step(std::span(&one, 1), status_of_failure, [&] {
    end_if_stopped();
    step();
  });
}

void rethrow_disk_error(std::span<const Job> jobs) {
  for (const Job& job : jobs) {
    if (!job.failure) continue;
    try {
      std::rethrow_exception(job.failure);
    } catch (const DiskError&) {
      throw;
    } catch (const std::exception&) {  // concerns this sample alone
    }
  }
}

void charge(PixelBudget& budget, Job& job) {
  std::size_t pixels = 0;
  for (const View& view : job.sample.views) pixels += view.image.rgba.size() / 4;
  job.pixels = budget.charge(pixels);
}

std::vector<Job*> good_jobs(std::span<Job> jobs) {
  std::vector<Job*> good;
  for (Job& job : jobs) {
    if (!job.result.failed()) good.push_back(&job);
  }
  return good;
}

std::string describe_batch(std::span<Job* const> jobs) {
  const std::string& first = jobs.front()->result.id;
  return jobs.size() == 1 ? first : fmt::format("{} and {} more", first, jobs.size() - 1);
}

SampleRequest to_reading_options(const PipelineOptions& options) {
  SampleRequest reading = options.reading;
  reading.fit = views_read_for(options.run);
  reading.capture = options.run.capture;
  return reading;
}

std::string_view to_string(SampleStatus status) {
  return status == SampleStatus::kDone ? "done" : status == SampleStatus::kNotScored ? "not_scored" : "failed";
}

Job Steps::read(const ListEntry& entry) const {
  return read(entry, [&] {
    const SampleRequest reading = to_reading_options(options_);
    return open_sample(locate_listed_sample(options_.images_root, entry, reading), reading);
  });
}

Job Steps::read(const ListEntry& entry, const std::function<OpenedSample()>& open) const {
  Job job;
  job.stop = options_.stop;
  job.readable = options_.readable;
  job.entry = entry;
  job.result.line = entry.line;
  job.result.id = entry.id;
  job.result.category = entry.category;
  if (!entry.problem.empty()) {
    job.result.status = SampleStatus::kFailed;
    job.result.reason = entry.problem;
    return job;
  }
  options_.on_step("read", entry.id);
  Span span(trace_, "read", entry.id);
  run_step(job, SampleStatus::kFailed, [&] {
    OpenedSample opened = open();
    job.sample = std::move(opened.sample);
    job.photographs = std::move(opened.photographs);
    job.sample.stage_views = options_.stage_views;
    with_prefix(job.result.id + ": ", [&] { check_size(options_.run.meshes, job.sample.metres_per_source_unit); });
    check(job);
    set_initial_mesh(job);
  });
  job.result.times[Part::kRead] = span.finish();
  options_.on_step("compute", entry.id);
  return job;
}

void Steps::begin(Job& job) const {
  run_step(job, SampleStatus::kFailed, [&] { set_initial_mesh(job); });
}

void Steps::set_initial_mesh(Job& job) const {
  const std::string note = p2mpp::set_initial_mesh(options_.run, options_.start, options_.reading.threads, job.sample);
  if (!note.empty()) warn(job, {"initial_mesh", {}, note});
  if (options_.run.initial.with_stage2) return;
  job.reconstruction.refined = {in_network_frame(*job.sample.initial_mesh, job.sample).vertices};
}

void Steps::warn(Job& job, SampleWarning warning) const {
  options_.on_warning(fmt::format("{}: {}", job.result.id, warning.message));
  job.result.warnings.push_back(std::move(warning));
}

void Steps::check(Job& job) const {
  if (!job.sample.note.empty()) options_.on_warning(fmt::format("{}: {}", job.result.id, job.sample.note));
  for (SampleWarning& warning : check_sample(job.sample, options_.trained_views)) warn(job, std::move(warning));
  if (options_.run.strict && !job.result.warnings.empty()) throw InputError(refusal(job.result.warnings));
}

void Steps::make_meshes(std::span<Job> jobs) const {
  for (Job* job : good_jobs(jobs)) {
    run_step(*job, SampleStatus::kFailed, [&] { make_meshes(*job); });
  }
}

void Steps::make_meshes(Job& job) const {
  job.coarse = reconstructor_.coarse_meshes(job.reconstruction);
  const MeshSteps steps{.threads = options_.reading.threads,
                        .fitters = *fitters_,
                        .photographs = job.photographs.get(),
                        .undeformed = reconstructor_.undeformed_mesh(),
                        .distances = predict_distances(reconstructor_, job.sample),
                        .during = [&](std::string_view name, const std::function<void()>& step) {
                          options_.on_step(name, job.result.id);
                          Span span(trace_, name, job.result.id);
                          step();
                          span.finish();
                        }};
  MadeMeshes made =
      p2mpp::make_meshes(job.sample, reconstructor_.mesh(job.sample, job.reconstruction), options_.run, steps);
  job.meshes = std::move(made.meshes);
  job.result.fit = std::move(made.fit);
  job.result.surface = std::move(made.surface);
  job.result.no_volume = std::move(made.no_volume);
  job.result.texture = made.texture;
  for (SampleWarning& warning : made.warnings) warn(job, std::move(warning));
}

void Steps::write(std::span<Job> jobs) const {
  const std::vector<Job*> good = good_jobs(jobs);
  if (good.empty()) return;
  const std::string name = describe_batch(good);
  options_.on_step("write", good.front()->result.id);
  Span span(trace_, "write", name);
  std::vector<UnfinishedFile> files;
  std::vector<Job*> owners;  // the job of each file
  for (Job* job : good) {
    run_step(*job, SampleStatus::kFailed, [&] {
      const PredictedMesh mesh{[job](Frame frame) { return job->mesh_in(frame); }, job->sample.source_from_world.scale,
                               job->sample.metres_per_source_unit};
      UnfinishedPrediction prediction = begin_prediction(options_.out, job->result.id, mesh, options_.run.meshes);
      if (options_.run.meshes.coarse) {
        std::vector<TriangleMesh> coarse = job->coarse;
        for (TriangleMesh& level : coarse) {
          level = in_frame(std::move(level), job->sample, frame_of(options_.run.meshes, MeshFormat::kObj));
        }
        begin_coarse_meshes(options_.out, job->result.id, coarse, options_.run.meshes, prediction);
      }
      with_prefix("the mesh cannot be finished: ", [&] {
        begin_finished_meshes(options_.out, job->result.id, mesh, options_.run.meshes, options_.reading.threads,
                              prediction);
      });
      if (!prediction.note.empty()) warn(*job, {"digits", {}, std::move(prediction.note)});
      job->result.files = std::move(prediction.sha256);
      std::ranges::move(prediction.files, std::back_inserter(files));
      owners.resize(files.size(), job);
    });
  }
  put_in_place(files, owners);
  const double write_ms = span.finish() / static_cast<double>(good.size());
  for (Job* job : good) {
    job->result.times[Part::kWrite] = write_ms;
    if (job->result.failed()) job->result.files.clear();
  }
}

void Steps::put_in_place(std::vector<UnfinishedFile>& files, std::span<Job* const> owners) {
  if (files.empty()) return;
  run_step(owners, SampleStatus::kFailed, [&] { sync_to_disk(files); });
  for (std::size_t i = 0; i < files.size(); ++i) {
    if (owners[i]->result.failed()) continue;
    run_step(*owners[i], SampleStatus::kFailed, [&] { files[i].put_in_place(); });
  }
  run_step(owners, SampleStatus::kFailed, [&] { sync_parent_folder(files.front().path()); });
}

void Steps::score(Job& job) const {
  if (job.result.failed() || options_.truth_root.empty()) return;
  Span span(trace_, "score", job.result.id);
  run_step(job, SampleStatus::kNotScored, [&] {
    TriangleMesh truth = read_mesh(find_ground_truth(options_.truth_root, job.result.id));
    set_origin(truth, Eigen::Vector3d::Zero());
    const TriangleMesh mesh = job.mesh_in(Frame::kCamera0);
    const TriangleMesh coarse =
        job.coarse.empty() ? TriangleMesh() : in_frame(job.coarse.back(), job.sample, Frame::kCamera0);
    job.result.scores = score_mesh(mesh, truth, {.find_neighbours = options_.find_neighbours}, coarse);
  });
  span.finish();
}

}  // namespace p2mpp
