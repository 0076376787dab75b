#include "pipeline/trace.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>

#include "base/atomic_file.h"
#include "base/clock.h"
#include "base/json_text.h"

#ifdef P2MPP_HAS_NVTX
#include <nvtx3/nvToolsExt.h>
#endif

namespace p2mpp {
namespace {
constexpr std::string_view kPartsTrack = "parts";

// The row of a part on the device. Spans in the same row do not overlap.
std::string_view device_track(Part part) {
  if (part == Part::kCopyIn) return "device: copies in";
  if (part == Part::kCopyOut) return "device: copies out";
  return part == Part::kCnn2 ? "device: kernels beside" : "device: kernels";
}

double microseconds(Clock::duration duration) { return std::chrono::duration<double, std::micro>(duration).count(); }

}  // namespace

Trace::Trace(std::filesystem::path file) : file_(std::move(file)), start_(Clock::now()) {
  if (on()) check_output_file(file_);
}

void Trace::add(std::string_view track, std::string_view name, Clock::time_point begin, Clock::time_point end,
                std::string_view detail) {
  if (!on()) return;
  const std::lock_guard lock(mutex_);
  events_.push_back({track_index(track), std::string(name), microseconds(begin - start_), microseconds(end - begin),
                     std::string(detail)});
}

void Trace::add_parts(Clock::time_point begin, const PartTimes& times, std::string_view detail) {
  if (!on()) return;
  const std::lock_guard lock(mutex_);
  double begin_us = microseconds(begin - start_);
  for (std::size_t i = 0; i < kPartCount; ++i) {
    const double duration_us = 1000 * times.milliseconds[i];
    if (duration_us <= 0) continue;
    const auto name = to_string(static_cast<Part>(i));
    events_.push_back({track_index(kPartsTrack), std::string(name), begin_us, duration_us, std::string(detail)});
    begin_us += duration_us;
  }
}

void Trace::add_device_spans(std::span<const DeviceSpan> spans, std::string_view detail) {
  if (!on()) return;
  const std::lock_guard lock(mutex_);
  for (const DeviceSpan& span : spans) {
    events_.push_back({track_index(device_track(span.part)), std::string(to_string(span.part)),
                       microseconds(span.begin - start_), microseconds(span.end - span.begin), std::string(detail),
                       span.kernels});
  }
}

std::size_t Trace::track_index(std::string_view name) {
  const std::thread::id thread = std::this_thread::get_id();
  const auto found =
      std::ranges::find_if(tracks_, [&](const Track& track) { return track.name == name && track.thread == thread; });
  const auto index = static_cast<std::size_t>(found - tracks_.begin());
  if (found == tracks_.end()) tracks_.push_back({std::string(name), thread});
  return index;
}

// The format is Google's "Trace Event Format": complete events ("X") with times in microseconds, and metadata ("M")
// that names each track.
void Trace::write() const {
  if (!on()) return;
  const std::lock_guard lock(mutex_);
  Json events = Json::array();
  std::map<std::string, int> count_of;
  for (std::size_t track = 0; track < tracks_.size(); ++track) {
    const std::string& name = tracks_[track].name;
    const int number = ++count_of[name];
    const Json args = {{"name", number == 1 ? name : fmt::format("{} {}", name, number)}};
    events.push_back({{"name", "thread_name"}, {"ph", "M"}, {"pid", 1}, {"tid", track}, {"args", args}});
  }
  for (const Event& event : events_) {
    Json args = {{"detail", event.detail}};
    if (event.kernels > 0) args["kernels"] = event.kernels;
    events.push_back({{"name", event.name},
                      {"ph", "X"},
                      {"pid", 1},
                      {"tid", event.track},
                      {"ts", event.begin_us},
                      {"dur", event.duration_us},
                      {"args", std::move(args)}});
  }
  const Json document = {{"displayTimeUnit", "ms"}, {"traceEvents", std::move(events)}};
  write_file_atomically(file_, document.dump(-1, ' ', false, Json::error_handler_t::replace));
}

#ifdef P2MPP_HAS_NVTX
ProfilerRange::ProfilerRange(const std::string& name) : id_(nvtxRangeStartA(name.c_str())) {}
ProfilerRange::~ProfilerRange() { nvtxRangeEnd(id_); }
#else
ProfilerRange::ProfilerRange(const std::string& /*name*/) {}
ProfilerRange::~ProfilerRange() = default;
#endif

}  // namespace p2mpp
