#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace p2mpp {

/// Runs a program to its end, at a lower priority and without stdin and stdout. Returns its exit code; 128 and the
/// signal's number if one ended it. It inherits no file of this process but its stderr, whose lines `on_line` gets as
/// they come, without their ends; of a longer line, the first kMostOfLine bytes.
///
/// If the thread's work is given up (base/stop_token.h) or `on_line` throws, the program gets SIGTERM, then SIGKILL
/// after 15 seconds. It also gets SIGTERM if this process dies. Throws Stopped, and Error if the program cannot be
/// started.
int run_child(const std::filesystem::path& program, const std::vector<std::string>& arguments,
              const std::function<void(std::string_view)>& on_line);

inline constexpr std::size_t kMostOfLine = 4096;  ///< bytes

}  // namespace p2mpp
