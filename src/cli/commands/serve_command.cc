#include <fmt/format.h>
#include <spdlog/spdlog.h>
#include <unistd.h>

#include <algorithm>
#include <memory>
#include <nlohmann/json.hpp>

#include "base/input_file.h"
#include "base/json_text.h"
#include "base/program_files.h"
#include "base/text.h"
#include "cli/commands/evaluation_run.h"
#include "cli/support/command.h"
#include "cli/support/console.h"
#include "cli/support/declared_options.h"
#include "cli/support/interrupt.h"
#include "cli/support/settings.h"
#include "cli/support/shared_options.h"
#include "engine/engine_options.h"
#include "p2mpp/engine.h"
#include "p2mpp/error.h"
#include "report/page.h"
#include "report/sample_pictures.h"
#include "server/mesh_server.h"

namespace p2mpp::cli {
namespace {

struct ServeCommandOptions {
  EvaluationPaths paths;
  std::string host = HttpOptions().host;
  int port = 8080;
  std::filesystem::path root, token_file, spool, photos;
  BatchingOptions batching;
  int queue = static_cast<int>(ApiOptions().queue);
  int connections = static_cast<int>(HttpOptions().connections);
  int max_upload_mb = 512, spool_mb = 8192;
  std::size_t max_request_pixels = PixelTotal::kUsualMost;
  int keep_minutes = 15, keep_results = 200;
  int photos_memory_mb = static_cast<int>(ChildLimits().memory >> 20);
  int photos_cpu_minutes =
      static_cast<int>(std::chrono::duration_cast<std::chrono::minutes>(ChildLimits().processor_time).count());

