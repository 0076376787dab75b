#pragma once

#include <array>
#include <csignal>

namespace p2mpp::cli {

/// While this object exists, SIGINT, SIGTERM and SIGHUP write a line to stderr and end the program with
/// ExitCode::kStopped. A file that is being written is finished first. A signal that was ignored stays ignored, so
/// `nohup` works. Only one object may exist at a time.
class InterruptGuard {
 public:
  InterruptGuard();
  ~InterruptGuard();
  InterruptGuard(const InterruptGuard&) = delete;
  InterruptGuard& operator=(const InterruptGuard&) = delete;

 private:
  static constexpr std::array kSignals = {SIGINT, SIGTERM, SIGHUP};
  std::array<struct sigaction, kSignals.size()> before_{};
};

/// While it exists, the first of these signals only requests an end: the command finishes what it has begun. A second
/// signal of the same kind ends the program at once, by the default action. Only one object may exist at a time.
class OrderlyEnd {
 public:
  OrderlyEnd();
  ~OrderlyEnd();
  OrderlyEnd(const OrderlyEnd&) = delete;
  OrderlyEnd& operator=(const OrderlyEnd&) = delete;

  [[nodiscard]] static bool requested();
};

}  // namespace p2mpp::cli
