#include "cli/support/interrupt.h"

#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <string_view>

#include "base/file_descriptor.h"
#include "cli/support/command.h"

namespace p2mpp::cli {
namespace {

std::atomic<bool> orderly = false, interrupted = false;
static_assert(std::atomic<bool>::is_always_lock_free, "used by a signal handler");

void on_signal(int) {
  constexpr std::string_view kStopping = "p2mpp: stopping after the samples in progress; once more ends at once\n";
  constexpr std::string_view kStopped = "p2mpp: stopped by a signal\n";
  const int error = errno;
  const std::string_view line = orderly ? kStopping : kStopped;
  [[maybe_unused]] const ssize_t written = ::write(STDERR_FILENO, line.data(), line.size());
  errno = error;
  interrupted = true;
  if (!orderly) end_between_files(static_cast<int>(ExitCode::kStopped));
}

}  // namespace

InterruptGuard::InterruptGuard() {
  interrupted = false;
  struct sigaction action {};
  action.sa_handler = on_signal;
  // SA_RESTART: a signal must not fail the writing of a file.
  action.sa_flags = SA_RESTART | static_cast<int>(SA_RESETHAND);
  for (std::size_t i = 0; i < kSignals.size(); ++i) {
    sigaction(kSignals[i], nullptr, &before_[i]);
    if (before_[i].sa_handler != SIG_IGN) sigaction(kSignals[i], &action, nullptr);
  }
}

InterruptGuard::~InterruptGuard() {
  for (std::size_t i = 0; i < kSignals.size(); ++i) sigaction(kSignals[i], &before_[i], nullptr);
}

OrderlyEnd::OrderlyEnd() { orderly = true; }

OrderlyEnd::~OrderlyEnd() { orderly = false; }

bool OrderlyEnd::requested() { return interrupted; }

}  // namespace p2mpp::cli