  template <typename Visit>
  void visit_options(Visit&& visit);
};

template <typename Visit>
void ServeCommandOptions::visit_options(Visit&& visit) {
  constexpr int kMostMegabytes = 1 << 24;
  constexpr long long kMostPixels = 1LL << 53;
  const auto add = in_group("Network", visit);
  add(port, {"--port", "TCP port; 0: any that is free", "N", whole_number(0, 65'535)});
  add(host, {"--host", "Address to serve at. One that others can reach, such as 0.0.0.0, needs --token-file", "ADDRESS",
             file_name()});
  add(token_file,
      {"--token-file", "A file whose first line is the token that requests must have: Authorization: Bearer TOKEN",
       "FILE", file_name()});
  add(root, {"--root", "Root of the samples that requests may refer to", "FOLDER", file_name()});
  add(photos,
      {"--photos", "Program p2mpp-photos, for photographs without cameras (default: beside p2mpp, else on PATH)",
       "FILE", file_name()});
  const auto add_limit = in_group("Limits", visit);
  add_limit(queue, {"--queue", "Largest number of waiting requests; others get 429", "N", whole_number(1, 1'000'000)});
  add_limit(connections,
            {"--connections", "Largest number of connections; half of them may be of one address, others get 503", "N",
             whole_number(1, 10'000)});
  add_limit(max_upload_mb, {"--max-upload-mb", "Largest body of a request", "N", whole_number(1, kMostMegabytes)});
  add_limit(max_request_pixels, {"--max-request-pixels",
                                 "Largest number of pixels of a request's images and masks together; others get 413",
                                 "N", whole_number(1, kMostPixels)});
  add_limit(spool, {"--spool", "Folder for uploads and results (default: the system's for temporary files)", "FOLDER",
                    file_name()});
  add_limit(spool_mb,
            {"--spool-mb", "Largest size of uploads and results together", "N", whole_number(1, kMostMegabytes)});
  add_limit(keep_minutes, {"--keep-minutes", "How long results can be fetched", "N", whole_number(1, 10'080)});
  add_limit(keep_results, {"--keep-results", "Largest number of results that are kept", "N", whole_number(1, 100'000)});
  add_limit(photos_memory_mb, {"--photos-memory-mb", "Memory that each process of p2mpp-photos may use", "N",
                               whole_number(1, kMostMegabytes)});
  add_limit(photos_cpu_minutes, {"--photos-cpu-minutes", "Processor time that each process of p2mpp-photos may use",
                                 "N", whole_number(1, 1'000'000)});
  batching.visit_options(visit);
  paths.run.visit_options(visit);
}

constexpr std::size_t kMinTokenLength = 16, kMaxTokenLength = 512;
constexpr std::uintmax_t kMaxTokenFile = 4096;
constexpr std::uint64_t kMegabyte = std::uint64_t{1} << 20;

std::string read_token(const std::filesystem::path& file) {
  if (file.empty()) return {};
  const std::string text = read_file(file, kMaxTokenFile);
  const std::string token(trimmed(std::string_view(text).substr(0, text.find('\n'))));
  const bool is_plain = std::ranges::all_of(token, [](unsigned char each) { return each > 0x20 && each < 0x7f; });
  if (is_plain && token.size() >= kMinTokenLength && token.size() <= kMaxTokenLength) return token;
  throw InputError(
      fmt::format("{}: its first line is no token; expected {} to {} characters without blanks, such as "
                  "`openssl rand -hex 32` prints",
                  display(file), kMinTokenLength, kMaxTokenLength));
}

void check_options(const ServeCommandOptions& options) {
  require_http();
  require_viewer();
  if (!is_loopback(options.host) && options.token_file.empty()) {
    throw UsageError(fmt::format("--host {}: other machines can reach this address; expected --token-file FILE as well",
                                 printable(options.host, 60)));
  }
  if (!options.root.empty()) require_folder(options.root, "the root of samples");
  if (!options.spool.empty()) require_folder(options.spool, "a folder for uploads");
  if (!options.photos.empty() && ::access(options.photos.c_str(), X_OK) != 0) {
    throw InputError(fmt::format("{}: cannot be run; expected the program p2mpp-photos", display(options.photos)));
  }
}

// view.html beside a sample's mesh.
void write_viewer(const Engine& engine, const Job& job, const std::filesystem::path& out) {
  SamplePictureOptions viewer;
  viewer.view = true;
  SampleMeshes meshes = list_meshes(engine, job);
  const SamplePictures pictures =
      write_sample_pictures(viewer, out, job.sample.id, job.sample, std::move(meshes), engine.threads());
  std::filesystem::rename(*pictures.view, out / "view.html");
}

constexpr int kMegabytesOfThread = 1024;  // of p2mpp-photos

// p2mpp-photos with this program, its model and as many threads as its memory allows.
PhotographsOptions photographs_options(const ServeCommandOptions& options, const Engine& engine) {
  PhotographsOptions photographs;
  photographs.program = options.photos.empty() ? find_program("p2mpp-photos") : options.photos;
  photographs.arguments = {
      "--p2mpp", program_file().string(), "--threads",
      fmt::format("{}", std::clamp(options.photos_memory_mb / kMegabytesOfThread, 1, engine.threads()))};
  photographs.mesh_arguments = {"--model", std::filesystem::absolute(engine.model().folder).string()};
  photographs.limits.memory = kMegabyte * static_cast<std::uint64_t>(options.photos_memory_mb);
  photographs.limits.processor_time = std::chrono::minutes(options.photos_cpu_minutes);
  return photographs;
}

MeshServerOptions server_options(const ServeCommandOptions& options, const Engine& engine,
                                 const EvaluationSettings& run) {
  MeshServerOptions server;
  server.service = {.evaluation = run.options,
                    .batch_timeout = std::chrono::milliseconds(options.batching.timeout_ms),
                    .queue = static_cast<std::size_t>(options.queue)};
  PipelineOptions& evaluation = server.service.evaluation;
  evaluation.reading.threads = engine.threads();
  evaluation.reading.max_total_pixels = options.max_request_pixels;
  server.service.threads = kRequestsSideBySide;
  server.service.after_write = [&engine](const Job& job, const std::filesystem::path& out) {
    write_viewer(engine, job, out);
  };
  server.http.host = options.host;
  server.http.port = static_cast<unsigned short>(options.port);
  server.http.on_failure = [](const std::string& reason) { spdlog::error("{}", reason); };
  server.http.connections = static_cast<std::size_t>(options.connections);
  ApiOptions& api = server.api;
  api.root = options.root;
  api.token = read_token(options.token_file);
  api.photographs = photographs_options(options, engine);
  api.page = serve_page(!api.token.empty(), !api.photographs.program.empty());
  api.max_upload = kMegabyte * static_cast<std::uint64_t>(options.max_upload_mb);
  api.queue = server.service.queue;
  api.results = static_cast<std::size_t>(options.keep_results);
  api.result_age = std::chrono::minutes(options.keep_minutes);
  api.reading = to_reading_options(evaluation);
  api.reading.fit = {};
  api.reading.threads = 1;
  api.check_threads = kRequestsSideBySide;
  api.max_request_pixels = options.max_request_pixels;
  api.check = [trained = engine.model().trained_views](const Sample& sample) {
    return sample_check_json(sample, trained);
  };
  server.on_overdue = [] {
    spdlog::error("requests in work do not end; the program ends without them");
    ::_exit(static_cast<int>(ExitCode::kStopped));
  };
  server.spool = options.spool.empty() ? std::filesystem::temp_directory_path() : options.spool;
  server.spool_bytes = kMegabyte * static_cast<std::uint64_t>(options.spool_mb);
  return server;
}

ExitCode run_serve(const ServeCommandOptions& options, const Settings& settings) {
  check_options(options);
  Trace trace(settings.trace);
  EngineOptions engine_options = resolve_engine_options(settings);
  if (options.batching.max_batch > 0) engine_options.batch = options.batching.max_batch;
  Engine engine = open_engine(engine_options);
  if (trace.on()) engine.watch_device();
  const EvaluationSettings run = describe_run(options.paths, settings, engine);
  const MeshServerOptions server_settings = server_options(options, engine, run);
  const OrderlyEnd orderly;
  MeshServer server(server_settings, engine, trace, [] { return OrderlyEnd::requested(); });
  const std::string host = options.host.find(':') == std::string::npos ? options.host : "[" + options.host + "]";
  const std::string address = fmt::format("http://{}:{}/", host, server.port());
  print(settings.json ? json_line(Json{{"ready", true}, {"address", address}})
                      : fmt::format("serving at {} (Ctrl-C ends)\n", address));
  flush_output();
  const WorkerStatistics statistics = server.run();
  write_trace(trace);
  spdlog::info("{} done, {} failed, {} refused, {} dropped", statistics.done, statistics.failed, statistics.refused,
               statistics.dropped);
  return statistics.dropped > 0 ? ExitCode::kStopped : ExitCode::kDone;
}

}  // namespace

void add_serve_command(CLI::App& app, const Settings& settings, ExitCode& exit_code) {
  const auto options = std::make_shared<ServeCommandOptions>();
  options->paths.run = automatic_run_options();
  options->paths.run.meshes.formats = {MeshFormat::kGlb};
  options->paths.run.meshes.encoding.alone = true;  // a result is one file
  CLI::App* command = app.add_subcommand("serve", "Answer requests over HTTP, with a page for the browser");
  add_options(*command, *options);
  command->footer(
      R"(Open the printed address in a browser, or send requests. docs/service.md describes them. Without a token, the
server answers only programs of this machine. After SIGTERM, SIGINT or SIGHUP, requests that have begun have five seconds
to be finished, and the others are answered as dropped. The exit code is 5 if any request was dropped.

Examples:
  p2mpp serve --port 8080
  p2mpp serve --host 0.0.0.0 --token-file token.txt --root samples --max-batch 8
  curl -F image=@a.png -F image=@b.png -F cameras=@cameras.txt http://127.0.0.1:8080/v1/meshes)");
  command->callback([options, &settings, &exit_code] { exit_code = run_serve(*options, settings); });
}

}  // namespace p2mpp::cli
