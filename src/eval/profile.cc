#include "eval/profile.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <fstream>
#include <nlohmann/json.hpp>

#include "base/clock.h"
#include "base/json_text.h"

namespace p2mpp {
namespace {

constexpr std::size_t kKeptSamples = 1024;
constexpr std::chrono::milliseconds kFirstInterval(20);
constexpr double kBusy = 0.9;  // share of the wall clock time above which a step limits the others

// /proc/self/statm, second number: resident pages (man 5 proc).
std::uint64_t resident_bytes() {
  std::ifstream file("/proc/self/statm");
  std::uint64_t size = 0, resident = 0;
  file >> size >> resident;
  return resident * static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
}

double total_seconds(const Statistics& times) {
  return times.count == 0 ? 0 : times.mean * static_cast<double>(times.count) / 1000;
}

double all_parts_seconds(const EvaluationSummary& summary) {
  double seconds = 0;
  for (const Statistics& part : summary.parts) seconds += total_seconds(part);
  return seconds;
}

// Busy share of the step's threads, from 0 to 1.
double utilisation(const StepUse& step, double wall_seconds) {
  return step.busy_seconds / (step.threads * wall_seconds);
}

std::string percent(double share) { return fmt::format("{:.0f}%", 100 * share); }

// How to make the limiting step faster.
std::string advice(const StepUse& step, const EvaluationSummary& summary) {
  const auto device = std::ranges::find(summary.steps, "device", &StepUse::name);
  if (step.name == "compute" && device != summary.steps.end()) {
    const double share = utilisation(*device, summary.wall_seconds);
    if (share < kBusy) return fmt::format("its device only {} of it; a larger --batch would help", percent(share));
  }
  if (step.name == "compute" || step.name == "device") {
    return "a lower --precision, another --backend or --device, or more machines (--shard) would help";
  }
  return fmt::format("more --{}-threads (now {}) or faster storage would help", step.name, step.threads);
}

}  // namespace

MemorySampler::MemorySampler(std::function<std::uint64_t()> device_bytes)
    : device_bytes_(std::move(device_bytes)), thread_([this] { sample(); }) {}

MemorySampler::~MemorySampler() {
  if (thread_.joinable()) static_cast<void>(finish());
}

std::vector<MemorySample> MemorySampler::finish() {
  {
    const std::lock_guard lock(mutex_);
    is_finished_ = true;
  }
  changed_.notify_all();
  thread_.join();
  return std::move(samples_);
}

void MemorySampler::sample() {
  const Clock::time_point begin = Clock::now();
  std::chrono::milliseconds interval = kFirstInterval;
  std::unique_lock lock(mutex_);
  for (;;) {
    samples_.push_back(
        {std::chrono::duration<double>(Clock::now() - begin).count(), resident_bytes(), device_bytes_()});
    if (is_finished_) return;
    if (samples_.size() == kKeptSamples) {
      // Drop every second sample, and halve the rate from now on.
      for (std::size_t i = 0; i < kKeptSamples / 2; ++i) samples_[i] = samples_[2 * i];
      samples_.resize(kKeptSamples / 2);
      interval *= 2;
    }
    changed_.wait_for(lock, interval, [this] { return is_finished_; });
  }
}

std::string bottleneck(const EvaluationSummary& summary) {
  const auto busy = [&](const StepUse& step) { return utilisation(step, summary.wall_seconds); };
  const auto busiest = std::ranges::max_element(summary.steps, {}, busy);
  if (busiest == summary.steps.end() || summary.reconstructed == summary.earlier) return "Nothing was computed.";
  const std::string what =
      fmt::format("the step \"{}\" was busy {} of the time", busiest->name, percent(busy(*busiest)));
  if (busy(*busiest) < kBusy) {
    return fmt::format(
        "No step limits the others: {}, more than any other; a longer list would give more precise figures.", what);
  }
  return fmt::format("The other steps wait for one: {}; {}.", what, advice(*busiest, summary));
}

TableCells part_table(const EvaluationSummary& summary) {
  TableCells rows = {{"part", "calls", "total s", "median ms", "share"}};
  const double all = all_parts_seconds(summary);
  for (std::size_t i = 0; i < kPartCount; ++i) {
    const Statistics& part = summary.parts[i];
    rows.push_back({std::string(to_string(static_cast<Part>(i))), std::to_string(part.count),
                    fixed_cell(total_seconds(part), 3), fixed_cell(part.median, 2),
                    percent(total_seconds(part) / all)});
  }
  return rows;
}

TableCells step_table(const EvaluationSummary& summary) {
  TableCells rows = {{"step", "threads", "busy s", "share of time"}};
  for (const StepUse& step : summary.steps) {
    rows.push_back({std::string(step.name), std::to_string(step.threads), fixed_cell(step.busy_seconds, 3),
                    percent(utilisation(step, summary.wall_seconds))});
  }
  return rows;
}

std::string memory_text(const std::vector<MemorySample>& memory) {
  const auto line = [&](std::string_view what, std::uint64_t MemorySample::*bytes) {
    constexpr double kMebibyte = 1 << 20;
    const auto mebibytes = [&](const MemorySample& sample) { return static_cast<double>(sample.*bytes) / kMebibyte; };
    const MemorySample& peak = *std::ranges::max_element(memory, {}, bytes);
    if (peak.*bytes == 0) return std::string();
    return fmt::format("{} memory: {:.0f} MiB at the start, {:.0f} MiB at the end, peak {:.0f} MiB after {:.1f} s\n",
                       what, mebibytes(memory.front()), mebibytes(memory.back()), mebibytes(peak), peak.seconds);
  };
  return line("resident", &MemorySample::resident_bytes) + line("device", &MemorySample::device_bytes);
}

Json profile_document(const EvaluationSummary& summary, const std::vector<MemorySample>& memory) {
  Json parts = Json::array(), steps = Json::array(), resident = Json::array();
  const double all = all_parts_seconds(summary);
  for (std::size_t i = 0; i < kPartCount; ++i) {
    const Statistics& part = summary.parts[i];
    parts.push_back({{"part", to_string(static_cast<Part>(i))},
                     {"calls", part.count},
                     {"total_seconds", total_seconds(part)},
                     {"median_ms", part.median},
                     {"share", total_seconds(part) / all}});
  }
  for (const StepUse& step : summary.steps) {
    steps.push_back({{"stage", step.name},
                     {"threads", step.threads},
                     {"busy_seconds", step.busy_seconds},
                     {"utilisation", utilisation(step, summary.wall_seconds)}});
  }
  Json device = Json::array();
  std::uint64_t device_peak = 0;
  for (const MemorySample& sample : memory) {
    resident.push_back({sample.seconds, sample.resident_bytes});
    device.push_back({sample.seconds, sample.device_bytes});
    device_peak = std::max(device_peak, sample.device_bytes);
  }
  Json document = {{"bottleneck", bottleneck(summary)},
                   {"parts", parts},
                   {"stages", steps},
                   {"resident_bytes_over_seconds", resident}};
  if (device_peak > 0) {
    document["device_bytes_at_most"] = device_peak;
    document["device_bytes_over_seconds"] = device;
  }
  return document;
}

}  // namespace p2mpp
