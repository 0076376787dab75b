#include "requests/request_service.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>

#include "base/atomic_file.h"
#include "base/clock.h"
#include "base/json_text.h"
#include "base/numbers/statistics.h"
#include "pipeline/pipeline.h"
#include "pipeline/sample_result_json.h"
#include "requests/option_request.h"

namespace p2mpp {
namespace {
constexpr std::size_t kKeptValues = 10'000;

}  // namespace

void RecentValues::add(double value) {
  if (values_.size() < kKeptValues) {
    values_.push_back(value);
  } else {
    values_[next_++ % kKeptValues] = value;
  }
}

Json RecentValues::percentiles() const {
  std::vector<double> ascending = values_;
  std::ranges::sort(ascending);
  return {{"count", ascending.size()},
          {"p50", percentile(ascending, 50)},
          {"p95", percentile(ascending, 95)},
          {"p99", percentile(ascending, 99)}};
}

Json WorkerStatistics::to_json(std::size_t waiting) const {
  Json sizes = Json::object();
  for (const auto& [size, count] : batches) sizes[std::to_string(size)] = count;
  return {{"waiting", waiting},
          {"in_work", in_work()},
          {"accepted", accepted},
          {"done", done},
          {"failed", failed},
          {"refused", refused},
          {"dropped", dropped},
          {"expired", expired},
          {"withdrawn", withdrawn},
          {"batches", sizes},
          {"milliseconds", {{"queued", queued_ms.percentiles()}, {"total", total_ms.percentiles()}}}};
}

namespace {
constexpr std::string_view kStopped = "the program was told to stop";
constexpr std::string_view kExpired = "it was not begun before its deadline";
constexpr std::string_view kLate = "it was not finished before its deadline";

double milliseconds(Clock::duration duration) { return std::chrono::duration<double, std::milli>(duration).count(); }

bool has_disk_error(const Job& job) {
  try {
    rethrow_disk_error({&job, 1});
    return false;
  } catch (const DiskError&) {
    return true;
  }
}

}  // namespace

Json to_json(const RequestAnswer& answer) {
  Json json = {{"id", answer.id.empty() ? Json(nullptr) : Json(answer.id)},
               {"status", answer.status},
               {"reason", answer.reason}};
  if (!answer.computed) return json;
  json["files"] = Json::array();
  for (const auto& [name, hash] : answer.computed->result.files) {
    json["files"].push_back((answer.computed->out / name).string());
  }
  json["milliseconds"] = {{"queued", answer.computed->queued_ms}, {"total", answer.computed->total_ms}};
  json["batch"] = answer.computed->batch;
  json["result"] = to_json(answer.computed->result);
  return json;
}

RequestService::RequestService(const ServiceOptions& options, Reconstructor& reconstructor, Trace& trace,
                               std::function<bool()> stop_requested, std::function<void()> on_failure)
    : options_(options),
      reconstructor_(reconstructor),
      trace_(trace),
      stop_requested_(std::move(stop_requested)),
      on_failure_(std::move(on_failure)),
      waiting_(options.queue, {.heavy = static_cast<std::size_t>(std::max(1, options.threads / 2)),
                               .of_client = kMostBatchesOfClient * options.evaluation.batch}),
      budget_(options.evaluation.reading.max_pixels) {}

void RequestService::run() {
  const PipelineSteps steps{.read = [this] { return read(); },
                            .write = [this](std::vector<Job> jobs) { write(std::move(jobs)); },
                            .on_failure = [this] { fail(); },
                            .waiting_batches = 1};  // an urgent request must not wait behind many batches
  const StepThreads threads{.read = options_.threads, .write = options_.threads};
  failure_.guard([&] { run_pipeline(steps, threads, reconstructor_, trace_); }, [this] { fail(); });
  failure_.rethrow();
}

// No later request could be written either: those that have not begun are dropped.
void RequestService::end_on_full_disk(std::span<const Job> jobs) {
  const auto check = [&] { rethrow_disk_error(jobs); };
  failure_.guard(check, [this] {
    on_failure_();
    stop();
  });
}

void RequestService::fail() {
  failed_ = true;
  on_failure_();
  budget_.close();
  static_cast<void>(waiting_.drain());
}

void RequestService::stop() { decline(waiting_.drain(), "dropped", kStopped); }

void RequestService::give_up() {
  stop();
  std::vector<OpenRequest> begun;
  {
    const std::lock_guard lock(mutex_);
    for (const auto& [number, request] : open_) begun.push_back(request);
  }
  for (const OpenRequest& request : begun) decline(*request, "dropped", kStopped);
}

void RequestService::count_refused() {
  const std::lock_guard lock(mutex_);
  ++statistics_.refused;
}

WorkerStatistics RequestService::statistics() const {
  const std::lock_guard lock(mutex_);
  return statistics_;
}

Ticket RequestService::enter(WorkerRequest request, OnAnswer on_answer) {
  const std::lock_guard lock(mutex_);
  ++statistics_.accepted;
  const std::size_t number = next_number_++;
  Ticket ticket{number, std::move(request), Clock::now()};
  open_.emplace(number, std::make_shared<Open>(Open{ticket, std::move(on_answer)}));
  return ticket;
}

// Null if it is over.
RequestService::OpenRequest RequestService::find(std::size_t number) const {
  const std::lock_guard lock(mutex_);
  const auto found = open_.find(number);
  return found == open_.end() ? nullptr : found->second;
}

// Whether the caller is the one to answer.
bool RequestService::claim_answer(Open& request) {
  const std::lock_guard lock(mutex_);
  return !std::exchange(request.is_answered, true);
}

// No step has it any more.
void RequestService::forget(const Open& request) {
  const std::lock_guard lock(mutex_);
  open_.erase(request.ticket.number);
}

void RequestService::accept(WorkerRequest request, OnAnswer on_answer) {
  const Ticket ticket = enter(std::move(request), std::move(on_answer));
  if (!waiting_.push(ticket)) decline({ticket}, "dropped", kStopped);
}

std::optional<std::size_t> RequestService::try_accept(WorkerRequest request, OnAnswer on_answer) {
  Ticket ticket = enter(std::move(request), std::move(on_answer));
  const std::size_t number = ticket.number;
  if (waiting_.try_push(std::move(ticket))) return number;
  const std::lock_guard lock(mutex_);
  open_.erase(number);
  --statistics_.accepted;
  return std::nullopt;
}

void RequestService::withdraw(std::size_t number) {
  const OpenRequest request = find(number);
  if (!request || !claim_answer(*request)) return;
  request->stop.request_stop();
  if (waiting_.remove(number)) forget(*request);
  const std::lock_guard lock(mutex_);
  ++statistics_.withdrawn;
}

void RequestService::expire(std::size_t number) {
  const OpenRequest request = find(number);
  if (!request || !is_expired(request->ticket, Clock::now())) return;
  const bool was_begun = !waiting_.remove(number);
  decline(*request, "expired", was_begun ? kLate : kExpired);
  if (!was_begun) forget(*request);
}

// A request that was begun is given up.
void RequestService::decline(Open& request, std::string_view status, std::string_view reason) {
  request.stop.request_stop();
  if (!claim_answer(request)) return;
  {
    const std::lock_guard lock(mutex_);
    ++(status == "expired" ? statistics_.expired : statistics_.dropped);
  }
  request.on_answer({.id = request.ticket.request.id, .status = status, .reason = std::string(reason)});
}

// They are not in the hands of a step.
void RequestService::decline(const std::vector<Ticket>& tickets, std::string_view status, std::string_view reason) {
  for (const Ticket& ticket : tickets) {
    const OpenRequest request = find(ticket.number);
    decline(*request, status, reason);
    forget(*request);
  }
}

// The next ones whose deadline has not passed; none at the end.
std::vector<Ticket> RequestService::next_tickets() {
  std::vector<Ticket> tickets;
  {
    const std::lock_guard lock(mutex_);
    tickets = std::exchange(carried_, {});
  }
  while (true) {
    if (tickets.empty()) tickets = waiting_.pop_batch(options_.evaluation.batch, options_.batch_timeout);
    if (tickets.empty()) return {};
    const auto release = [this](const Ticket& ticket) { waiting_.release(ticket.request); };
    if (stop_requested_()) {
      std::ranges::for_each(tickets, release);
      decline(tickets, "dropped", kStopped);
      stop();
      return {};
    }
    std::vector<Ticket> late;
    std::erase_if(tickets, [&](const Ticket& ticket) {
      const bool expired = is_expired(ticket, Clock::now());
      if (expired) late.push_back(ticket);
      return expired;
    });
    std::ranges::for_each(late, release);
    decline(late, "expired", kExpired);
    if (!tickets.empty()) return tickets;
  }
}

// A batch that has been read is always computed. After a stop, no further batch is read.
std::vector<Job> RequestService::read() {
  std::vector<Job> jobs;
  for (const Ticket& ticket : next_tickets()) {
    if (budget_.admit(jobs.empty())) {
      jobs.push_back(begin(ticket));
      continue;
    }
    const std::lock_guard lock(mutex_);
    carried_.push_back(ticket);
  }
  return jobs;
}

Job RequestService::begin(const Ticket& ticket) {
  const OpenRequest request = find(ticket.number);
  request->begun = Clock::now();
  request->options = resolve_options(*request);
  Job job;
  run_beside_others(ticket.request, [&] { job = open(ticket.request, request->options); });
  job.number = ticket.number;
  charge(budget_, job);
  return job;
}

PipelineOptions RequestService::resolve_options(const Open& request) const {
  const WorkerRequest& asked = request.ticket.request;
  PipelineOptions options = options_.evaluation;
  options.out = asked.output;
  options.readable = asked.readable;
  if (!asked.entry) options.truth_root.clear();
  set_requested(asked.options, options.run);
  const std::optional<Clock::time_point> end =
      asked.deadline ? std::optional(request.ticket.accepted + *asked.deadline) : std::nullopt;
  options.stop = std::make_shared<StopQuestion>(
      [token = request.stop.get_token(), end] { return token.stop_requested() || (end && Clock::now() > *end); });
  return options;
}

/// Reads the request's own initial mesh into the options.
Job RequestService::open(const WorkerRequest& request, PipelineOptions& options) const {
  const Steps steps(options, reconstructor_, trace_);
  if (request.entry) return steps.read(*request.entry);
  ListEntry entry;
  entry.id = request.id;
  entry.line = request.line;
  return steps.read(entry, [&]() -> OpenedSample {
    prepare_output_folder(options.out);
    if (options.run.initial != options_.evaluation.run.initial) options.start = read_initial_mesh(options.run);
    return open_requested_sample(request, to_reading_options(options));
  });
}

void RequestService::write(std::vector<Job> jobs) {
  {
    const std::lock_guard lock(mutex_);
    ++statistics_.batches[jobs.size()];
  }
  for_each_task(jobs.size(), options_.threads, [&](std::size_t i) { write(jobs[i], jobs.size()); });
  if (options_.ends_on_full_disk) end_on_full_disk(jobs);
}

void RequestService::write(Job& job, std::size_t batch_size) {
  const OpenRequest request = find(job.number);
  run_beside_others(request->ticket.request, [&] { make_files(job, request->options); });
  waiting_.release(request->ticket.request);
  if (job.is_stopped) {
    decline(*request, "expired", kLate);  // unless it was given up for another reason, and answered
  } else {
    answer(*request, job, batch_size);
  }
  forget(*request);
}

void RequestService::make_files(Job& job, const PipelineOptions& options) {
  const Steps steps(options, reconstructor_, trace_, fitters_);
  steps.make_meshes({&job, 1});
  steps.write({&job, 1});
  steps.score(job);
  if (options_.after_write && !job.result.failed()) {
    run_step(job, SampleStatus::kFailed, [&] { options_.after_write(job, options.out); });
  }
}

void RequestService::answer(Open& request, const Job& job, std::size_t batch_size) {
  if (!claim_answer(request)) return;
  const SampleResult& result = job.result;
  const double queued_ms = milliseconds(request.begun - request.ticket.accepted);
  const double total_ms = milliseconds(Clock::now() - request.ticket.accepted);
  {
    const std::lock_guard lock(mutex_);
    ++(result.status == SampleStatus::kDone ? statistics_.done : statistics_.failed);
    if (result.not_its_input) ++statistics_.failed_otherwise;
    statistics_.queued_ms.add(queued_ms);
    statistics_.total_ms.add(total_ms);
  }
  request.on_answer({.id = request.ticket.request.id,
                     .status = to_string(result.status),
                     .reason = result.reason,
                     .computed = RequestAnswer::Computed{request.options.out, queued_ms, total_ms, batch_size, result,
                                                         has_disk_error(job)}});
}

}  // namespace p2mpp
