#include "p2mpp/error.h"
#include "server/http_server.h"

// Linked if the build found no Boost. The server is never made: require_http() throws before.
namespace p2mpp {

struct HttpServer::Impl {};

bool is_loopback(const std::string& /*host*/) { return true; }

void require_http() {
  throw Error(
      "this build has no server: Boost was not found when it was configured; install libboost-dev, then configure "
      "and build again");
}

HttpServer::HttpServer(const HttpOptions& /*options*/, HttpHandler /*handler*/, HttpStatistics& /*statistics*/) {
  require_http();
}
HttpServer::~HttpServer() = default;
unsigned short HttpServer::port() const { return 0; }
void HttpServer::run() {}
void HttpServer::stop_accepting() {}
void HttpServer::shut_down(std::chrono::milliseconds /*patience*/) {}

}  // namespace p2mpp
