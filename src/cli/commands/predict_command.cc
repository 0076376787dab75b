#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>

#include "base/atomic_file.h"
#include "base/environment.h"
#include "capture/sample_reading.h"
#include "cli/support/command.h"
#include "cli/support/console.h"
#include "cli/support/options.h"
#include "cli/support/sample_pictures.h"
#include "cli/support/settings.h"
#include "cli/support/shared_options.h"
#include "eval/engine_facts.h"
#include "p2mpp/error.h"
#include "pipeline/pipeline.h"
#include "render/mesh_frame.h"

namespace p2mpp::cli {
namespace {

using Json = nlohmann::ordered_json;

// Input: folders, or the files of one sample.
struct PredictOptions {
  std::vector<std::filesystem::path> samples;
  std::vector<std::filesystem::path> images;
  std::filesystem::path cameras;
  std::string id;  // empty: the first image's name without extension
  std::filesystem::path out = ".";
  Frame frame = Frame::kCamera0;
  MeshOutput meshes;
  SamplePictureOptions pictures;
};

// A requested sample: its files, or the reason why they were not found.
struct Request {
  SamplePaths paths;
  std::string name;  // as given by the user
  std::string problem;
};

// If there are several folders, a missing or malformed one becomes a failed sample; a single one throws.
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

constexpr std::size_t kPartWidth = 7;
constexpr std::size_t kTotalWidth = 9;

std::size_t width(Part part) { return std::max(kPartWidth, to_string(part).size()); }

std::string part_names() {
  std::string line;
  for (std::size_t i = 0; i < kPartCount; ++i) {
    const Part part = static_cast<Part>(i);
    line += fmt::format(" {:>{}}", to_string(part), width(part));
  }
  return line + fmt::format(" {:>{}}\n", "total ms", kTotalWidth);
}

std::string part_figures(const PartTimes& times) {
  std::string line;
  for (std::size_t i = 0; i < kPartCount; ++i) {
    const Part part = static_cast<Part>(i);
    line += fmt::format(" {:>{}.1f}", times[part], width(part));
  }
  return line + fmt::format(" {:>{}.1f}\n", times.total(), kTotalWidth);
}

Json to_json(const PartTimes& times) {
  Json json;
  for (std::size_t i = 0; i < kPartCount; ++i) json[to_string(static_cast<Part>(i))] = times.milliseconds[i];
  json["total"] = times.total();
  return json;
}

// The output of `predict` on stdout: the mesh and the milliseconds by part of each sample when it is done, or one JSON
// document at the end.
class PredictionReport {
 public:
  PredictionReport(const Engine& engine, Frame frame, std::size_t sample_count, bool json) : json_(json) {
    document_ = {{"model", p2mpp::to_json(engine.model())},
                 {"device", p2mpp::to_string(engine.device().device)},
                 {"backend", engine.backend()},
                 {"precision", p2mpp::to_string(engine.precision())},
                 {"batch", engine.batch()},
                 {"threads", engine.threads()},
                 {"instruction_set", p2mpp::to_string(engine.instruction_set())},
                 {"frame", p2mpp::to_string(frame)}};
    document_["samples"] = std::vector<Json>(sample_count);
  }

  // Reports a mesh that was written according to `output`.
  void add(const Job& job, const TriangleMesh& mesh, const EvaluationOptions& output, const SamplePictures& pictures) {
    if (json_) {
      document_["samples"][job.number] = document_of(job, mesh, output, pictures);
      return;
    }
    const std::filesystem::path first = prediction_path(output.out, job.result.id, output.meshes.formats.front());
    print(fmt::format("{}: {} vertices, {} faces\n", first.string(), mesh.vertices.size(), mesh.triangles.size()));
    print(picture_lines(pictures));
    if (!header_printed_) print(part_names());
    header_printed_ = true;
    print(part_figures(job.result.times));
    flush_output();
  }

  void add_failure(std::size_t number, const std::string& id, const std::string& problem) {
    ++failed_;
    document_["samples"][number] = {{"id", id}, {"problem", problem}};
  }

  void finish() {
    if (!json_) return;
    document_["failed"] = failed_;
    print_json(document_);
  }

  [[nodiscard]] std::size_t failed() const { return failed_; }

