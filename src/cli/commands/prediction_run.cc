#include "cli/commands/prediction_run.h"

#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include <algorithm>

#include "base/atomic_file.h"
#include "capture/open_sample.h"
#include "cli/commands/evaluation_run.h"
#include "cli/support/console.h"
#include "cli/support/interrupt.h"
#include "cli/support/progress.h"
#include "cli/support/shared_options.h"
#include "eval/engine_facts.h"
#include "io/image/pixel_budget.h"
#include "p2mpp/error.h"
#include "pipeline/pipeline.h"
#include "render/picture_camera.h"

namespace p2mpp::cli {
namespace {

namespace fs = std::filesystem;

// A requested sample: its files, or the reason why they were not found.
struct Request {
  SamplePaths paths;
  std::string name;  // as given by the user
  std::string problem;
  bool is_explicit = false;  // --images: its id was given
};

// A missing or malformed folder becomes a failed sample. A single folder throws instead, unless a document must name
// it.
Request find_request(const std::filesystem::path& path, const SampleRequest& reading, bool alone) {
  try {
    return {locate_sample(path, reading), path.string(), {}};
  } catch (const InputError& error) {
    if (alone) throw;
    return {{}, path.string(), error.what()};
  }
}

std::vector<Request> find_requests(const PredictOptions& options, const SampleRequest& reading, bool json) {
  std::vector<Request> requests;
  if (!options.images.empty()) {
    const std::string id = options.id.empty() ? options.images.front().stem().string() : options.id;
    requests.push_back({named_sample(id, options.images, options.cameras), id, {}, true});
  }
  for (const auto& folder : options.samples) {
    requests.push_back(find_request(folder, reading, options.samples.size() == 1 && !json));
  }
  if (options.images.empty() && !options.id.empty()) {
    if (requests.size() > 1) throw UsageError("--id: names one sample; expected a single SAMPLE, or none of --id");
    check_sample_id(options.id);
    if (!requests.empty()) requests.front().paths.id = options.id;
  }
  if (requests.empty()) throw UsageError("predict: no sample; expected SAMPLE or --images and --cameras");
  return requests;
}

// The name of the folder that holds the one with the id: "02691156" of data/02691156/p2mpp0001; empty if there is none.
std::string parent_name(const Request& request) {
  fs::path rest = fs::absolute(request.name).lexically_normal();
  while (rest.has_relative_path() && rest.filename() != request.paths.id) rest = rest.parent_path();
  return rest.parent_path().filename().string();
}

// Equal ids would name the same files: then those of folders get the name of the folder above in front.
void make_ids_differ(std::vector<Request>& requests) {
  std::map<std::string, std::size_t> counts;
  for (const Request& request : requests) ++counts[request.paths.id];
  for (Request& request : requests) {
    if (!request.problem.empty() || request.is_explicit || counts[request.paths.id] < 2) continue;
    if (const std::string parent = parent_name(request); !parent.empty()) {
      request.paths.id = fmt::format("{}_{}", parent, request.paths.id);
    }
  }
}

void check_ids_differ(const std::vector<Request>& requests) {
  std::map<std::string, std::string> names;
  for (const Request& request : requests) {
    if (!request.problem.empty()) continue;
    const auto [first, is_new] = names.emplace(request.paths.id, request.name);
    if (!is_new) {
      throw UsageError(
          fmt::format("{} and {} have the same id {} and would write the same files; expected folders with "
                      "different names, or a call for each with an --out of its own",
                      first->second, request.name, request.paths.id));
    }
  }
}

// Runs the requests through the pipeline. A job's number is the index of its request.
class Predictor {
 public:
  // `truth` is in the first camera's frame; empty if it is not known.
  Predictor(const PredictOptions& options, PipelineOptions pipeline, const std::vector<Request>& requests,
            const Points& truth, Engine& engine, Trace& trace, PredictionReport& report, StepProgress& progress)
      : options_(options),
        pipeline_(std::move(pipeline)),
        requests_(requests),
        truth_(truth),
        engine_(engine),
        trace_(trace),
        report_(report),
        progress_(progress),
        batch_(static_cast<std::size_t>(engine.batch())),
        budget_(pipeline_.reading.max_pixels) {
    pipeline_.on_warning = [this](const std::string& line) { warnings_.add_line(line); };
    pipeline_.on_step = [this](std::string_view step, const std::string& id) { progress_.begin(step, id); };
  }

  // One thread reads and one writes, so that samples are printed in their order.
  void run() {
    const PipelineSteps steps{.read = [this] { return read(); },
                              .write = [this](std::vector<Job> jobs) { write(std::move(jobs)); },
                              .stop_requested = [] { return OrderlyEnd::requested(); },
                              .on_failure = [this] { budget_.close(); }};
    run_pipeline(steps, {.read = 1, .write = 1}, engine_, trace_);
    warnings_.finish();
    failures_.finish();
  }

  [[nodiscard]] ExitCode exit_code() const {
    if (report_.done() + report_.failed() < requests_.size()) return ExitCode::kStopped;
    return exit_code_after(report_.failed(), requests_.size(), all_inputs_);
  }

