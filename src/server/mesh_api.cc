#include "server/mesh_api.h"

#include <arpa/inet.h>
#include <fmt/format.h>
#include <netinet/in.h>

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>

#include "base/environment.h"
#include "base/input_file.h"
#include "base/json_text.h"
#include "base/text.h"
#include "p2mpp/error.h"
#include "server/sample_exchange.h"

namespace p2mpp {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kMeshes = "/v1/meshes", kCheck = "/v1/check", kPhotographs = "/v1/photographs";

// Of "/v1/photographs/KEY": KEY. Empty for "/v1/photographs", nothing for any other path.
std::optional<std::string> key_of_photographs(std::string_view path) {
  if (path == kPhotographs) return "";
  if (!path.starts_with(kPhotographs) || path[kPhotographs.size()] != '/') return std::nullopt;
  return std::string(path.substr(kPhotographs.size() + 1));
}

// An answer that is available at once.
class ReadyExchange : public Exchange {
 public:
  explicit ReadyExchange(Response response) : response_(std::move(response)) {}
  std::optional<std::chrono::milliseconds> complete(std::function<void(Response)> respond) override {
    respond(std::move(response_));
    return std::nullopt;
  }

 private:
  Response response_;
};

std::unique_ptr<Exchange> ready(Response response) { return std::make_unique<ReadyExchange>(std::move(response)); }

// Takes as long for a wrong token as for the right one.
bool same_secret(std::string_view a, std::string_view b) {
  unsigned difference = a.size() == b.size() ? 0 : 1;
  for (std::size_t i = 0; i < a.size() && !b.empty(); ++i) {
    difference |= static_cast<unsigned char>(a[i]) ^ static_cast<unsigned char>(b[i % b.size()]);
  }
  return difference == 0;
}

// "localhost" of "localhost:8080", "[::1]" of "[::1]:8080".
std::string_view without_port(std::string_view host) {
  const std::size_t end = host.starts_with('[') ? host.find(']') : host.find(':');
  if (end == std::string_view::npos) return host;
  return host.substr(0, host.starts_with('[') ? end + 1 : end);
}

// A page of another origin can give a name an address of this machine, but it cannot do so to an address.
bool is_this_machine(std::string_view host) {
  const std::string name = lower_case(without_port(host));
  in_addr address{};
  if (::inet_pton(AF_INET, name.c_str(), &address) == 1) return (ntohl(address.s_addr) >> 24) == IN_LOOPBACKNET;
  return name == "localhost" || name == "[::1]";
}

// The page runs its own scripts, in the frame of the viewer too, and talks to nobody else.
constexpr const char* kPagePolicy =
    "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; img-src data: blob:; connect-src "
    "'self' "
    "blob:; frame-src blob:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

struct ResultFile {
  std::string_view name, type;
};
constexpr std::array kResultFiles = {ResultFile{"mesh.glb", "model/gltf-binary"},
                                     ResultFile{"mesh.obj", "model/obj"},
                                     ResultFile{"mesh.ply", "application/octet-stream"},
                                     ResultFile{"mesh.stl", "model/stl"},
                                     ResultFile{"mesh.3mf", "model/3mf"},
                                     ResultFile{"mesh.usdz", "model/vnd.usdz+zip"},
                                     ResultFile{"mesh.xyz", "text/plain"},
                                     ResultFile{"view.html", "text/html; charset=utf-8"},
                                     ResultFile{"mesh_view.html", "text/html; charset=utf-8"},
                                     ResultFile{"report.html", "text/html; charset=utf-8"},
                                     ResultFile{"masks.jpg", "image/jpeg"},
                                     ResultFile{"photographs.jpg", "image/jpeg"}};

}  // namespace

MeshApi::MeshApi(const ApiOptions& options, Spool& spool, RequestService& service, HttpStatistics& statistics)
    : options_(options),
      spool_(spool),
      service_(service),
      statistics_(statistics),
      results_(options.results, options.result_age),
      checks_(options.queue, options.check_threads),
      photographs_(options.queue, 1) {}

void MeshApi::stop() {
  is_stopping_ = true;
  checks_.stop();
  photographs_.stop();
}

void MeshApi::give_up() {
  checks_.give_up();
  photographs_.give_up();
}

void MeshApi::finish() {
  checks_.finish();
  photographs_.finish();
}

std::unique_ptr<Exchange> MeshApi::handle(const RequestHead& head) {
  check_client(head);
  const std::optional<std::string> key = key_of_photographs(head.path);
  if (key && !key->empty() && (head.method == "GET" || head.method == "HEAD")) {
    check_token(head);
    return ready(progress(*key));
  }
  const bool takes_samples = head.path == kMeshes || head.path == kCheck || key;
  const bool has_method = takes_samples ? head.method == "POST" : head.method == "GET" || head.method == "HEAD";
  if (!has_method) {
    throw Refusal(http_status::kWrongMethod,
                  fmt::format("{}: expected {}", printable(head.method, 20), takes_samples ? "POST" : "GET"),
                  takes_samples ? "POST" : "GET, HEAD");
  }
  if (!takes_samples) return handle_get(head);
  check_token(head);
  if (is_stopping_ || service_.has_failed()) throw Refusal(http_status::kUnavailable, "the server is stopping");
  if (head.path == kCheck) return check_exchange(*this, head);
  if (key) return photographs_exchange(*this, head, *key);
  return mesh_exchange(*this, head);
}

