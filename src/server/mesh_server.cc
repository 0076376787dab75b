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
      spool_(options.spool, options.spool_bytes),
      options_(with_plain_log(std::move(options))),
      service_(options_.service, reconstructor, trace, stop_requested_, [] {}),
      server_(
          options_.http, [this](const RequestHead& head) { return api_.handle(head); }, statistics_),
      api_(options_.api, spool_, service_, statistics_) {}

// Who reads the log must not learn where results can be fetched.
MeshServerOptions MeshServer::with_plain_log(MeshServerOptions options) const {
  for (auto* log : {&options.service.evaluation.on_warning, &options.http.on_failure}) {
    *log = [this, log = std::move(*log)](const std::string& line) { log(spool_.without_names(line)); };
  }
  return options;
}

WorkerStatistics MeshServer::run() {
  {
    const std::jthread serving([this] { failure_.guard([this] { server_.run(); }, [this] { service_.fail(); }); });
    const std::jthread watching([this] { watch(); });
    failure_.guard([this] { service_.run(); }, [] {});
    finish_tasks();
    server_.shut_down(kPatience);
  }
  failure_.rethrow();
  WorkerStatistics statistics = service_.statistics();
  statistics.dropped += api_.dropped();
  return statistics;
}

void MeshServer::finish_tasks() {
  is_ending_ = true;
  api_.stop();
  if (!stop_requested_()) api_.give_up();  // the service has failed
  api_.finish();
  is_idle_ = true;
}

void MeshServer::watch() {
  while (!is_ending_ && !stop_requested_()) {
    std::this_thread::sleep_for(kWatchInterval);
    api_.forget_old_results();
  }
  api_.stop();
  server_.stop_accepting();
  service_.stop();
  wait_until_idle(options_.grace);
  service_.give_up();
  api_.give_up();
  wait_until_idle(options_.most_overdue);
  if (is_idle_) return;
  spool_.remove();
  options_.on_overdue();
}

void MeshServer::wait_until_idle(std::chrono::milliseconds most) const {
  const auto end = std::chrono::steady_clock::now() + most;
  while (!is_idle_ && std::chrono::steady_clock::now() < end) std::this_thread::sleep_for(kWatchInterval);
}

}  // namespace p2mpp
