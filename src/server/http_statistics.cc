#include "server/http_statistics.h"

#include <fmt/format.h>

#include <algorithm>

namespace p2mpp {

std::string metric_heading(const std::string& name, const std::string& type, const std::string& help) {
  return fmt::format("# HELP {} {}\n# TYPE {} {}\n", name, help, name, type);
}

std::string metric_text(const std::string& name, const std::string& type, const std::string& help,
                        std::uint64_t value) {
  return metric_heading(name, type, help) + fmt::format("{} {}\n", name, value);
}

void HttpStatistics::count_response(unsigned status) {
  const std::lock_guard lock(mutex_);
  ++responses_[status];
}

void HttpStatistics::add_duration(double seconds) {
  const std::lock_guard lock(mutex_);
  const auto bucket = std::ranges::lower_bound(kBounds, seconds) - kBounds.begin();
  ++durations_.at(static_cast<std::size_t>(bucket));
  duration_sum_ += seconds;
}

std::string HttpStatistics::text() const {
  std::string text =
      metric_text("p2mpp_connections", "gauge", "Open connections.", connections) +
      metric_text("p2mpp_connections_total", "counter", "Connections since the start.", connections_total) +
      metric_text("p2mpp_connections_refused_total", "counter", "Connections beyond the limit.", connections_refused) +
      metric_text("p2mpp_connections_displaced_total", "counter", "Connections that made room for others.",
                  connections_displaced) +
      metric_text("p2mpp_connections_timed_out_total", "counter", "Connections that were too slow.",
                  connections_timed_out) +
      metric_text("p2mpp_clients_gone_total", "counter", "Clients that left before their response.", clients_gone) +
      metric_text("p2mpp_received_bytes_total", "counter", "Bytes of requests' bodies.", bytes_received);
  const std::lock_guard lock(mutex_);
  text += metric_heading("p2mpp_responses_total", "counter", "Responses by their status.");
  for (const auto& [status, count] : responses_) {
    text += fmt::format("p2mpp_responses_total{{code=\"{}\"}} {}\n", status, count);
  }
  constexpr const char* kDuration = "p2mpp_mesh_seconds";
  text += metric_heading(kDuration, "histogram", "From a request's last byte to its answer.");
  std::uint64_t count = 0;
  for (std::size_t i = 0; i < durations_.size(); ++i) {
    count += durations_[i];
    const std::string bound = i < kBounds.size() ? fmt::format("{}", kBounds[i]) : "+Inf";
    text += fmt::format("{}_bucket{{le=\"{}\"}} {}\n", kDuration, bound, count);
  }
  return text + fmt::format("{}_sum {}\n{}_count {}\n", kDuration, duration_sum_, kDuration, count);
}

}  // namespace p2mpp
