#include "base/thread_scopes.h"

#include <sys/resource.h>
#include <unistd.h>

#include <exception>
#include <thread>

namespace p2mpp {
namespace {

thread_local const StopQuestion* question_of_thread = nullptr;

const std::filesystem::path kEverything;
thread_local const std::filesystem::path* folder_of_thread = &kEverything;

}  // namespace

StopScope::StopScope(const StopQuestion* question) : outer_(question_of_thread) { question_of_thread = question; }

StopScope::~StopScope() { question_of_thread = outer_; }

const StopQuestion* stop_question() { return question_of_thread; }

void end_if_stopped() {
  if (question_of_thread != nullptr && (*question_of_thread)()) throw Stopped();
}

ReadingScope::ReadingScope(const std::filesystem::path& folder) : outer_(folder_of_thread) {
  folder_of_thread = &folder;
}

ReadingScope::~ReadingScope() { folder_of_thread = outer_; }

const std::filesystem::path& reading_folder() { return *folder_of_thread; }

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
