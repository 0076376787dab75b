#include "server/child_process.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <system_error>
#include <thread>

#include "base/file_descriptor.h"
#include "base/stop_token.h"
#include "base/text.h"
#include "p2mpp/error.h"

namespace p2mpp {
namespace {

constexpr std::chrono::milliseconds kInterval{50};
constexpr std::chrono::seconds kTimeToEnd{15};  ///< for a program that was told to end
constexpr int kNiceness = 10, kCannotRun = 127;
constexpr unsigned kMostDescriptors = 4096;  ///< to close one by one, where the kernel cannot close them together

std::string reason() { return std::generic_category().message(errno); }

// Between fork() and execv(): only what signal handlers may call.
[[noreturn]] void become(const char* program, char* const* arguments, int null, int error_output) {
  ::setpgid(0, 0);
  ::prctl(PR_SET_PDEATHSIG, SIGTERM);
  ::setpriority(PRIO_PROCESS, 0, kNiceness);
  sigset_t none;
  sigemptyset(&none);
  ::sigprocmask(SIG_SETMASK, &none, nullptr);
  for (const int signal : {SIGPIPE, SIGINT, SIGHUP, SIGTERM}) ::signal(signal, SIG_DFL);
  ::dup2(null, STDIN_FILENO);
  ::dup2(null, STDOUT_FILENO);
  ::dup2(error_output, STDERR_FILENO);
  constexpr unsigned kFirst = STDERR_FILENO + 1;
  if (::close_range(kFirst, ~0U, 0) != 0) {
    for (unsigned each = kFirst; each < kMostDescriptors; ++each) ::close(static_cast<int>(each));
  }
  ::execv(program, arguments);
  ::_exit(kCannotRun);
}

// A running child: ended at the latest with this object.
class Child {
 public:
  explicit Child(pid_t process) : process_(process) {}
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;

  ~Child() {
    if (has_ended()) return;
    ::kill(-process_, SIGTERM);
    const auto end = std::chrono::steady_clock::now() + kTimeToEnd;
    while (!has_ended() && std::chrono::steady_clock::now() < end) std::this_thread::sleep_for(kInterval);
    if (!has_ended()) ::kill(-process_, SIGKILL);
    static_cast<void>(wait());
  }

  [[nodiscard]] bool has_ended() {
    has_ended_ = has_ended_ || ::waitpid(process_, &status_, WNOHANG) == process_;
    return has_ended_;
  }

  int wait() {
    while (!has_ended_) has_ended_ = ::waitpid(process_, &status_, 0) == process_ || errno != EINTR;
    return WIFSIGNALED(status_) ? 128 + WTERMSIG(status_) : WEXITSTATUS(status_);
  }

 private:
  const pid_t process_;
  int status_ = 0;
  bool has_ended_ = false;
};

// Cuts bytes into lines.
class Lines {
 public:
  explicit Lines(const std::function<void(std::string_view)>& on_line) : on_line_(on_line) {}

  void add(std::string_view bytes) {
    for (const char byte : bytes) {
      if (byte == '\n') {
        end_line();
      } else if (line_.size() < kMostOfLine) {
        line_ += byte;
      }
    }
  }

  void end_line() {
    if (!line_.empty()) on_line_(std::exchange(line_, {}));
  }

 private:
  const std::function<void(std::string_view)>& on_line_;
  std::string line_;
};

// Passes on what the child writes, until nobody can write any more, or the child has ended and nothing is left.
void pass_on(const FileDescriptor& output, Child& child, Lines& lines) {
  std::array<char, 4096> bytes{};
  while (true) {
    end_if_stopped();
    const bool has_ended = child.has_ended();
    pollfd waiting{output.get(), POLLIN, 0};
    const int ready = ::poll(&waiting, 1, has_ended ? 0 : static_cast<int>(kInterval.count()));
    if (ready < 0 && errno != EINTR) return;
    if (ready <= 0 && has_ended) return;
    if (ready <= 0) continue;
    const ssize_t count = ::read(output.get(), bytes.data(), bytes.size());
    if (count == 0 || (count < 0 && errno != EINTR)) return;
    if (count > 0) lines.add({bytes.data(), static_cast<std::size_t>(count)});
  }
}

}  // namespace

int run_child(const std::filesystem::path& program, const std::vector<std::string>& arguments,
              const std::function<void(std::string_view)>& on_line) {
  std::vector<std::string> texts = {program.string()};
  texts.insert(texts.end(), arguments.begin(), arguments.end());
  std::vector<char*> pointers;
  pointers.reserve(texts.size() + 1);
  for (std::string& each : texts) pointers.push_back(each.data());
  pointers.push_back(nullptr);

  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) throw Error(fmt::format("{}: no pipe: {}", display(program), reason()));
  const FileDescriptor output(ends[0]);
  FileDescriptor input(ends[1]);
  const FileDescriptor null(::open("/dev/null", O_RDWR | O_CLOEXEC));
  const pid_t process = ::fork();
  if (process == 0) become(texts.front().c_str(), pointers.data(), null.get(), input.get());
  if (process < 0) throw Error(fmt::format("{}: cannot be started: {}", display(program), reason()));
  ::setpgid(process, process);  // whoever comes first
  Child child(process);
  input.close();
  Lines lines(on_line);
  pass_on(output, child, lines);
  lines.end_line();
  while (!child.has_ended()) {
    end_if_stopped();
    std::this_thread::sleep_for(kInterval);
  }
  const int code = child.wait();
  if (code == kCannotRun) throw Error(fmt::format("{}: cannot be run", display(program)));
  return code;
}

}  // namespace p2mpp