std::unique_ptr<Exchange> MeshApi::handle_get(const RequestHead& head) {
  if (head.path == "/") {
    return ready({.type = "text/html; charset=utf-8",
                  .body = options_.page,
                  .headers = {{"Content-Security-Policy", kPagePolicy}}});
  }
  if (head.path == "/v1/health") return ready(health());
  check_token(head);
  if (head.path == "/metrics") return ready(metrics());
  const std::string prefix = fmt::format("{}/", kMeshes);
  if (head.path.starts_with(prefix)) return ready(result_file(std::string_view(head.path).substr(prefix.size())));
  throw Refusal(http_status::kNotFound, fmt::format("{}: no such path; expected /, /v1/health, /metrics, {}, {} or {}",
                                                    printable(head.path, 60), kMeshes, kCheck, kPhotographs));
}

// Without a token, only programs of this machine and the server's own page may ask. A page of another origin in a
// browser on this machine must not, under any name of this server.
void MeshApi::check_client(const RequestHead& head) const {
  if (head.host.empty()) throw Refusal(http_status::kBadRequest, "Host: is missing");
  if (options_.token.empty() && !is_this_machine(head.host)) {
    throw Refusal(http_status::kForbidden,
                  fmt::format("Host: is '{}'; expected localhost, an address such as 127.0.0.1 or [::1], or a server "
                              "with a token",
                              printable(head.host, 60)));
  }
  if (head.origin.empty()) return;
  const std::size_t scheme = head.origin.find("://");
  if (scheme != std::string::npos && std::string_view(head.origin).substr(scheme + 3) == head.host) return;
  throw Refusal(http_status::kForbidden,
                fmt::format("Origin: is '{}'; expected this server's own page", printable(head.origin, 60)));
}

void MeshApi::check_token(const RequestHead& head) const {
  if (options_.token.empty() || same_secret(head.authorization, "Bearer " + options_.token)) return;
  throw Refusal(http_status::kUnauthorized, "Authorization: expected 'Bearer' and the server's token");
}

Response MeshApi::health() const {
  const bool is_well = !is_stopping_ && !service_.has_failed();
  const WorkerStatistics statistics = service_.statistics();
  const Json json = {{"status", is_well ? "ok" : "stopping"},
                     {"version", p2mpp_version()},
                     {"waiting", service_.waiting()},
                     {"in_work", statistics.in_work()}};
  return {.status = is_well ? 200U : http_status::kUnavailable, .body = json_line(json)};
}

Response MeshApi::metrics() const {
  const WorkerStatistics statistics = service_.statistics();
  std::string text = metric_heading("p2mpp_requests_total", "counter", "Requests for meshes by what became of them.");
  const std::array<std::pair<const char*, std::size_t>, 6> counts = {{{"done", statistics.done},
                                                                      {"failed", statistics.failed},
                                                                      {"refused", statistics.refused},
                                                                      {"dropped", statistics.dropped},
                                                                      {"expired", statistics.expired},
                                                                      {"withdrawn", statistics.withdrawn}}};
  for (const auto& [status, count] : counts) {
    text += fmt::format("p2mpp_requests_total{{status=\"{}\"}} {}\n", status, count);
  }
  text += metric_heading("p2mpp_batches_total", "counter", "Batches by their number of samples.");
  for (const auto& [size, count] : statistics.batches) {
    text += fmt::format("p2mpp_batches_total{{size=\"{}\"}} {}\n", size, count);
  }
  text += metric_text("p2mpp_waiting", "gauge", "Requests in the queue.", service_.waiting());
  text += metric_text("p2mpp_in_work", "gauge", "Requests that are accepted and not answered.", statistics.in_work());
  text += metric_text("p2mpp_results", "gauge", "Results that are kept.", results_.size());
  text += metric_text("p2mpp_spool_bytes", "gauge", "Bytes of uploads and results on the disk.", spool_.bytes());
  return {.type = "text/plain; version=0.0.4", .body = text + statistics_.text()};
}

Response MeshApi::result_file(std::string_view name_and_file) {
  const std::size_t slash = std::min(name_and_file.find('/'), name_and_file.size());
  const std::string_view file = name_and_file.substr(std::min(slash + 1, name_and_file.size()));
  const auto found = std::ranges::find(kResultFiles, file, &ResultFile::name);
  const std::shared_ptr<SpoolFolder> folder = results_.find(std::string(name_and_file.substr(0, slash)));
  if (folder && found != kResultFiles.end()) {
    const fs::path path = folder->output() / found->name;
    if (may_exist(path)) {
      // A page that is opened alone may run its scripts, but does not belong to this server's origin.
      return {.type = std::string(found->type),
              .file = path,
              .headers = {{"Content-Security-Policy", "sandbox allow-scripts allow-downloads"}}};
    }
  }
  throw Refusal(http_status::kNotFound, "no such result; it may be too old");
}

Response MeshApi::progress(const std::string& key) const {
  if (const std::shared_ptr<Progress> found = progress_.find(key)) return {.body = found->json()};
  throw Refusal(http_status::kNotFound, "no request with this key is open");
}

std::string MeshApi::without_folders(std::string text, const fs::path& sample) const {
  return without_folder(spool_.without_names(without_folder(std::move(text), sample)), options_.root);
}

void MeshApi::resolve(WorkerRequest& request, const SpoolFolder& folder) const {
  const fs::path root = real_path(options_.root, "the root of samples");
  const fs::path sample = real_path(root / request.sample, "a folder below the root");
  // A link may lead elsewhere.
  if (!is_inside(root, sample)) {
    throw InputError(
        fmt::format("\"sample\": {} leads out of the root; expected a folder below it", display(request.sample)));
  }
  if (request.id.empty()) request.id = sample.filename().string();
  request.sample = sample;
  request.output = folder.output();
}

}  // namespace p2mpp