 private:
  static Json document_of(const Job& job, const TriangleMesh& mesh, const EvaluationOptions& output,
                          const SamplePictures& pictures) {
    const std::string& id = job.result.id;
    Json json = {{"id", id}};
    for (const MeshFormat format : output.meshes.formats) {
      json[p2mpp::to_string(format)] = prediction_path(output.out, id, format).string();
    }
    json["coarse"] = Json::array();
    const std::size_t levels = output.meshes.coarse ? job.reconstruction.coarse.size() : 0;
    for (std::size_t level = 1; level <= levels; ++level) {
      json["coarse"].push_back(coarse_path(output.out, id, level).string());
    }
    json["vertices"] = mesh.vertices.size();
    json["faces"] = mesh.triangles.size();
    json["milliseconds"] = to_json(job.result.times);
    json.update(to_json(pictures));
    return json;
  }

  bool json_;
  bool header_printed_ = false;
  std::size_t failed_ = 0;
  Json document_;
};

// Runs the requests through the pipeline. A job's number is the index of its request.
class Predictor {
 public:
  // `truth` is in the first camera's frame; empty if it is not known.
  Predictor(const PredictOptions& options, const std::vector<Request>& requests, const Points& truth, Engine& engine,
            Trace& trace, PredictionReport& report)
      : options_(options),
        requests_(requests),
        truth_(truth),
        engine_(engine),
        trace_(trace),
        report_(report),
        batch_(static_cast<std::size_t>(engine.batch())),
        reconstructor_(reconstructor_of(engine)) {
    output_.out = options.out;
    output_.frame = options.frame;
    output_.meshes = with_comment(options.meshes, mesh_comment(engine.model(), options.frame));
  }

  // One thread reads and one writes, so that samples are printed in their order.
  void run() {
    const PipelineSteps steps{.read = [this] { return read(); },
                              .write = [this](std::vector<Job> jobs) { write(std::move(jobs)); }};
    run_pipeline(steps, {.read = 1, .write = 1}, reconstructor_, trace_);
  }

 private:
  std::vector<Job> read() {
    std::vector<Job> jobs;
    for (; jobs.size() < batch_ && next_ < requests_.size(); ++next_) {
      const Request& request = requests_[next_];
      ListEntry entry;
      entry.line = next_ + 1;
      entry.id = request.paths.id;
      entry.problem = request.problem;
      jobs.push_back(steps_.read(entry, [&] { return read_sample(request.paths); }));
      jobs.back().number = next_;
    }
    return jobs;
  }

  void write(std::vector<Job> jobs) {
    steps_.write(jobs);
    for (Job& job : jobs) {
      SamplePictures pictures;
      if (!job.result.failed() && options_.pictures.any()) {
        attempt(job, SampleStatus::kFailed, [&] { pictures = draw(job.sample, job.reconstruction); });
      }
      if (job.result.failed()) {
        fail(job);
      } else {
        report_.add(job, engine_.mesh(job.sample, job.reconstruction, options_.frame), output_, pictures);
      }
    }
  }

  SamplePictures draw(const Sample& sample, const Reconstruction& reconstruction) {
    Span span(trace_, "draw", sample.id);
    SampleMeshes meshes{.surfaces = {}, .truth = {}, .facts = viewer_facts(engine_)};
    for (TriangleMesh& mesh : engine_.coarse_meshes(sample, reconstruction, Frame::kWorld)) {
      meshes.surfaces.push_back({fmt::format("coarse {}", meshes.surfaces.size() + 1), std::move(mesh)});
    }
    meshes.surfaces.push_back({"refined", engine_.mesh(sample, reconstruction, Frame::kWorld)});
    if (!truth_.empty()) {
      meshes.truth = world_from_camera(truth_, sample.views.front().camera);
      meshes.facts.emplace_back("ground truth", options_.pictures.truth.filename().string());
    }
    SamplePictures pictures =
        write_sample_pictures(options_.pictures, options_.out, sample.id, sample, std::move(meshes), engine_.threads());
    span.finish();
    return pictures;
  }

  // With several samples, logs the failure and continues; with a single one, throws.
  void fail(const Job& job) {
    const Request& request = requests_[job.number];
    const bool was_read = !job.sample.views.empty();
    const std::string problem = was_read ? fmt::format("{}: {}", job.result.id, job.result.reason) : job.result.reason;
    if (requests_.size() == 1) {
      if (job.failure) std::rethrow_exception(job.failure);
      throw InputError(problem);
    }
    spdlog::error("{}", problem);
    report_.add_failure(job.number, request.problem.empty() ? request.paths.id : request.name, problem);
  }

