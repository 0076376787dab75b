#include "server/mesh_server.h"

#include <fmt/format.h>

#include <thread>
#include <utility>

#include "io/capture_archive.h"
#include "io/image/pixel_budget.h"
#include "requests/request_service.h"
#include "server/http_server.h"
#include "server/multipart.h"
#include "server/upload.h"

namespace p2mpp {
namespace {

std::string seconds(std::chrono::milliseconds time) {
  return fmt::format("{} s", std::chrono::duration_cast<std::chrono::seconds>(time).count());
}

std::string megabytes(std::uint64_t bytes) { return fmt::format("{} MB", with_commas(bytes >> 20)); }

std::string number(std::uint64_t value) { return with_commas(value); }

}  // namespace

std::vector<Bound> service_bounds() {
  const HttpOptions http;
  const ApiOptions api;
  const MeshServerOptions server;
  const char* const closed = "the connection is closed";
  const std::string makes_room =
      "the connection that has waited longest for a head is closed, idle ones first; if there is none, 503";
  return {
      {"pixels of all images and masks of a request, each as often as it is named", number(api.max_request_pixels),
       "--max-request-pixels", "413 with the number, before any is decoded"},
      {"pixels of a request that shares its turn with others", number(kMostPixelsOfLight), "",
       "it is read alone, and half of those side by side may be such"},
      {"requests that are read, fitted or checked side by side", number(kRequestsSideBySide), "", "others wait"},
      {"batches of one address that have begun", number(kMostBatchesOfClient), "--batch", "its other requests wait"},
      {"bytes of a body", megabytes(api.max_upload), "--max-upload-mb", "413"},
      {"bytes of JSON: a reference, or the part `request`", number(Upload::kMaxRequestText), "", "413, or 400"},
      {"bytes of the part `cameras`", megabytes(Upload::kMaxCameraBytes), "", "400"},
      {"parts `image`, and parts `mask`", number(Upload::kMaxImages), "", "400"},
      {"bytes of all files of the part `capture`",
       fmt::format("{}, and {} times those of the archive, or {}", megabytes(api.max_upload), ArchiveBounds::kMostTimes,
                   megabytes(ArchiveBounds::kAlways)),
       "--max-upload-mb", "400"},
      {"bytes of a file of `capture` that is no image", megabytes(ArchiveBounds::kMostOfOther), "", "400"},
      {"files and folders of `capture`", number(ArchiveBounds::kMostEntries), "", "400"},
      {"images of `capture`, masks among them", number(ArchiveBounds::kMostImages), "", "400"},
      {"folders above a file of `capture`", number(ArchiveBounds::kDeepest), "", "400"},
      {"parts of a body", number(MultipartParser::kMaxParts), "", "400"},
      {"bytes of a part's head", number(MultipartParser::kMaxPartHead), "", "400"},
      {"bytes of a file's name", number(Upload::kMaxNameLength), "", "400"},
      {"bytes of a request's head", number(HttpServer::kMaxHead), "", "431"},
      {"time for a request's head, and between two requests", seconds(http.head_time), "", closed},
      {"time for 16 KB of a body", seconds(http.stall_time), "", closed},
      {"time for a body", seconds(http.body_time), "", closed},
      {"time for a client to take an answer", seconds(http.write_time), "", closed},
      {"time for an answer", "none", "deadline_ms", "504; work that has begun is given up"},
      {"photographs without cameras", fmt::format("at least {}", Upload::kFewestPhotographs), "", "400"},
      {"requests with photographs without cameras side by side", "1", "", "others wait"},
      {"the same that wait", number(api.queue), "--queue", "429"},
      {"time for an answer to photographs without cameras", seconds(api.photographs.most_time), "deadline_ms",
       "504; the work is given up"},
      {"bytes that `p2mpp-photos` writes for each photograph", megabytes(api.photographs.bytes_each), "",
       "507; it is stopped"},
      {"memory of each process of `p2mpp-photos`", megabytes(api.photographs.limits.memory), "--photos-memory-mb",
       "it gets no more and fails: 500"},
      {"processor time of each process of `p2mpp-photos`",
       fmt::format("{} minutes", api.photographs.limits.processor_time.count() / 60), "--photos-cpu-minutes",
       "it is stopped: 500"},
      {"lines of a progress that are kept", number(Progress::kMostLines), "", "the oldest is dropped"},
      {"connections", number(http.connections), "--connections", makes_room},
      {"connections of one address", number(share_of_address(http.connections)), "--connections",
       "the same among its own"},
      {"connections beyond these, for `/v1/health` alone", number(HttpServer::kSpare), "",
       "the oldest of them is closed"},
      {"requests for meshes that wait", number(api.queue), "--queue", "429"},
      {"checks that wait", number(api.queue), "--queue", "429"},
      {"bytes of uploads and results on the disk", megabytes(server.spool_bytes), "--spool-mb", "507"},
      {"the same of one address", "half of what the others leave", "--spool-mb", "507"},
      {"results that are kept", number(api.results), "--keep-results",
       "the oldest of the address that has most is removed"},
      {"time that results are kept", fmt::format("{} minutes", api.result_age.count() / 60), "--keep-minutes",
       "they are removed"},
      {"time for requests that have begun, after SIGTERM", seconds(server.grace), "", "they are answered 503"},
      {"time that given-up work then takes to end", seconds(server.most_overdue), "",
       "the program ends with exit code 5"}};
}

namespace {

constexpr std::chrono::milliseconds kWatchInterval{100};
constexpr std::chrono::seconds kPatience{10};  ///< for clients that read their last answers

}  // namespace

MeshServer::MeshServer(MeshServerOptions options, Reconstructor& reconstructor, Trace& trace,
                       std::function<bool()> stop_requested)
    : stop_requested_(std::move(stop_requested)),
      spool_(options.spool, options.spool_bytes),
      options_(with_plain_log(std::move(options))),
      service_(options_.service, reconstructor, trace, stop_requested_, [] {}),
      server_(
          options_.http, [this](const RequestHead& head) { return api_.handle(head); }, statistics_),
      api_(options_.api, spool_, service_, statistics_) {}

// Who reads the log must not learn where results can be fetched.
MeshServerOptions MeshServer::with_plain_log(MeshServerOptions options) const {
  for (auto* log : {&options.service.evaluation.on_warning, &options.http.on_failure}) {
    *log = [this, log = std::move(*log)](const std::string& line) { log(spool_.without_names(line)); };
  }
  return options;
}

WorkerStatistics MeshServer::run() {
  {
    const std::jthread serving([this] { failure_.guard([this] { server_.run(); }, [this] { service_.fail(); }); });
    const std::jthread watching([this] { watch(); });
    failure_.guard([this] { service_.run(); }, [] {});
    finish_tasks();
    server_.shut_down(kPatience);
  }
  failure_.rethrow();
  WorkerStatistics statistics = service_.statistics();
  statistics.dropped += api_.dropped();
  return statistics;
}

void MeshServer::finish_tasks() {
  is_ending_ = true;
  api_.stop();
  if (!stop_requested_()) api_.give_up();  // the service has failed
  api_.finish();
  is_idle_ = true;
}

void MeshServer::watch() {
  while (!is_ending_ && !stop_requested_()) {
    std::this_thread::sleep_for(kWatchInterval);
    api_.forget_old_results();
  }
  api_.stop();
  server_.stop_accepting();
  service_.stop();
  wait_until_idle(options_.grace);
  service_.give_up();
  api_.give_up();
  wait_until_idle(options_.most_overdue);
  if (is_idle_) return;
  spool_.remove();
  options_.on_overdue();
}

void MeshServer::wait_until_idle(std::chrono::milliseconds most) const {
  const auto end = std::chrono::steady_clock::now() + most;
  while (!is_idle_ && std::chrono::steady_clock::now() < end) std::this_thread::sleep_for(kWatchInterval);
}

}  // namespace p2mpp
