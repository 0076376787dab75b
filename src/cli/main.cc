#include <fcntl.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <initializer_list>
#include <string_view>

#include "cli/support/command.h"

namespace {

/// Opens /dev/null for each of the descriptors 0, 1 and 2 that is closed. Otherwise a file opened later could get such
/// a number and receive output for stdout or stderr. Reading stdin and writing stdout or stderr still fail, as on a
/// closed descriptor. Called first, before any file is opened and any thread is started.
void open_missing_standard_streams() {
  for (const int descriptor : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    if (::fcntl(descriptor, F_GETFD) >= 0 || errno != EBADF) continue;
    // open() returns the lowest free number, which is this one, because those below are in use.
    const int way = descriptor == STDIN_FILENO ? O_WRONLY : O_RDONLY;
    if (::open("/dev/null", way) != descriptor) std::_Exit(EXIT_FAILURE);
  }
}

// Threads have stacks of the same size, in which libraries keep tables.
bool has_small_stack() {
  constexpr rlim_t kLeast = rlim_t{1} << 20;
  rlimit stack{};
  return ::getrlimit(RLIMIT_STACK, &stack) == 0 && stack.rlim_cur < kLeast;
}

}  // namespace

int main(int argc, char** argv) {
  open_missing_standard_streams();
  if (has_small_stack()) {
    constexpr std::string_view kMessage =
        "p2mpp: error: the stack is too small; expected at least 1 MiB (ulimit -s 1024)\n";
    static_cast<void>(::write(STDERR_FILENO, kMessage.data(), kMessage.size()) < 0);
    return EXIT_FAILURE;
  }
  return p2mpp::cli::run(argc, argv);
}
