#include "pipeline/worker.h"

#include <fmt/format.h>

#include <atomic>
#include <mutex>
#include <nlohmann/json.hpp>
#include <set>
#include <thread>

#include "base/atomic_file.h"
#include "base/bounded_queue.h"
#include "base/first_failure.h"
#include "p2mpp/error.h"
#include "pipeline/inference.h"
#include "pipeline/request_queue.h"
#include "pipeline/sample_result_json.h"

namespace p2mpp {
namespace {

using Json = nlohmann::ordered_json;
using Clock = Ticket::Clock;

// Of its parts, those at one place belong to one request.
struct RequestBatch {
  std::vector<Ticket> tickets;
  std::vector<EvaluationOptions> options;
  std::vector<Job> jobs;
  Clock::time_point begun = {};
};

double milliseconds(Clock::duration duration) { return std::chrono::duration<double, std::milli>(duration).count(); }

Json short_answer(const std::string& id, std::string_view status, std::string_view reason) {
  return {{"id", id.empty() ? Json(nullptr) : Json(id)}, {"status", status}, {"reason", reason}};
}

class Worker {
 public:
  Worker(const WorkerOptions& options, const Reconstructor& reconstructor, Trace& trace, const WorkerChannel& channel)
      : options_(options), reconstructor_(reconstructor), trace_(trace), channel_(channel), waiting_(options.queue) {}

  WorkerStatistics run() {
    {
      const std::jthread accepting([this] { guarded([this] { accept(); }); });
      const std::jthread reading([this] { guarded([this] { read(); }); });
      const std::jthread writing([this] { guarded([this] { write(); }); });
      guarded([this] { compute(); });
      to_write_.close();
    }
    failure_.rethrow();
    return statistics_;
  }

 private:
  // What a stage throws ends all of them; run() throws the first of it again.
  template <typename Stage>
  void guarded(const Stage& stage) {
    failure_.guard(stage, [this] {
      failed_ = true;
      static_cast<void>(waiting_.drain());
      to_compute_.abandon();
      to_write_.abandon();
    });
  }

  void accept() {
    for (std::size_t number = 1; !failed_ && !channel_.stop_requested(); ++number) {
      const std::optional<RequestLine> line = channel_.next_line();
      if (!line) break;
      hear(*line, number);
    }
    if (channel_.stop_requested()) {
      drop(waiting_.drain());
    } else {
      waiting_.close();
    }
  }

  void hear(const RequestLine& line, std::size_t number) {
    nlohmann::json json;
    try {
      if (line.too_long) throw InputError(fmt::format("is longer than {} bytes", kMaxRequestBytes));
      json = parse_request_line(line.text);
      if (json.contains("command")) return command(json);
      accept_request(parse_request(json, number), number);
    } catch (const InputError& error) {
      const std::lock_guard lock(mutex_);
      ++statistics_.refused;
      channel_.answer(short_answer(request_id(json), "refused", fmt::format("line {}: {}", number, error.what())));
    }
  }

  void command(const nlohmann::json& json) {
    if (json.at("command") != "statistics") throw InputError("\"command\": expected \"statistics\"");
    const std::size_t waiting = waiting_.size();
    const std::lock_guard lock(mutex_);
    channel_.answer({{"statistics", statistics_.to_json(waiting)}});
  }

  void accept_request(WorkerRequest request, std::size_t number) {
    if (request.entry && options_.evaluation.images_root.empty()) {
      throw InputError("\"entry\": this worker was started without --images-root");
    }
    if (request.output.empty()) request.output = options_.evaluation.out;
    if (request.output.empty()) throw InputError("\"output\": expected a folder's name, or a worker with --out");
    {
      const std::lock_guard lock(mutex_);
      if (!ids_in_work_.insert(request.id).second) throw InputError("\"id\": is that of a request in work already");
      ++statistics_.accepted;
    }
    const Ticket ticket{number, std::move(request), Clock::now()};
    if (!waiting_.push(ticket)) drop({ticket});
  }

