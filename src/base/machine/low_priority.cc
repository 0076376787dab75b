#include "base/machine/low_priority.h"

#include <sys/resource.h>
#include <unistd.h>

#include <exception>
#include <thread>

#include "base/reading_scope.h"
#include "base/stop_token.h"

namespace p2mpp {

void run_at_low_priority(const std::function<void()>& work) {
  constexpr int kNiceness = 5;  // a third of the share of a thread with the usual priority
  std::exception_ptr failure;
  std::jthread([&, question = stop_question(), &folder = reading_folder()] {
    const StopScope stop(question);
    const ReadingScope reading(folder);
    const auto thread = static_cast<id_t>(gettid());
    // Where the system refuses, the work has the usual priority.
    static_cast<void>(setpriority(PRIO_PROCESS, thread, getpriority(PRIO_PROCESS, thread) + kNiceness));
    try {
      work();
    } catch (...) {
      failure = std::current_exception();
    }
  }).join();
  if (failure) std::rethrow_exception(failure);
}

}  // namespace p2mpp
