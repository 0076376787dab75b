#pragma once

#include <array>
#include <csignal>

namespace p2mpp::cli {

/// While it exists, the first SIGINT, SIGTERM or SIGHUP writes a line to stderr and requests an orderly end; the second
/// signal of the same kind ends the program at once, by the default action. A signal that was ignored stays ignored, so
/// `nohup` works. Only one object may exist at a time.
class InterruptGuard {
 public:
  InterruptGuard();
  ~InterruptGuard();
  InterruptGuard(const InterruptGuard&) = delete;
  InterruptGuard& operator=(const InterruptGuard&) = delete;

  [[nodiscard]] static bool requested();

 private:
  static constexpr std::array kSignals = {SIGINT, SIGTERM, SIGHUP};
  std::array<struct sigaction, kSignals.size()> before_{};
};

}  // namespace p2mpp::cli
