#pragma once

#include <csignal>

namespace p2mpp::cli {

/// While it exists, the first SIGINT or SIGTERM requests an orderly end; the second signal of the same kind ends the
/// program at once, by the default action. Only one object may exist at a time.
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
