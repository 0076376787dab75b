#include "base/file_descriptor.h"

#include <atomic>

namespace p2mpp {
namespace {

constexpr int kGoOn = -1;
std::atomic<int> open_sections = 0;
std::atomic<int> exit_code = kGoOn;
static_assert(std::atomic<int>::is_always_lock_free, "used by a signal handler");

}  // namespace

Uninterrupted::Uninterrupted() noexcept { ++open_sections; }

// Whichever of the two comes last sees what the other one did.
Uninterrupted::~Uninterrupted() {
  if (--open_sections == 0 && exit_code != kGoOn) ::_exit(exit_code);
}

void end_between_files(int code) noexcept {
  exit_code = code;
  if (open_sections == 0) ::_exit(code);
}

}  // namespace p2mpp