  const PredictOptions& options_;
  const std::vector<Request>& requests_;
  const Points& truth_;
  Engine& engine_;
  Trace& trace_;
  PredictionReport& report_;
  const std::size_t batch_;
  std::size_t next_ = 0;  // index of the next request to read
  const Reconstructor reconstructor_;
  EvaluationOptions output_;
  const Steps steps_{output_, reconstructor_, trace_};
};

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
  Trace trace(settings.trace);
  if (trace.on()) engine.watch_device();
  Predictor(options, requests, truth, engine, trace, report).run();
  trace.write();
  report.finish();
  if (report.failed() == 0) return ExitCode::kDone;
  spdlog::warn("{} of {} samples failed", report.failed(), requests.size());
  return ExitCode::kSomeSamplesFailed;
}

void add_sample_options(CLI::App& command, PredictOptions& options) {
  constexpr const char* kGroup = "Sample";
  CLI::Option* samples = command.add_option(
      "SAMPLE", options.samples,
      "Folders with images and cameras: rendering/NN.png and rendering/rendering_metadata.txt, the same "
      "without rendering/, or images and cameras.txt");
  samples->type_name("FOLDER")->check(file_name());
  CLI::Option* images =
      command.add_option("--images", options.images, "Two to five images of one object, instead of SAMPLE");
  CLI::Option* cameras = command.add_option("--cameras", options.cameras,
                                            "A row for each image: azimuth, elevation (degrees), "
                                            "0, distance, 0");
  images->type_name("FILE")->check(file_name())->excludes(samples)->needs(cameras);
  cameras->type_name("FILE")->check(file_name())->needs(images);
  CLI::Option* id =
      command.add_option("--id", options.id, "Name of the written files (default: the first image's name)");
  id->type_name("NAME")->needs(images);
  for (CLI::Option* option : {images, cameras, id}) option->configurable(false)->group(kGroup);
}

void add_result_options(CLI::App& command, PredictOptions& options) {
  constexpr const char* kGroup = "Result";
  command.add_option("-o,--out", options.out, "Folder for the files")
      ->type_name("FOLDER")
      ->check(file_name())
      ->capture_default_str()
      ->group(kGroup);
  command
      .add_flag("--coarse", options.meshes.coarse,
                "Also write the meshes before the refinement: {id}_coarse1.obj and so on")
      ->group(kGroup);
  add_mesh_output_options(command, options.meshes, options.frame);
}

void add_sample_picture_options(CLI::App& command, SamplePictureOptions& pictures) {
  constexpr const char* kGroup = "Pictures";
  command.add_flag("--preview", pictures.preview, "Write {id}_preview.png: the mesh from the first view's direction")
      ->group(kGroup);
  command
      .add_flag("--overlay", pictures.overlay,
                "Write {id}_overlay.png, the mesh over each view, and print how well the silhouettes agree (IoU, 1 is "
                "best), to check the cameras")
      ->group(kGroup);
  command.add_flag("--view", pictures.view, "Write {id}_view.html: the mesh in 3D beside its views, in one file")
      ->group(kGroup);
  command.add_option("--truth", pictures.truth, "Ground truth in the first camera's frame, also shown in the 3D view")
      ->type_name("FILE")
      ->check(file_name())
      ->configurable(false)
      ->group(kGroup);
  command
      .add_flag("--preview-terminal", pictures.terminal,
                "Show the preview in the terminal, if it supports pictures or colours")
      ->group(kGroup);
}

}  // namespace

void add_predict_command(CLI::App& app, const Settings& settings, ExitCode& exit_code) {
  const auto options = std::make_shared<PredictOptions>();
  CLI::App* command = app.add_subcommand("predict", "Reconstruct meshes from images");
  add_sample_options(*command, *options);
  add_result_options(*command, *options);
  add_sample_picture_options(*command, options->pictures);
  command->footer(
      R"(Writes {id}_predict.obj (the mesh) and {id}_predict.xyz (its vertices) for each sample, and prints the
milliseconds by part. The id is the folder's name.

Examples:
  p2mpp predict data/02691156/p2mpp0001
  p2mpp predict data/*/* --out meshes --batch 4 --json
  p2mpp predict --images a.png b.png c.png --cameras cameras.txt --id chair --frame world
  p2mpp predict --images a.png b.png c.png --cameras cameras.txt --overlay --view
  p2mpp predict data/02691156/p2mpp0001 --format glb,ply --preview)");
  command->callback([options, &settings, &exit_code] { exit_code = run_predict(*options, settings); });
}

}  // namespace p2mpp::cli
