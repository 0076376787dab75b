#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <string>

#include "pipeline/requests/request_service.h"
#include "server/check_runner.h"
#include "server/http.h"
#include "server/http_statistics.h"
#include "server/result_store.h"
#include "server/spool.h"

namespace p2mpp {

struct ApiOptions {
  std::filesystem::path root;  ///< of samples that requests refer to; empty: they must send their files
  std::string token;           ///< required in requests; empty: not required, and only this machine's own pages may ask
  std::string page;            ///< the HTML of "/"
  std::uint64_t max_upload = std::uint64_t{512} << 20;  ///< bytes of a body
  std::size_t queue = 1000;                             ///< the service's queue, to refuse before a body is sent
  std::size_t checks = 16;                              ///< largest number of waiting checks
  std::size_t results = 200;                            ///< largest number of results that are kept
  std::chrono::seconds result_age{900};
  SampleRequest reading;  ///< of a check's sample
  /// Finds a sample's problems, for its page. Called by one thread. Throws InputError.
  std::function<nlohmann::ordered_json(const Sample&)> check;
};

/// The HTTP interface of `p2mpp serve` (docs/service.md):
///   GET /                        the page
///   GET /v1/health, /metrics
///   POST /v1/meshes              a sample, as multipart/form-data (Upload) or as a reference in JSON
///   POST /v1/check               the same, without the network
///   GET /v1/meshes/NAME/FILE     a file of a result
/// handle() and the exchanges are for one thread; the service answers in others.
class MeshApi {
 public:
  /// All must outlive this object, and the service must have ended before it does.
  MeshApi(const ApiOptions& options, Spool& spool, RequestService& service, HttpStatistics& statistics);

  /// An HttpHandler.
  [[nodiscard]] std::unique_ptr<Exchange> handle(const RequestHead& head);

  /// After this call, /v1/health answers 503, and no request begins. Thread-safe.
  void stop() { is_stopping_ = true; }

 private:
  friend class SampleExchange;
  friend class MeshExchange;
  friend class CheckExchange;

  void check_client(const RequestHead& head) const;
  void check_token(const RequestHead& head) const;
  [[nodiscard]] std::unique_ptr<Exchange> handle_get(const RequestHead& head);
  [[nodiscard]] Response health() const;
  [[nodiscard]] Response metrics() const;
  [[nodiscard]] Response result_file(std::string_view name_and_file);
  /// Resolves a reference below the root. Throws InputError.
  void resolve(WorkerRequest& request, const SpoolFolder& folder) const;

  const ApiOptions& options_;
  Spool& spool_;
  RequestService& service_;
  HttpStatistics& statistics_;
  ResultStore results_;
  CheckRunner checks_;
  std::atomic<bool> is_stopping_ = false;
};

}  // namespace p2mpp
