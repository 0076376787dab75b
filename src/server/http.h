#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

// The interface between a server's transport (http_server.h) and its functions (mesh_api.h). It depends neither on
// sockets nor on the HTTP library.
namespace p2mpp {

/// The status codes that the server answers with.
namespace http_status {

inline constexpr unsigned kOk = 200, kBadRequest = 400, kUnauthorized = 401, kForbidden = 403, kNotFound = 404,
                          kWrongMethod = 405, kTooLarge = 413, kUnprocessable = 422, kTooMany = 429,
                          kHeadTooLarge = 431, kFailed = 500, kUnavailable = 503, kExpired = 504, kNoRoom = 507;

}  // namespace http_status

/// A request before its body.
struct RequestHead {
  std::string method;  ///< "GET"
  std::string path;    ///< "/v1/health", without the query, as sent
  std::string query;   ///< what follows '?'
  std::string host, origin, authorization, content_type;
  std::string client;  ///< the address of its machine
  std::optional<std::uint64_t> content_length;
};

struct Response {
  unsigned status = 200;
  std::string type = "application/json";
  std::string body = {};
  std::filesystem::path file = {};  ///< if not empty, its contents are the body
  std::vector<std::pair<std::string, std::string>> headers = {};
};

/// The reason why a request is refused.
class Refusal : public std::runtime_error {
 public:
  /// `allow`: the methods that the path has, for status 405.
  Refusal(unsigned status, const std::string& reason, std::string allow = {})
      : std::runtime_error(reason), status_(status), allow_(std::move(allow)) {}
  [[nodiscard]] unsigned status() const { return status_; }
  [[nodiscard]] const std::string& allow() const { return allow_; }

 private:
  unsigned status_;
  std::string allow_;
};

/// {"status": "refused", "reason": ...} with the refusal's status.
[[nodiscard]] Response response_to(const Refusal& refusal);

/// A request in progress. All functions are called by the transport's thread, one at a time.
class Exchange {
 public:
  virtual ~Exchange() = default;

  /// The body's largest size, in bytes.
  [[nodiscard]] virtual std::uint64_t max_body() const { return 0; }

  /// The next bytes of the body. Throws Refusal.
  virtual void receive(std::string_view bytes) { static_cast<void>(bytes); }

  /// The body is complete. `respond` is called once, by any thread, immediately or later, unless abandon() was called
  /// before. Returns the time after which late() is called. Throws Refusal; then `respond` is not called.
  virtual std::optional<std::chrono::milliseconds> complete(std::function<void(Response)> respond) = 0;

  /// There was no response in time.
  virtual void late() {}

  /// The client has left after complete(). `respond` may still be called.
  virtual void abandon() {}
};

/// Begins a request. Throws Refusal.
using HttpHandler = std::function<std::unique_ptr<Exchange>(const RequestHead&)>;

}  // namespace p2mpp
