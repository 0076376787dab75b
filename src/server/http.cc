#include "server/http.h"

#include <nlohmann/json.hpp>

#include "base/json_text.h"

namespace p2mpp {

Response response_to(const Refusal& refusal) {
  Response response{.status = refusal.status()};
  response.body = json_line(Json{{"status", "refused"}, {"reason", refusal.what()}});
  if (refusal.status() == http_status::kUnauthorized) response.headers.emplace_back("WWW-Authenticate", "Bearer");
  if (refusal.status() == http_status::kTooMany || refusal.status() == http_status::kUnavailable) {
    response.headers.emplace_back("Retry-After", "5");
  }
  if (!refusal.allow().empty()) response.headers.emplace_back("Allow", refusal.allow());
  return response;
}

}  // namespace p2mpp