  void drop(const std::vector<Ticket>& tickets) {
    const std::lock_guard lock(mutex_);
    for (const Ticket& ticket : tickets) {
      ++statistics_.dropped;
      ids_in_work_.erase(ticket.request.id);
      channel_.answer(short_answer(ticket.request.id, "dropped", "the worker was told to stop"));
    }
  }

  void read() {
    for (;;) {
      RequestBatch batch;
      batch.tickets = waiting_.pop_batch(options_.evaluation.batch, options_.batch_timeout);
      if (batch.tickets.empty()) break;
      if (channel_.stop_requested()) {
        drop(batch.tickets);
        drop(waiting_.drain());
        break;
      }
      batch.begun = Clock::now();
      for (const Ticket& ticket : batch.tickets) {
        batch.options.push_back(options_of(ticket.request));
        batch.jobs.push_back(open(ticket.request, batch.options.back()));
      }
      if (!to_compute_.push(std::move(batch))) return;
    }
    to_compute_.close();
  }

  [[nodiscard]] EvaluationOptions options_of(const WorkerRequest& request) const {
    EvaluationOptions options = options_.evaluation;
    options.out = request.output;
    if (!request.entry) options.truth_root.clear();
    return options;
  }

  [[nodiscard]] Job open(const WorkerRequest& request, const EvaluationOptions& options) const {
    const Stages stages(options, reconstructor_, trace_);
    if (request.entry) return stages.read(*request.entry);
    ListEntry entry;
    entry.id = request.id;
    entry.line = request.line;
    return stages.read(entry, [&] {
      prepare_output_folder(options.out);
      return read_requested_sample(request);
    });
  }

  // What has been read is computed, whatever is requested: read() drops the rest.
  void compute() {
    Inference inference(reconstructor_, trace_);
    compute_all(
        to_compute_, to_write_, inference, [] { return false; }, [](const auto& work) { work(); });
  }

  void write() {
    while (auto batch = to_write_.pop()) {
      count(batch->jobs.size());
      for (std::size_t i = 0; i < batch->jobs.size(); ++i) {
        const Stages stages(batch->options[i], reconstructor_, trace_);
        stages.write({&batch->jobs[i], 1});
        stages.score(batch->jobs[i]);
        answer(*batch, i);
      }
    }
  }

  void count(std::size_t batch_size) {
    const std::lock_guard lock(mutex_);
    ++statistics_.batches[batch_size];
  }

  void answer(const RequestBatch& batch, std::size_t i) {
    const Ticket& ticket = batch.tickets[i];
    const SampleResult& result = batch.jobs[i].result;
    const double queued_ms = milliseconds(batch.begun - ticket.accepted);
    const double total_ms = milliseconds(Clock::now() - ticket.accepted);
    Json files = Json::array();
    for (const auto& [name, hash] : result.files) files.push_back((batch.options[i].out / name).string());
    Json json = short_answer(ticket.request.id, to_string(result.status), result.reason);
    json["files"] = std::move(files);
    json["milliseconds"] = {{"queued", queued_ms}, {"total", total_ms}};
    json["batch"] = batch.jobs.size();
    json["result"] = to_json(result);
    const std::lock_guard lock(mutex_);
    ++(result.status == SampleStatus::kDone ? statistics_.done : statistics_.failed);
    statistics_.queued_ms.add(queued_ms);
    statistics_.total_ms.add(total_ms);
    ids_in_work_.erase(ticket.request.id);
    channel_.answer(json);
  }

  const WorkerOptions& options_;
  const Reconstructor& reconstructor_;
  Trace& trace_;
  const WorkerChannel& channel_;
  RequestQueue waiting_;
  // The shorter they are, the sooner an urgent request is computed.
  BoundedQueue<RequestBatch> to_compute_{1}, to_write_{1};
  std::atomic<bool> failed_ = false;
  std::mutex mutex_;  // of what follows, and of the answers
  WorkerStatistics statistics_;
  std::set<std::string> ids_in_work_;
  FirstFailure failure_;
};

}  // namespace

WorkerStatistics run_worker(const WorkerOptions& options, const Reconstructor& reconstructor, Trace& trace,
                            const WorkerChannel& channel) {
  return Worker(options, reconstructor, trace, channel).run();
}

}  // namespace p2mpp