 private:
  std::vector<Job> read() {
    std::vector<Job> jobs;
    for (; jobs.size() < batch_ && next_ < requests_.size() && budget_.admit(jobs.empty()); ++next_) {
      const Request& request = requests_[next_];
      ListEntry entry;
      entry.line = next_ + 1;
      entry.id = request.paths.id;
      entry.problem = request.problem;
      jobs.push_back(steps_.read(entry, [&] { return open(request, next_); }));
      jobs.back().number = next_;
      charge(budget_, jobs.back());
    }
    return jobs;
  }

  OpenedSample open(const Request& request, std::size_t number) {
    OpenedSample opened = open_sample(request.paths, to_reading_options(pipeline_));
    if (opened.report) report_.add_capture(number, *opened.report);
    return opened;
  }

  void write(std::vector<Job> jobs) {
    steps_.make_meshes(jobs);
    steps_.write(jobs);
    rethrow_disk_error(jobs);
    for (Job& job : jobs) {
      SamplePictures pictures;
      if (!job.result.failed() && options_.pictures.any()) {
        run_step(job, SampleStatus::kFailed, [&] { pictures = draw(job); });
        rethrow_disk_error({&job, 1});
      }
      if (job.result.failed()) {
        fail(job);
      } else {
        progress_.hide();
        report_.add(job, pipeline_, pictures);
        progress_.show();
      }
    }
  }

  SamplePictures draw(const Job& job) {
    const Sample& sample = job.sample;
    Span span(trace_, "draw", sample.id);
    SampleMeshes meshes = list_meshes(engine_, job);
    if (!truth_.empty()) {
      meshes.truth = world_from_camera(truth_, sample.views.front().camera);
      meshes.facts.emplace_back("ground truth", options_.pictures.truth.filename().string());
    }
    SamplePictures pictures =
        write_sample_pictures(options_.pictures, options_.out, sample.id, sample, std::move(meshes), engine_.threads());
    span.finish();
    warn_of_hint(sample.id, pictures.hint);
    return pictures;
  }

  // Logs the failure and continues if there are several samples. Throws the failure of a single sample.
  void fail(const Job& job) {
    const Request& request = requests_[job.number];
    const bool was_read = !job.sample.views.empty();
    const std::string problem = was_read ? fmt::format("{}: {}", job.result.id, job.result.reason) : job.result.reason;
    report_.add_failure(job.number, request.problem.empty() ? request.paths.id : request.name, problem,
                        job.result.warnings);
    if (requests_.size() == 1) {
      if (job.failure) std::rethrow_exception(job.failure);
      throw InputError(problem);
    }
    if (was_read) {
      failures_.add(job.result.id, job.result.reason);
    } else {
      failures_.add_line(problem);
    }
    all_inputs_ = all_inputs_ && !job.result.not_its_input;
  }

  const PredictOptions& options_;
  PipelineOptions pipeline_;
  const std::vector<Request>& requests_;
  const Points& truth_;
  Engine& engine_;
  Trace& trace_;
  PredictionReport& report_;
  StepProgress& progress_;
  const std::size_t batch_;
  PixelBudget budget_;
  std::size_t next_ = 0;  // index of the next request to read
  FoldedLog warnings_{FoldedLog::Severity::kWarning}, failures_{FoldedLog::Severity::kError};
  bool all_inputs_ = true;  // every failure so far is one of its input
  const Steps steps_{pipeline_, engine_, trace_};
};

}  // namespace

ExitCode run_predict(const PredictOptions& options, const Settings& settings) {
  check(options.pictures);
  const EngineOptions engine_options = resolve_engine_options(settings);
  const ModelInfo model = read_model_info(engine_options.model);
  PipelineOptions pipeline{.out = options.out,
                           .reading = sample_request(settings, view_indices(settings, model), options.run.capture),
                           .stage_views = stage_views(settings),
                           .run = options.run,
                           .trained_views = model.trained_views};
  std::vector<Request> requests = find_requests(options, pipeline.reading, settings.json);
  make_ids_differ(requests);
  check_ids_differ(requests);
  pipeline.start = read_initial_mesh(options.run);
  if (requests.size() > 1 && !options.pictures.truth.empty()) throw UsageError("--truth: expected one sample");
  const Points truth = read_truth(options.pictures);
  Engine engine = open_engine(engine_options);
  pipeline.run.fit = fit_views_for(options.run.fit, engine.model());
  pipeline.run.meshes.encoding.comment = mesh_comment(engine.model());
  pipeline.reading.threads = engine.threads();
  prepare_output_folder(options.out);
  const OrderlyEnd orderly;
  PredictionReport report(engine, options.run.meshes, requests.size(), settings.json);
  Trace trace(settings.trace);
  if (trace.on()) engine.watch_device();
  std::optional<StepProgress> progress(std::in_place, progress_style(settings));
  Predictor predictor(options, std::move(pipeline), requests, truth, engine, trace, report, *progress);
  try {
    predictor.run();
    progress.reset();
  } catch (const std::exception&) {
    if (report.failed() == requests.size()) report.finish();  // the only sample's
    throw;
  }
  report.finish();
  write_trace(trace);
  const ExitCode code = predictor.exit_code();
  if (report.failed() > 0) spdlog::warn("{} of {} samples failed", report.failed(), requests.size());
  if (code == ExitCode::kStopped) spdlog::warn("stopped; {} of {} samples are done", report.done(), requests.size());
  return code;
}

}  // namespace p2mpp::cli
