#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>

#include "base/json_text.h"
#include "io/image/pixel_budget.h"
#include "requests/request_service.h"
#include "server/child_process.h"
#include "server/http.h"
#include "server/http_statistics.h"
#include "server/progress.h"
#include "server/spool.h"
#include "server/task_runner.h"

namespace p2mpp {

/// What `p2mpp serve` reads, fits or checks at the same time.
inline constexpr int kRequestsSideBySide = 4;

/// How photographs without cameras become a mesh: by the program p2mpp-photos.
struct PhotographsOptions {
  std::filesystem::path program;            ///< empty: the server takes none
  std::vector<std::string> arguments;       ///< of every run
  std::vector<std::string> mesh_arguments;  ///< of every run, passed on to `p2mpp predict`
  std::chrono::seconds most_time{3'600};    ///< from the end of the upload to the answer
  std::uint64_t bytes_each{64U << 20};      ///< that a run may write for each photograph
  ChildLimits limits;                       ///< of a run; a file may be as large as all together
};

struct ApiOptions {
  std::filesystem::path root;  ///< of samples that requests refer to; empty: they must send their files
  std::string token;           ///< required in requests; empty: not required, and only this machine's own pages may ask
  std::string page;            ///< the HTML of "/"
  std::uint64_t max_upload = std::uint64_t{512} << 20;  ///< bytes of a body
  std::size_t queue = 200;  ///< the service's queue, to refuse before a body is sent; as many checks may wait
  int check_threads = 1;    ///< that check several samples side by side
  std::size_t max_request_pixels = PixelTotal::kUsualMost;  ///< of all images of a request together
  std::size_t results = 200;                                ///< largest number of results that are kept
  std::chrono::seconds result_age{900};
  SampleRequest reading;  ///< of a check's sample
  PhotographsOptions photographs;
  /// Finds a sample's problems, for its page. Called by several threads. Throws InputError.
  std::function<Json(const Sample&)> check;
};

/// The HTTP interface of `p2mpp serve` (docs/service.md):
///   GET /                        the page
///   GET /v1/health, /metrics
///   POST /v1/meshes              a sample, as multipart/form-data (Upload) or as a reference in JSON
///   POST /v1/check               the same, without the network
///   POST /v1/photographs/KEY     photographs without cameras; KEY is the client's, for the next line
///   GET /v1/photographs/KEY      what such a request has said so far
///   GET /v1/meshes/NAME/FILE     a file of a result
/// handle() and the exchanges are for one thread; the service answers in others.
class MeshApi {
 public:
  /// All must outlive this object, and the service must have ended before it does.
  MeshApi(const ApiOptions& options, Spool& spool, RequestService& service, HttpStatistics& statistics);

  /// An HttpHandler.
  [[nodiscard]] std::unique_ptr<Exchange> handle(const RequestHead& head);

  /// After this call, /v1/health answers 503, and no request begins. Thread-safe.
  void stop();
  /// Checks and photographs that have begun are given up. Thread-safe.
  void give_up();
  /// Waits for checks and photographs that have begun. Precondition: stop().
  void finish();
  /// Checks and photographs that these two functions have dropped.
  [[nodiscard]] std::size_t dropped() const { return checks_.dropped() + photographs_.dropped(); }
  /// To be called now and then. Thread-safe.
  void forget_old_results() { results_.forget_old_ones(); }

 private:
  friend class SampleExchange;
  friend class MeshExchange;
  friend class CheckExchange;
  friend class PhotographsExchange;

  void check_client(const RequestHead& head) const;
  void check_token(const RequestHead& head) const;
  [[nodiscard]] std::unique_ptr<Exchange> handle_get(const RequestHead& head);
  [[nodiscard]] Response health() const;
  [[nodiscard]] Response metrics() const;
  [[nodiscard]] Response result_file(std::string_view name_and_file);
  [[nodiscard]] Response progress(const std::string& key) const;
  /// Removes this machine's folders from a text for a client: those of a sample, of the spool and of the root, and the
  /// names of requests.
  [[nodiscard]] std::string without_folders(std::string text, const std::filesystem::path& sample) const;
  /// Resolves a reference below the root. Throws InputError.
  void resolve(WorkerRequest& request, const SpoolFolder& folder) const;

  const ApiOptions& options_;
  Spool& spool_;
  RequestService& service_;
  HttpStatistics& statistics_;
  ResultStore results_;
  TaskRunner checks_, photographs_;
  ProgressBoard progress_;
  std::atomic<bool> is_stopping_ = false;
};

}  // namespace p2mpp
