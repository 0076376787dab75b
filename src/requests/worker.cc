#include "requests/worker.h"

#include <fmt/format.h>

#include <mutex>
#include <nlohmann/json.hpp>
#include <set>
#include <thread>

#include "base/json_text.h"
#include "base/parallel.h"
#include "p2mpp/error.h"

namespace p2mpp {
namespace {
class WorkerLoop {
 public:
  WorkerLoop(const ServiceOptions& options, Reconstructor& reconstructor, Trace& trace, const WorkerChannel& channel)
      : options_(options),
        channel_(channel),
        service_(options, reconstructor, trace, channel.stop_requested, channel.give_up) {}

  WorkerStatistics run() {
    {
      const std::jthread accepting([this] { failure_.guard([this] { accept(); }, [this] { service_.fail(); }); });
      failure_.guard([&] { service_.run(); }, [] {});
    }
    failure_.rethrow();
    return service_.statistics();
  }

 private:
  void accept() {
    for (std::size_t number = 1; !service_.has_failed() && !channel_.stop_requested(); ++number) {
      const std::optional<RequestLine> line = channel_.next_line();
      if (!line) break;
      handle_line(*line, number);
    }
    if (channel_.stop_requested()) {
      service_.stop();
    } else {
      service_.close();
    }
  }

  void handle_line(const RequestLine& line, std::size_t number) {
    nlohmann::json json;
    try {
      if (line.too_long) throw InputError(fmt::format("is longer than {} bytes", kMaxRequestBytes));
      json = parse_request_line(line.text);
      if (json.contains("command")) return command(json);
      accept_request(parse_request(json, number));
    } catch (const InputError& error) {
      service_.count_refused();
      answer(to_json(RequestAnswer{
          .id = request_id(json), .status = "refused", .reason = fmt::format("line {}: {}", number, error.what())}));
    }
  }

  void command(const nlohmann::json& json) {
    if (json.at("command") != "statistics") throw InputError("\"command\": expected \"statistics\"");
    const std::size_t waiting = service_.waiting();
    answer({{"statistics", service_.statistics().to_json(waiting)}});
  }

  void accept_request(WorkerRequest request) {
    if (request.entry && options_.evaluation.images_root.empty()) {
      throw InputError("\"entry\": this worker was started without --images-root");
    }
    if (request.output.empty()) request.output = options_.evaluation.out;
    if (request.output.empty()) throw InputError("\"output\": expected a folder's name, or a worker with --out");
    {
      const std::lock_guard lock(mutex_);
      if (!ids_in_work_.insert(request.id).second)
        throw InputError("\"id\": a request with this id is already in progress");
    }
    service_.accept(std::move(request), [this](const RequestAnswer& answered) {
      const Json json = to_json(answered);
      const std::lock_guard lock(mutex_);
      ids_in_work_.erase(answered.id);
      channel_.answer(json);
    });
  }

  void answer(const Json& json) {
    const std::lock_guard lock(mutex_);
    channel_.answer(json);
  }

  const ServiceOptions& options_;
  const WorkerChannel& channel_;
  std::mutex mutex_;                   // guards the member below, and answers come one after the other
  std::set<std::string> ids_in_work_;  // accepted but not answered
  FirstFailure failure_;
  RequestService service_;
};

}  // namespace

WorkerStatistics run_worker(const ServiceOptions& options, Reconstructor& reconstructor, Trace& trace,
                            const WorkerChannel& channel) {
  return WorkerLoop(options, reconstructor, trace, channel).run();
}

}  // namespace p2mpp
