#include "cli/commands/prediction.h"

#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <map>
#include <optional>

#include "base/atomic_file.h"
#include "base/environment.h"
#include "cli/commands/coarse_meshes.h"
#include "cli/commands/prediction_report.h"
#include "cli/support/settings.h"
#include "eval/engine_facts.h"
#include "io/sample_folder.h"
#include "p2mpp/error.h"
#include "pipeline/prediction_files.h"
#include "pipeline/trace.h"
#include "render/mesh_frame.h"

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
      throw UsageError(
          fmt::format("{} and {} have the same id {} and would write the same files; expected folders with "
                      "different names, or a call for each with an --out of its own",
                      first->second, request.name, request.paths.id));
    }
  }
}

std::vector<std::pair<std::string, std::string>> viewer_facts(const Engine& engine) {
  const ModelInfo& model = engine.model();
  return {{"model", fmt::format("{} ({})", model.name, to_string(model.semantics))},
          {"weights", model.weights_from},
          {"computed by", fmt::format("{} {} on {}", engine.backend(), to_string(engine.precision()),
                                      to_string(engine.device().device))},
          {"p2mpp", std::string(p2mpp_version())}};
}

class Predictor {
 public:
  // `truth` is in the first camera's frame, empty where it is not known.
  Predictor(const PredictOptions& options, const Settings& settings, const Points& truth, Engine& engine,
            PredictionReport& report)
      : options_(options),
        truth_(truth),
        engine_(engine),
        report_(report),
        trace_(settings.trace),
        output_(with_comment(options.meshes, mesh_comment(engine.model(), options.frame))) {}

  void run(const std::vector<Request>& requests) {
    alone_ = requests.size() == 1;
    const auto batch = static_cast<std::size_t>(engine_.batch());
    if (trace_.on()) engine_.watch_device();
    for (std::size_t first = 0; first < requests.size(); first += batch) {
      run_batch(requests, first, std::min(first + batch, requests.size()));
    }
    trace_.write();
  }

 private:
  // Only these samples' images are in memory.
  void run_batch(const std::vector<Request>& requests, std::size_t first, std::size_t last) {
    std::vector<std::size_t> indices;
    std::vector<Sample> samples;
    std::vector<double> read_ms;
    for (std::size_t index = first; index < last; ++index) {
      if (std::optional<Sample> sample = read(index, requests[index], read_ms)) {
        indices.push_back(index);
        samples.push_back(*std::move(sample));
      }
    }
    const Trace::Clock::time_point begin = Trace::Clock::now();
    std::vector<Outcome> outcomes = engine_.reconstruct(samples);
    trace_outcomes(begin, samples, outcomes);
    for (std::size_t i = 0; i < samples.size(); ++i) {
      outcomes[i].times[Part::kRead] = read_ms[i];
      write(indices[i], samples[i], outcomes[i]);
    }
  }

  // Nothing for a sample that cannot be read, which is reported.
  std::optional<Sample> read(std::size_t index, const Request& request, std::vector<double>& read_ms) {
    if (!request.problem.empty()) {
      fail(index, request.name, request.problem);
      return std::nullopt;
    }
    Span span(trace_, "read", request.paths.id);
    try {
      Sample sample = read_sample(request.paths);
      read_ms.push_back(span.finish());
      return sample;
    } catch (const InputError& error) {
      fail(index, request.paths.id, error.what());
      return std::nullopt;
    }
  }

  void write(std::size_t index, const Sample& sample, Outcome& outcome) {
    if (!outcome.problem.empty()) return fail(index, sample.id, sample.id + ": " + outcome.problem);
    Span span(trace_, "write", sample.id);
    const TriangleMesh mesh = engine_.mesh(sample, outcome.reconstruction, options_.frame);
    Prediction prediction{.id = sample.id, .files = write_prediction(options_.out, sample.id, mesh, output_)};
    if (options_.coarse) {
      prediction.coarse =
          write_coarse_meshes(options_.out, sample.id,
                              coarse_meshes(sample, outcome.reconstruction, engine_.mesh_template(), options_.frame),
                              output_.encoding.comment);
    }
    outcome.times[Part::kWrite] = span.finish();
    if (options_.pictures.any()) prediction.pictures = draw(sample, outcome.reconstruction);
    prediction.vertices = mesh.vertices.size();
    prediction.faces = mesh.triangles.size();
    prediction.times = outcome.times;
    report_.add(index, prediction);
  }

  SamplePictures draw(const Sample& sample, const Reconstruction& reconstruction) {
    const Span span(trace_, "draw", sample.id);
    SampleMeshes meshes{.surfaces = {}, .truth = {}, .facts = viewer_facts(engine_)};
    for (TriangleMesh& mesh : coarse_meshes(sample, reconstruction, engine_.mesh_template(), Frame::kWorld)) {
      meshes.surfaces.push_back({fmt::format("coarse {}", meshes.surfaces.size() + 1), std::move(mesh)});
    }
    meshes.surfaces.push_back({"refined", engine_.mesh(sample, reconstruction, Frame::kWorld)});
    if (!truth_.empty()) {
      meshes.truth = world_from_camera(truth_, sample.views.front().camera);
      meshes.facts.emplace_back("ground truth", options_.pictures.truth.filename().string());
    }
    return write_sample_pictures(options_.pictures, options_.out, sample.id, sample, std::move(meshes),
                                 engine_.threads());
  }

  // One of several is logged, and the others go on.
  void fail(std::size_t index, const std::string& id, const std::string& problem) {
    if (alone_) throw InputError(problem);
    spdlog::error("{}", problem);
    report_.add_failure(index, id, problem);
  }

  void trace_outcomes(Trace::Clock::time_point begin, const std::vector<Sample>& samples,
                      const std::vector<Outcome>& outcomes) {
    if (const std::vector<DeviceSpan> spans = engine_.take_device_spans(); !spans.empty()) {
      return trace_.add_device_spans(spans, fmt::format("{} samples from {} on", samples.size(), samples.front().id));
    }
    for (std::size_t i = 0; i < samples.size(); ++i) {
      trace_.add_parts(begin, outcomes[i].times, samples[i].id);
      begin += std::chrono::duration_cast<Trace::Clock::duration>(
          std::chrono::duration<double, std::milli>(outcomes[i].times.total()));
    }
  }

  const PredictOptions& options_;
  const Points& truth_;
  Engine& engine_;
  PredictionReport& report_;
  Trace trace_;
  MeshOutput output_;
  bool alone_ = false;
};

}  // namespace

ExitCode run_predict(PredictOptions options, const Settings& settings) {
  if (settings.json) options.pictures.terminal = false;
  check(options.pictures);
  const EngineOptions engine_options = resolve_engine_options(settings);
  const std::vector<Request> requests =
      find_requests(options, view_indices(settings, read_model_info(engine_options.model)));
  check_ids_differ(requests);
  if (requests.size() > 1 && !options.pictures.truth.empty()) throw UsageError("--truth: expected one sample");
  const Points truth = read_truth(options.pictures);
  Engine engine = open_engine(engine_options);
  prepare_output_folder(options.out);
  PredictionReport report(engine, options.frame, requests.size(), settings.json);
  Predictor(options, settings, truth, engine, report).run(requests);
  report.finish();
  if (report.failed() == 0) return ExitCode::kDone;
  spdlog::warn("{} of {} samples failed", report.failed(), requests.size());
  return ExitCode::kSomeSamplesFailed;
}

}  // namespace p2mpp::cli
