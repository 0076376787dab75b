#include "pipeline/worker.h"

#include <fmt/format.h>

#include <atomic>
#include <map>
#include <mutex>
#include <nlohmann/json.hpp>
#include <set>
#include <thread>
#include <utility>

#include "base/atomic_file.h"
#include "base/first_failure.h"
#include "capture/sample_reading.h"
#include "p2mpp/error.h"
#include "pipeline/pipeline.h"
#include "pipeline/pixel_budget.h"
#include "pipeline/request_queue.h"
#include "pipeline/sample_result_json.h"

namespace p2mpp {
namespace {

using Json = nlohmann::ordered_json;
using Clock = Ticket::Clock;

// A request whose sample is in the pipeline.
struct RequestInWork {
  Ticket ticket;
  EvaluationOptions options;
  Clock::time_point begun = {};
};

double milliseconds(Clock::duration duration) { return std::chrono::duration<double, std::milli>(duration).count(); }

Json short_answer(const std::string& id, std::string_view status, std::string_view reason) {
  return {{"id", id.empty() ? Json(nullptr) : Json(id)}, {"status", status}, {"reason", reason}};
}

class Worker {
 public:
  Worker(const WorkerOptions& options, const Reconstructor& reconstructor, Trace& trace, const WorkerChannel& channel)
      : options_(options),
        reconstructor_(reconstructor),
        trace_(trace),
        channel_(channel),
        waiting_(options.queue),
        budget_(options.evaluation.max_pixels) {}

  WorkerStatistics run() {
    const PipelineSteps steps{.read = [this] { return read(); },
                              .write = [this](std::vector<Job> jobs) { write(std::move(jobs)); },
                              .on_failure = [this] { give_up(); },
                              .waiting_batches = 1};  // an urgent request must not wait behind many batches
    {
      const std::jthread accepting([this] { failure_.guard([this] { accept(); }, [this] { give_up(); }); });
      failure_.guard([&] { run_pipeline(steps, {}, reconstructor_, trace_); }, [this] { give_up(); });
    }
    failure_.rethrow();
    return statistics_;
  }

 private:
  // An exception in any thread ends all of them; run() rethrows the first one.
  void give_up() {
    failed_ = true;
    channel_.give_up();
    budget_.close();
    static_cast<void>(waiting_.drain());
  }

  void accept() {
    for (std::size_t number = 1; !failed_ && !channel_.stop_requested(); ++number) {
      const std::optional<RequestLine> line = channel_.next_line();
      if (!line) break;
      handle_line(*line, number);
    }
    if (channel_.stop_requested()) {
      drop(waiting_.drain());
    } else {
      waiting_.close();
    }
  }

  void handle_line(const RequestLine& line, std::size_t number) {
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
      if (!ids_in_work_.insert(request.id).second)
        throw InputError("\"id\": a request with this id is already in progress");
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

  // A batch that has been read is always computed; after a stop, no further one is read.
  std::vector<Job> read() {
    std::vector<Ticket> tickets = std::exchange(carried_, {});
    if (tickets.empty()) tickets = waiting_.pop_batch(options_.evaluation.batch, options_.batch_timeout);
    if (channel_.stop_requested()) {
      drop(tickets);
      drop(waiting_.drain());
      return {};
    }
    const Clock::time_point begun = Clock::now();
    std::vector<Job> jobs;
    for (const Ticket& ticket : tickets) {
      if (!budget_.admit(jobs.empty())) {
        carried_.push_back(ticket);
        continue;
      }
      EvaluationOptions options = options_of(ticket.request);
      jobs.push_back(open(ticket.request, options));
      jobs.back().number = ticket.number;
      budget_.charge(jobs.back());
      const std::lock_guard lock(mutex_);
      in_work_.emplace(ticket.number, RequestInWork{ticket, options, begun});
    }
    return jobs;
  }

  [[nodiscard]] EvaluationOptions options_of(const WorkerRequest& request) const {
    EvaluationOptions options = options_.evaluation;
    options.out = request.output;
    if (!request.entry) options.truth_root.clear();
    if (request.fit) options.fit = *request.fit;
    if (request.fit_steps) options.fit_steps = *request.fit_steps;
    return options;
  }

  /// Reads the request's own initial mesh into the options.
  [[nodiscard]] Job open(const WorkerRequest& request, EvaluationOptions& options) const {
    const Steps steps(options, reconstructor_, trace_);
    if (request.entry) return steps.read(*request.entry);
    ListEntry entry;
    entry.id = request.id;
    entry.line = request.line;
    return steps.read(entry, [&] {
      prepare_output_folder(options.out);
      if (request.initial || request.target_vertices) {
        InitialShape shape = options.start.shape;
        if (request.initial) set_kind(shape, *request.initial);
        if (request.target_vertices) shape.target_vertices = *request.target_vertices;
        options.start = read_starting_mesh(shape, options.meshes);
      }
      return read_requested_sample(request, views_read_for(options.fit, options.start.shape));
    });
  }

  void write(std::vector<Job> jobs) {
    {
      const std::lock_guard lock(mutex_);
      ++statistics_.batches[jobs.size()];
    }
    for (Job& job : jobs) {
      const RequestInWork request = take_request(job.number);
      const Steps steps(request.options, reconstructor_, trace_, fitters_);
      steps.fit({&job, 1});
      steps.write({&job, 1});
      steps.score(job);
      answer(request, job.result, jobs.size());
    }
  }

  RequestInWork take_request(std::size_t number) {
    const std::lock_guard lock(mutex_);
    return std::move(in_work_.extract(number).mapped());
  }

  void answer(const RequestInWork& request, const SampleResult& result, std::size_t batch_size) {
    const Ticket& ticket = request.ticket;
    const double queued_ms = milliseconds(request.begun - ticket.accepted);
    const double total_ms = milliseconds(Clock::now() - ticket.accepted);
    Json files = Json::array();
    for (const auto& [name, hash] : result.files) files.push_back((request.options.out / name).string());
    Json json = short_answer(ticket.request.id, to_string(result.status), result.reason);
    json["files"] = std::move(files);
    json["milliseconds"] = {{"queued", queued_ms}, {"total", total_ms}};
    json["batch"] = batch_size;
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
  PixelBudget budget_;
  std::vector<Ticket> carried_;  // those of a batch that was cut short; of the reading thread
  MaskFitters fitters_;
  std::atomic<bool> failed_ = false;
  std::mutex mutex_;  // guards the members below and the order of answers
  WorkerStatistics statistics_;
  std::set<std::string> ids_in_work_;             // accepted but not answered
  std::map<std::size_t, RequestInWork> in_work_;  // by number
  FirstFailure failure_;
};

}  // namespace

WorkerStatistics run_worker(const WorkerOptions& options, const Reconstructor& reconstructor, Trace& trace,
                            const WorkerChannel& channel) {
  return Worker(options, reconstructor, trace, channel).run();
}

}  // namespace p2mpp
