#pragma once

#include <functional>
#include <string>
#include <vector>

// Checks of a device that may hang, crash, or leave the device in a state in which nothing works any more. They run in
// a child process, which is ended and started again where that has happened: so each failure has a name, and hides
// none of the others.

namespace p2mpp::probe {

struct CheckResult {
  enum class State { kPassed, kFailed, kSkipped };
  State state;
  std::string text;
};

inline CheckResult passed(std::string text) { return {CheckResult::State::kPassed, std::move(text)}; }
inline CheckResult failed(std::string text) { return {CheckResult::State::kFailed, std::move(text)}; }
inline CheckResult skipped(std::string text) { return {CheckResult::State::kSkipped, std::move(text)}; }
inline CheckResult exact(int wrong, int of) {
  return {wrong == 0 ? CheckResult::State::kPassed : CheckResult::State::kFailed,
          std::to_string(wrong) + " of " + std::to_string(of) + " wrong"};
}

template <class Device>
struct Check {
  std::string name;
  std::function<CheckResult(Device&)> run;
  bool only_hopper = false;
};

struct Guard {
  double start_seconds;  ///< a child may take until its first check begins
  double check_seconds;  ///< a check may take
};

/// A child's work for one check, by its index; `start` comes before a child's first.
struct GuardedWork {
  std::vector<std::string> names;
  std::function<void()> start;
  std::function<CheckResult(std::size_t)> run;
};

/// Runs all checks and prints a line for each on `print`. A check that throws or dies has failed, and one that takes
/// too long hangs; the next one then begins in a new child. A `start` that fails ends it. Returns whether none failed.
/// Call it before anything touches the device: children are forks.
bool run_guarded(const GuardedWork& work, const Guard& guard, const std::function<void(const std::string&)>& print);

}  // namespace p2mpp::probe
