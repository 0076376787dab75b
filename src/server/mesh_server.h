#pragma once

#include <filesystem>
#include <functional>
#include <vector>

#include "base/parallel.h"
#include "base/table.h"
#include "server/http_server.h"
#include "server/mesh_api.h"

namespace p2mpp {

struct MeshServerOptions {
  ServiceOptions service;
  HttpOptions http;
  ApiOptions api;
  std::filesystem::path spool;  ///< an existing folder, in which one for uploads and results is made
  std::uint64_t spool_bytes = std::uint64_t{8} << 30;
  std::chrono::milliseconds grace{5'000};  ///< for requests that have begun when a stop is requested
  /// What is given up then has this time to end. Then `on_overdue` is called, with the spool removed: it should end the
  /// program. A task that is still busy does not ask whether it is wanted.
  std::chrono::milliseconds most_overdue{5'000};
  std::function<void()> on_overdue = [] {};
};

/// Answers requests over HTTP.
class MeshServer {
 public:
  /// Binds the port. `reconstructor` and `trace` must outlive this object. `stop_requested` is called several times a
  /// second, by any thread. Throws Error and UsageError.
  MeshServer(MeshServerOptions options, Reconstructor& reconstructor, Trace& trace,
             std::function<bool()> stop_requested);

  [[nodiscard]] unsigned short port() const { return server_.port(); }

  /// Serves until a stop is requested. Then requests that have begun have some time to be finished, and all others are
  /// answered as dropped. Computes in the caller's thread. Returns when nothing is in work, with the figures of all
  /// requests for meshes, and `dropped` also those of others.
  WorkerStatistics run();

 private:
  [[nodiscard]] MeshServerOptions with_plain_log(MeshServerOptions options) const;
  void finish_tasks();
  void watch();
  void wait_until_idle(std::chrono::milliseconds most) const;

  const std::function<bool()> stop_requested_;
  std::atomic<bool> is_ending_ = false;  // the service has ended
  std::atomic<bool> is_idle_ = false;    // and all tasks, too
  HttpStatistics statistics_;
  Spool spool_;
  const MeshServerOptions options_;
  RequestService service_;
  FirstFailure failure_;
  HttpServer server_;  // outlives the exchanges and the checks, which respond through it
  MeshApi api_;
};

/// All bounds of `p2mpp serve`, as docs/service.md lists them.
[[nodiscard]] std::vector<Bound> service_bounds();

}  // namespace p2mpp
