#include <sys/resource.h>
#include <unistd.h>

#include <cstdlib>
#include <string_view>

#include "base/standard_streams.h"
#include "cli/support/program.h"

namespace {

// Threads have stacks of the same size, in which libraries keep tables.
bool has_small_stack() {
  constexpr rlim_t kLeast = rlim_t{1} << 20;
  rlimit stack{};
  return ::getrlimit(RLIMIT_STACK, &stack) == 0 && stack.rlim_cur < kLeast;
}

}  // namespace

int main(int argc, char** argv) {
  p2mpp::open_missing_standard_streams();
  if (has_small_stack()) {
    constexpr std::string_view kMessage =
        "p2mpp: error: the stack is too small; expected at least 1 MiB (ulimit -s 1024)\n";
    static_cast<void>(::write(STDERR_FILENO, kMessage.data(), kMessage.size()) < 0);
    return EXIT_FAILURE;
  }
  return p2mpp::cli::run(argc, argv);
}
