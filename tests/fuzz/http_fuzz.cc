// What a client may send to a server: heads and bodies of requests, whole, in pieces, one after the other. Whatever it
// is, the server answers the next client.
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <thread>

#include "fuzz/fuzz_target.h"
#include "server/http_client.h"
#include "server/mesh_server.h"
#include "support/fake_engine.h"

namespace {

class Server {
 public:
  Server() : server_(options(), engine_, trace_, [] { return false; }), thread_([this] { server_.run(); }) {
    thread_.detach();
  }

  [[nodiscard]] unsigned short port() const { return server_.port(); }

 private:
  static p2mpp::MeshServerOptions options() {
    p2mpp::MeshServerOptions options;
    options.spool = std::filesystem::temp_directory_path();
    options.spool_bytes = 1'000'000;
    options.api.max_upload = 100'000;
    options.api.root = options.spool / "no-samples";
    options.api.results = 2;
    options.api.photographs.program = "/bin/true";
    options.api.check = [](const p2mpp::Sample&) { return nlohmann::ordered_json::object(); };
    return options;
  }

  p2mpp::FakeEngine engine_;
  p2mpp::Trace trace_;
  p2mpp::MeshServer server_;
  std::thread thread_;
};

[[noreturn]] void fail(const p2mpp::ClientResponse& response) {
  std::fprintf(stderr, "status %u: %s %s\n", response.status, response.head.c_str(), response.body.c_str());
  std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static auto* const server = new Server;  // runs until the process ends
  static unsigned count = 0;
  if (size == 0) return 0;
  {
    p2mpp::HttpClient client(server->port());
    const std::string bytes(reinterpret_cast<const char*>(data + 1), size - 1);
    const std::size_t piece = 1 + 16U * data[0];  // the first byte says in how large pieces it is sent
    for (std::size_t i = 0; i < bytes.size() && client.send(bytes.substr(i, piece)); i += piece) {
    }
    client.end_sending();
    // The client does not know which answers are those to HEAD, and have no body.
    const bool may_be_head = bytes.find("HEAD") != std::string::npos;
    for (p2mpp::ClientResponse response = client.receive(); response.status != 0; response = client.receive()) {
      if (!may_be_head && (response.status < 200 || response.status > 507)) fail(response);
    }
  }
  if (++count % 16 == 0) {
    const p2mpp::ClientResponse health = p2mpp::HttpClient(server->port()).ask(p2mpp::get_request("/v1/health"));
    if (health.status != 200) fail(health);
  }
  return 0;
}
