#include "server/mesh_server.h"

#include <thread>
#include <utility>

namespace p2mpp {
namespace {

constexpr std::chrono::milliseconds kWatchInterval{100};
constexpr std::chrono::seconds kPatience{10};  ///< for clients that read their last answers

}  // namespace

MeshServer::MeshServer(MeshServerOptions options, Reconstructor& reconstructor, Trace& trace,
                       std::function<bool()> stop_requested)
    : stop_requested_(std::move(stop_requested)),
      options_(std::move(options)),
      spool_(options_.spool, options_.spool_bytes),
      service_(options_.service, reconstructor, trace, stop_requested_, [] {}),
      server_(
          options_.http, [this](const RequestHead& head) { return api_.handle(head); }, statistics_),
      api_(options_.api, spool_, service_, statistics_) {}

WorkerStatistics MeshServer::run() {
  {
    const std::jthread serving([this] { failure_.guard([this] { server_.run(); }, [this] { service_.fail(); }); });
    const std::jthread watching([this] { watch(); });
    failure_.guard([this] { service_.run(); }, [] {});
    has_ended_ = true;
    api_.stop();
    server_.shut_down(kPatience);
  }
  failure_.rethrow();
  return service_.statistics();
}

void MeshServer::watch() {
  while (!has_ended_ && !stop_requested_()) {
    std::this_thread::sleep_for(kWatchInterval);
    api_.forget_old_results();
  }
  api_.stop();
  server_.stop_accepting();
  service_.stop();
  const auto end = std::chrono::steady_clock::now() + options_.grace;
  while (!has_ended_ && std::chrono::steady_clock::now() < end) std::this_thread::sleep_for(kWatchInterval);
  service_.give_up();
  api_.give_up();
}

}  // namespace p2mpp
