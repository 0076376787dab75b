#pragma once

#include <csignal>

namespace p2mpp::cli {

/// While it lives, the first SIGINT or SIGTERM asks for an orderly end; the next of its kind ends the program at once,
/// as if it had not been there. One at a time.
class InterruptGuard {
 public:
  InterruptGuard();
  ~InterruptGuard();
  InterruptGuard(const InterruptGuard&) = delete;
  InterruptGuard& operator=(const InterruptGuard&) = delete;

  [[nodiscard]] static bool requested();

 private:
  struct sigaction before_interrupt_ {
  }, before_terminate_{};
};

}  // namespace p2mpp::cli
