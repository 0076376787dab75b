#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <map>
#include <mutex>
#include <string>

namespace p2mpp {

/// Counts of a server since its start. Thread-safe.
class HttpStatistics {
 public:
  std::atomic<std::uint64_t> connections = 0;  ///< open now
  std::atomic<std::uint64_t> connections_total = 0;
  std::atomic<std::uint64_t> connections_refused = 0;    ///< beyond the limit
  std::atomic<std::uint64_t> connections_displaced = 0;  ///< closed while they read a head, to make room for others
  std::atomic<std::uint64_t> connections_timed_out = 0;
  std::atomic<std::uint64_t> clients_gone = 0;    ///< clients that left before their response
  std::atomic<std::uint64_t> bytes_received = 0;  ///< of bodies

  void count_response(unsigned status);
  /// The time of a request for a mesh from its last byte to its answer.
  void add_duration(double seconds);

  /// Lines of Prometheus' text format.
  [[nodiscard]] std::string text() const;

 private:
  static constexpr std::array kBounds = {0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0, 60.0, 120.0, 300.0};  // seconds

  mutable std::mutex mutex_;  // guards the members below
  std::map<unsigned, std::uint64_t> responses_;
  std::array<std::uint64_t, kBounds.size() + 1> durations_{};
  double duration_sum_ = 0;
};

/// The HELP and TYPE lines of a metric.
[[nodiscard]] std::string metric_heading(const std::string& name, const std::string& type, const std::string& help);

/// "name value" lines with their HELP and TYPE.
[[nodiscard]] std::string metric_text(const std::string& name, const std::string& type, const std::string& help,
                                      std::uint64_t value);

}  // namespace p2mpp
