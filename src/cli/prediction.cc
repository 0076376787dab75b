#include "cli/prediction.h"

#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <map>

#include "cli/coarse_meshes.h"
#include "cli/prediction_report.h"
#include "cli/settings.h"
#include "eval/model_facts.h"
#include "eval/output_paths.h"
#include "eval/prediction_files.h"
#include "eval/trace.h"
#include "io/sample_folder.h"
#include "p2mpp/error.h"

namespace p2mpp::cli {
namespace {

// A sample that was asked for: its files, or why they could not be found.
struct Request {
  SamplePaths paths;
  std::string name;  // as it was asked for
  std::string problem;
};

Request find_request(const std::filesystem::path& folder, std::span<const std::size_t> views, bool alone) {
  try {
    return {find_sample(folder, views), folder.string(), {}};
  } catch (const InputError& error) {
    if (alone) throw;
    return {{}, folder.string(), error.what()};
  }
}

std::vector<Request> find_requests(const PredictOptions& options, std::span<const std::size_t> views) {
  std::vector<Request> requests;
  if (!options.images.empty()) {
    const std::string id = options.id.empty() ? options.images.front().stem().string() : options.id;
    requests.push_back({explicit_sample(id, options.images, options.cameras), id, {}});
  }
  for (const auto& folder : options.samples) {
    requests.push_back(find_request(folder, views, options.samples.size() == 1));
  }
  if (requests.empty()) throw UsageError("predict: no sample; expected SAMPLE or --images and --cameras");
  return requests;
}

void check_ids_differ(const std::vector<Request>& requests) {
  std::map<std::string, std::string> names;
  for (const Request& request : requests) {
    if (!request.problem.empty()) continue;
    const auto [first, is_new] = names.emplace(request.paths.id, request.name);
    if (!is_new) {
      throw UsageError(fmt::format("{} and {} have the same id {} and would write the same files; expected folders with "
                                   "different names, or a call for each with an --out of its own",
                                   first->second, request.name, request.paths.id));
    }
  }
}

class Predictor {
 public:
  Predictor(const PredictOptions& options, const Settings& settings, Engine& engine, PredictionReport& report,
            std::size_t sample_count)
      : options_(options),
        engine_(engine),
        report_(report),
        trace_(settings.trace),
        comment_(mesh_comment(engine.model(), options.frame)),
        alone_(sample_count == 1) {}

  // Only these samples' images are in memory.
  void run_batch(std::span<const Request> requests) {
    std::vector<Sample> samples;
    std::vector<double> read_ms;
    for (const Request& request : requests) read(request, samples, read_ms);
    if (samples.empty()) return;
    const Trace::Clock::time_point begin = Trace::Clock::now();
    std::vector<Outcome> outcomes = engine_.reconstruct(samples);
    trace_outcomes(begin, samples, outcomes);
    for (std::size_t i = 0; i < samples.size(); ++i) {
      outcomes[i].times[Part::kRead] = read_ms[i];
      write(samples[i], outcomes[i]);
    }
  }

  void finish() { trace_.write(); }

 private:
  void read(const Request& request, std::vector<Sample>& samples, std::vector<double>& read_ms) {
    if (!request.problem.empty()) return fail(request.name, request.problem);
    Span span(trace_, "read", request.paths.id);
    try {
      samples.push_back(read_sample(request.paths));
      read_ms.push_back(span.finish());
    } catch (const InputError& error) {
      fail(request.paths.id, error.what());
    }
  }

  void write(const Sample& sample, Outcome& outcome) {
    if (!outcome.problem.empty()) return fail(sample.id, sample.id + ": " + outcome.problem);
    Span span(trace_, "write", sample.id);
    const TriangleMesh mesh = engine_.mesh(sample, outcome.reconstruction, options_.frame);
    Prediction prediction{sample.id, write_prediction(options_.out, sample.id, mesh, comment_), {}, 0, 0, {}};
    if (options_.coarse) {
      prediction.coarse = write_coarse_meshes(options_.out, sample, outcome.reconstruction, engine_.mesh_template(),
                                              options_.frame, comment_);
    }
    outcome.times[Part::kWrite] = span.finish();
    prediction.vertices = mesh.vertices.size();
    prediction.faces = mesh.triangles.size();
    prediction.times = outcome.times;
    report_.add(prediction);
  }

  void fail(const std::string& id, const std::string& problem) {
    if (alone_) throw InputError(problem);
    spdlog::error("{}", problem);
    report_.add_failure(id, problem);
  }

  void trace_outcomes(Trace::Clock::time_point begin, const std::vector<Sample>& samples,
                      const std::vector<Outcome>& outcomes) {
    for (std::size_t i = 0; i < samples.size(); ++i) {
      trace_.add_parts(begin, outcomes[i].times, samples[i].id);
      begin += std::chrono::duration_cast<Trace::Clock::duration>(
          std::chrono::duration<double, std::milli>(outcomes[i].times.total()));
    }
  }

  const PredictOptions& options_;
  Engine& engine_;
  PredictionReport& report_;
  Trace trace_;
  std::string comment_;
  bool alone_;
};

}  // namespace

ExitCode run_predict(const PredictOptions& options, const Settings& settings) {
  const EngineOptions engine_options = resolve_engine_options(settings);
  const std::vector<Request> requests =
      find_requests(options, view_indices(settings, read_model_info(engine_options.model)));
  check_ids_differ(requests);
  Engine engine = open_engine(engine_options);
  prepare_output_folder(options.out);
  PredictionReport report(engine, options.frame, settings.json);
  Predictor predictor(options, settings, engine, report, requests.size());
  const std::span<const Request> all(requests);
  const auto batch = static_cast<std::size_t>(engine_options.batch);
  for (std::size_t first = 0; first < all.size(); first += batch) {
    predictor.run_batch(all.subspan(first, std::min(batch, all.size() - first)));
  }
  predictor.finish();
  report.finish();
  if (report.failed() == 0) return ExitCode::kDone;
  spdlog::warn("{} of {} samples failed", report.failed(), requests.size());
  return ExitCode::kSomeSamplesFailed;
}

}  // namespace p2mpp::cli
