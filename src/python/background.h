#pragma once

#include <nanobind/nanobind.h>

#include <chrono>
#include <functional>
#include <future>
#include <memory>

namespace p2mpp::python {

/// Runs `work`, which must not throw, in a thread of its own that gets no signals. `ask_to_stop` is called from another
/// thread if the interpreter ends before `work` does.
void run_in_background(std::function<void()> work, std::function<void()> ask_to_stop = {});

/// Asks all that run in the background to stop, and waits for them: static objects must outlive them.
void finish_background();

/// Calls wait_for(duration), which waits so long at most, until it returns true. Other threads of Python run meanwhile.
/// A signal is handled within 50 ms: throws KeyboardInterrupt for Ctrl-C. The caller has the interpreter's lock.
template <typename WaitFor>
void wait_interruptibly(const WaitFor& wait_for) {
  while (true) {
    {
      const nanobind::gil_scoped_release released;
      if (wait_for(std::chrono::milliseconds(50))) return;
    }
    if (PyErr_CheckSignals() != 0) throw nanobind::python_error();
  }
}

/// Returns work(), which runs in the background, or throws what it throws. If a signal ends the wait, `work` runs on
/// and its result is dropped: it must own what it reads.
template <typename Work>
auto run_interruptibly(Work work) {
  const auto task = std::make_shared<std::packaged_task<decltype(work())()>>(std::move(work));
  auto result = task->get_future();
  run_in_background([task] { (*task)(); });
  wait_interruptibly([&](auto time) { return result.wait_for(time) == std::future_status::ready; });
  return result.get();
}

}  // namespace p2mpp::python
