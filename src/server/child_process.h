#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace p2mpp {

/// What each process of a program may use.
struct ChildLimits {
  std::uint64_t memory = std::uint64_t{8} << 30;     ///< bytes that it may write to and shares with no other process
  std::chrono::seconds processor_time{4 * 60 * 60};  ///< beyond, SIGXCPU ends it
  std::uint64_t file = std::uint64_t{1} << 30;       ///< largest size of a file that it writes, in bytes
};

struct ChildProgram {
  std::filesystem::path program;
  std::vector<std::string> arguments;
  std::filesystem::path folder;  ///< its working folder, also for temporary files
  ChildLimits limits;
};

/// Runs a program to its end, at a lower priority and without stdin and stdout. Returns its exit code; 128 and the
/// signal's number if one ended it. It inherits no file of this process but its stderr, whose lines `on_line` gets as
/// they come, without their ends; of a line of more than kMostOfLine bytes, the words before. `watch` is called about
/// twice a second.
///
/// If the thread's work is given up (base/thread_scopes.h) or a function throws, the program's process group gets
/// SIGTERM, and after kTimeToEnd SIGKILL. What is left of the group when the program has ended gets SIGKILL, and so
/// does the whole group if this process dies. Throws Stopped, and Error if the program cannot be started.
int run_child(const ChildProgram& child, const std::function<void(std::string_view)>& on_line,
              const std::function<void()>& watch);

inline constexpr std::size_t kMostOfLine = 4096;  ///< bytes
inline constexpr std::chrono::seconds kTimeToEnd{2};

}  // namespace p2mpp
