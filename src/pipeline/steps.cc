#include "pipeline/steps.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "capture/open_sample.h"
#include "io/mesh/mesh_file.h"
#include "p2mpp/error.h"

namespace p2mpp {

void run_step(std::span<Job* const> jobs, SampleStatus status_of_failure, const std::function<void()>& step) {
  std::string reason;
  std::exception_ptr failure;
  bool is_input = false;
  try {
    return step();
  } catch (const std::bad_alloc&) {
    reason = "out of memory";
    failure = std::current_exception();
  } catch (const InputError& error) {
    reason = error.what();
    failure = std::current_exception();
    is_input = true;
  } catch (const std::exception& error) {
    reason = error.what();
    failure = std::current_exception();
  }
  for (Job* job : jobs) {
    job->result.status = status_of_failure;
    job->result.reason = reason;
    job->result.not_its_input = !is_input;
    job->failure = failure;
  }
}

void run_step(Job& job, SampleStatus status_of_failure, const std::function<void()>& step) {
  Job* const one = &job;
  run_step(std::span(&one, 1), status_of_failure, step);
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

std::string batch_name(std::span<Job* const> jobs) {
  const std::string& first = jobs.front()->result.id;
  return jobs.size() == 1 ? first : fmt::format("{} and {} more", first, jobs.size() - 1);
}

SampleRequest reading_of(const EvaluationOptions& options) {
  return {.trained_views = options.view_indices,
          .fit = views_read_for(options.run),
          .max_pixels = options.max_pixels,
          .threads = options.fit_threads};
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

Job Steps::read(const ListEntry& entry) const {
  return read(entry, [&] {
    const SampleRequest reading = reading_of(options_);
    return open_sample(locate_listed_sample(options_.images_root, entry, reading), reading).sample;
  });
}

Job Steps::read(const ListEntry& entry, const std::function<Sample()>& open) const {
  Job job;
  job.entry = entry;
  job.result.line = entry.line;
  job.result.id = entry.id;
  job.result.category = entry.category;
  if (!entry.problem.empty()) {
    job.result.status = SampleStatus::kFailed;
    job.result.reason = entry.problem;
    return job;
  }
  Span span(trace_, "read", entry.id);
  run_step(job, SampleStatus::kFailed, [&] {
    job.sample = open();
    job.sample.stage_views = options_.stage_views;
    check(job);
    const std::string note = set_initial_mesh(options_.run, options_.start, options_.fit_threads, job.sample);
    if (!note.empty()) warn(job, {"initial_mesh", {}, note});
    if (!options_.run.initial.with_stage2) {
      job.reconstruction.refined = {in_network_frame(*job.sample.initial_mesh, job.sample).vertices};
    }
  });
  job.result.times[Part::kRead] = span.finish();
  return job;
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
  job.meshes.push_back({"refined", reconstructor_.mesh(job.sample, job.reconstruction)});
  if (!job.sample.fit_masks.empty()) fit(job);
  rebuild(job);
}

void Steps::rebuild(Job& job) const {
  using Kind = SurfaceChoice::Kind;
  if (options_.run.surface.kind == Kind::kTemplate) return;
  const bool is_automatic = options_.run.surface.kind == Kind::kAutomatic;
  if (is_automatic && !obstacle_to_volume(job.sample, options_.run.initial).empty()) return;
  Span span(trace_, "surface", job.result.id);
  SurfaceResult surface;
  try {
    const TriangleMesh network = in_frame(job.meshes.front().mesh, job.sample, Frame::kWorld);
    const TriangleMesh fitted = in_frame(job.mesh(), job.sample, Frame::kWorld);
    surface = reconstruct_surface(job.sample.fit_masks, {.network = &network, .fitted = &fitted},
                                  {.resolution = options_.run.surface.resolution,
                                   .target_vertices = options_.run.surface.target_vertices,
                                   .threads = options_.fit_threads});
  } catch (const InputError& error) {
    if (!is_automatic) throw;
    return warn(job, {"surface", {}, fmt::format("surface: no volume: {}", error.what())});
  }
  surface.milliseconds = span.finish();
  if (!surface.note.empty()) warn(job, {"surface", {}, "surface: " + surface.note});
  job.meshes.push_back({"surface", in_network_frame(std::move(surface.mesh), job.sample)});
  job.result.surface = static_cast<SurfaceFigures&&>(surface);
}

void Steps::fit(Job& job) const {
  Span span(trace_, "fit", job.result.id);
  FittedMesh fitted =
      fit_sample(job.sample, job.mesh(), {.steps = options_.run.fit_steps, .threads = options_.fit_threads}, *fitters_);
  span.finish();
  if (fitted.hull) job.meshes.push_back({"hull", *std::move(fitted.hull)});
  job.meshes.push_back({"fitted", std::move(fitted.mesh)});
  if (const std::string& note = fitted.figures.note; !note.empty()) warn(job, {"fit", {}, "fit: " + note});
  job.result.fit = std::move(fitted.figures);
}

void Steps::write(std::span<Job> jobs) const {
  const std::vector<Job*> good = good_jobs(jobs);
  if (good.empty()) return;
  const std::string name = batch_name(good);
  Span span(trace_, "write", name);
  std::vector<UnfinishedFile> files;
  std::vector<Job*> owners;  // the job of each file
  for (Job* job : good) {
    run_step(*job, SampleStatus::kFailed, [&] {
      const MeshInFrame mesh = [job](Frame frame) { return in_frame(job->mesh(), job->sample, frame); };
      UnfinishedPrediction prediction = begin_prediction(options_.out, job->result.id, mesh, options_.run.meshes);
      if (options_.run.meshes.coarse) {
        std::vector<TriangleMesh> coarse = job->coarse;
        for (TriangleMesh& level : coarse) {
          level = in_frame(std::move(level), job->sample, frame_of(options_.run.meshes, MeshFormat::kObj));
        }
        begin_coarse_meshes(options_.out, job->result.id, coarse, options_.run.meshes, prediction);
      }
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
    const TriangleMesh truth = read_mesh(find_ground_truth(options_.truth_root, job.result.id));
    const TriangleMesh mesh = in_frame(job.mesh(), job.sample, Frame::kCamera0);
    // Where a hull took the mesh's place, stage 1's vertices have other triangles.
    const bool has_levels = !job.coarse.empty() && std::ranges::count(job.meshes, "hull", &NamedMesh::name) == 0;
    const Points coarse = has_levels ? in_frame(job.coarse.back(), job.sample, Frame::kCamera0).vertices : Points();
    job.result.scores = score_mesh(mesh, truth, {.find_neighbours = options_.find_neighbours}, coarse);
  });
  span.finish();
}

}  // namespace p2mpp
