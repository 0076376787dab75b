#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>
#include <string>

#include "server/http.h"
#include "server/http_statistics.h"

namespace p2mpp {

struct HttpOptions {
  std::string host = "127.0.0.1";                 ///< an address of this machine, or "localhost"
  unsigned short port = 0;                        ///< 0: any that is free
  std::size_t connections = 400;                  ///< at a time, half of them of one address: see HttpServer
  std::chrono::milliseconds head_time{15'000};    ///< for a request's head, and between two requests
  std::chrono::milliseconds stall_time{15'000};   ///< in which 16 KiB of a body must arrive
  std::chrono::milliseconds body_time{300'000};   ///< for a whole body
  std::chrono::milliseconds write_time{120'000};  ///< for a whole response
  /// Called with the reason of an answer with status 500, by the server's thread.
  std::function<void(const std::string&)> on_failure = [](const std::string&) {};
};

/// How many of these connections, or of these bytes of the spool, one address may have.
[[nodiscard]] constexpr std::size_t share_of_address(std::size_t whole) { return (whole + 1) / 2; }

/// Whether only this machine can reach an address. Throws UsageError if it is no address.
[[nodiscard]] bool is_loopback(const std::string& host);

/// Throws Error if this build has no HTTP library.
void require_http();

/// An HTTP/1.1 server in one thread, for hundreds of connections. A request's head, its body and its response have
/// limits of size and time. A client that is slow, hangs or leaves therefore costs only a connection for a bounded
/// time. Where a connection is one too many, the one that has waited longest for a request's head is closed for it,
/// idle ones first. If all others are busy with a request, the new one is a spare one: it gets one answer, which is 503
/// unless it asks for HttpServer::kAlwaysAnswered.
class HttpServer {
 public:
  static constexpr std::size_t kMaxHead = 16'384;  ///< bytes of a request's line and headers
  static constexpr std::size_t kSpare = 16;        ///< largest number of spare connections
  static constexpr const char* kAlwaysAnswered = "/v1/health";

  /// Binds the port. `statistics` must outlive this object. Throws Error if it cannot, and UsageError for a bad host.
  HttpServer(const HttpOptions& options, HttpHandler handler, HttpStatistics& statistics);
  ~HttpServer();
  HttpServer(const HttpServer&) = delete;
  HttpServer& operator=(const HttpServer&) = delete;

  [[nodiscard]] unsigned short port() const;

  /// Serves in the caller's thread until shut_down() was called and the responses in progress are written. Call once.
  void run();

  // Thread-safe:

  /// Accepts no more connections.
  void stop_accepting();
  /// Ends once the responses in progress are written, or after `patience`.
  void shut_down(std::chrono::milliseconds patience);

 private:
  struct Impl;
  std::shared_ptr<Impl> impl_;
};

}  // namespace p2mpp
