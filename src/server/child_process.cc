#include "server/child_process.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <system_error>
#include <thread>
#include <utility>

#include "base/clock.h"
#include "base/file_descriptor.h"
#include "base/text.h"
#include "base/thread_scopes.h"
#include "p2mpp/error.h"

namespace p2mpp {
namespace {

constexpr std::chrono::milliseconds kInterval{50}, kUsageInterval{500};
constexpr int kNiceness = 10, kCannotRun = 127;
constexpr unsigned kMostDescriptors = 4096;  ///< to close one by one, where the kernel cannot close them together

// Ends its process group when its stdin is at its end, which is when this process is gone, however it ended.
constexpr const char* kShell = "/bin/sh";
constexpr const char* kWatcher = "trap '' HUP INT TERM; read -r nothing; kill -KILL 0";

std::string reason() { return std::generic_category().message(errno); }

// Texts as execve() takes them.
class Pointers {
 public:
  explicit Pointers(std::vector<std::string> texts) : texts_(std::move(texts)) {
    for (std::string& each : texts_) pointers_.push_back(each.data());
    pointers_.push_back(nullptr);
  }
  [[nodiscard]] char* const* get() const { return pointers_.data(); }

 private:
  std::vector<std::string> texts_;
  std::vector<char*> pointers_;
};

std::vector<std::string> environment_with(const std::string& name, const std::string& value) {
  std::vector<std::string> variables = {name + "=" + value};
  for (char** each = environ; *each != nullptr; ++each) {
    if (!std::string_view(*each).starts_with(name + "=")) variables.emplace_back(*each);
  }
  return variables;
}

// The functions from here to become_program() run between fork() and execve(): they call only what signal handlers may.

template <typename Resource>
void limit(Resource resource, std::uint64_t most, std::uint64_t more = 0) {
  rlimit now{};
  ::getrlimit(resource, &now);
  now.rlim_max = std::min<rlim_t>(now.rlim_max, most + more);
  now.rlim_cur = std::min<rlim_t>(now.rlim_max, most);
  ::setrlimit(resource, &now);
}

void use_streams(int input, int output, int error_output) {
  ::dup2(input, STDIN_FILENO);
  ::dup2(output, STDOUT_FILENO);
  ::dup2(error_output, STDERR_FILENO);
  constexpr unsigned kFirst = STDERR_FILENO + 1;
  if (::close_range(kFirst, ~0U, 0) == 0) return;
  for (unsigned each = kFirst; each < kMostDescriptors; ++each) ::close(static_cast<int>(each));
}

void use_own_signals() {
  sigset_t none;
  sigemptyset(&none);
  ::sigprocmask(SIG_SETMASK, &none, nullptr);
  for (const int signal : {SIGPIPE, SIGINT, SIGHUP, SIGTERM}) ::signal(signal, SIG_DFL);
}

[[noreturn]] void become_watcher(int lifeline, int null) {
  ::setpgid(0, 0);
  use_own_signals();
  use_streams(lifeline, null, null);
  ::execl(kShell, "sh", "-c", kWatcher, nullptr);
  ::_exit(kCannotRun);
}

struct ChildStart {
  const char *program, *folder;
  char *const *arguments, *const *environment;
  ChildLimits limits;
};

[[noreturn]] void become_program(const ChildStart& start, pid_t group, int null, int error_output) {
  if (::setpgid(0, group) != 0 || ::chdir(start.folder) != 0) ::_exit(kCannotRun);
  ::setpriority(PRIO_PROCESS, 0, kNiceness);
  // Not RLIMIT_AS: numerical libraries reserve much more than they use.
  limit(RLIMIT_DATA, start.limits.memory);
  limit(RLIMIT_CPU, static_cast<std::uint64_t>(start.limits.processor_time.count()), 1);
  limit(RLIMIT_FSIZE, start.limits.file);
  limit(RLIMIT_CORE, 0);
  use_own_signals();
  use_streams(null, null, error_output);
  ::execve(start.program, start.arguments, start.environment);
  ::_exit(kCannotRun);
}

// A process, until it has ended.
class Process {
 public:
  explicit Process(pid_t id) : id_(id) {}
  [[nodiscard]] pid_t id() const { return id_; }

  [[nodiscard]] bool has_ended() {
    has_ended_ = has_ended_ || ::waitpid(id_, &status_, WNOHANG) == id_;
    return has_ended_;
  }

  // 128 and the signal's number if one ended it.
  int wait() {
    while (!has_ended_) has_ended_ = ::waitpid(id_, &status_, 0) == id_ || errno != EINTR;
    return WIFSIGNALED(status_) ? 128 + WTERMSIG(status_) : WEXITSTATUS(status_);
  }

 private:
  pid_t id_;
  int status_ = 0;
  bool has_ended_ = false;
};

// A running program and its watcher, which leads their process group: ended at the latest with this object.
class Child {
 public:
  // Throws Error if one of them cannot be started.
  Child(const ChildStart& start, int error_output) {
    std::array<int, 2> ends{};
    const FileDescriptor null(::open("/dev/null", O_RDWR | O_CLOEXEC));
    if (!null || ::pipe2(ends.data(), O_CLOEXEC) != 0) throw Error(fmt::format("no pipe: {}", reason()));
    const FileDescriptor lifeline(ends[0]);
    lifeline_ = FileDescriptor(ends[1]);
    watcher_ = fork_or_throw();
    if (watcher_.id() == 0) become_watcher(lifeline.get(), null.get());
    ::setpgid(watcher_.id(), watcher_.id());  // whoever comes first
    try {
      program_ = fork_or_throw();
    } catch (const Error&) {
      end_group();
      throw;
    }
    if (program_.id() == 0) become_program(start, watcher_.id(), null.get(), error_output);
    ::setpgid(program_.id(), watcher_.id());
  }
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;

  ~Child() {
    if (!program_.has_ended()) ::kill(-watcher_.id(), SIGTERM);
    const auto end = Clock::now() + kTimeToEnd;
    while (!program_.has_ended() && Clock::now() < end) std::this_thread::sleep_for(kInterval);
    end_group();
    program_.wait();
  }

  // Throws Error if its watcher has ended.
  [[nodiscard]] bool has_ended() {
    if (program_.has_ended()) return true;
    siginfo_t facts{};
    ::waitid(P_PID, static_cast<id_t>(watcher_.id()), &facts, WEXITED | WNOHANG | WNOWAIT);
    if (facts.si_pid == 0) return false;
    throw Error(fmt::format("{}: cannot be run, or was ended; expected a shell", kShell));
  }

  int wait() { return program_.wait(); }

 private:
  static Process fork_or_throw() {
    const pid_t id = ::fork();
    if (id < 0) throw Error(fmt::format("no process can be started: {}", reason()));
    return Process(id);
  }

  // The watcher is not waited for before, so the group's number is not another one's.
  void end_group() {
    ::kill(-watcher_.id(), SIGKILL);
    watcher_.wait();
  }

  FileDescriptor lifeline_;  // its end is the end of this process
  Process watcher_{0}, program_{0};
};

// Cuts bytes into lines.
class Lines {
 public:
  explicit Lines(const std::function<void(std::string_view)>& on_line) : on_line_(on_line) {}

  void add(std::string_view bytes) {
    for (const char byte : bytes) {
      if (byte == '\n') {
        end_line();
      } else if (line_.size() <= kMostOfLine) {
        line_ += byte;
      }
    }
  }

  // No word is cut: half of a path would not be known for one.
  void end_line() {
    if (line_.size() > kMostOfLine) line_.resize(std::min(line_.rfind(' '), kMostOfLine));
    if (!line_.empty()) on_line_(std::exchange(line_, {}));
  }

 private:
  const std::function<void(std::string_view)>& on_line_;
  std::string line_;
};

// Passes on what the child writes, until it has ended and nothing is left.
void pass_on(const FileDescriptor& output, Child& child, const std::function<void()>& watch, Lines& lines) {
  std::array<char, 4096> bytes{};
  Clock::time_point watched = Clock::now();
  for (bool is_open = true;;) {
    end_if_stopped();
    if (Clock::now() - watched >= kUsageInterval) {
      watch();
      watched = Clock::now();
    }
    const bool has_ended = child.has_ended();
    pollfd waiting{is_open ? output.get() : -1, POLLIN, 0};
    const int ready = ::poll(&waiting, 1, has_ended ? 0 : static_cast<int>(kInterval.count()));
    if (ready <= 0 && has_ended) return;
    if (ready <= 0) continue;
    const ssize_t count = ::read(output.get(), bytes.data(), bytes.size());
    if (count == 0 || (count < 0 && errno != EINTR)) is_open = false;
    if (count > 0) lines.add({bytes.data(), static_cast<std::size_t>(count)});
  }
}

}  // namespace

int run_child(const ChildProgram& child, const std::function<void(std::string_view)>& on_line,
              const std::function<void()>& watch) {
  std::vector<std::string> texts = {std::filesystem::absolute(child.program).string()};
  texts.insert(texts.end(), child.arguments.begin(), child.arguments.end());
  const std::string program = texts.front(), folder = std::filesystem::absolute(child.folder).string();
  const Pointers arguments(std::move(texts)), environment(environment_with("TMPDIR", folder));
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) throw Error(fmt::format("no pipe: {}", reason()));
  const FileDescriptor output(ends[0]);
  FileDescriptor input(ends[1]);
  Child running({program.c_str(), folder.c_str(), arguments.get(), environment.get(), child.limits}, input.get());
  input.close();
  Lines lines(on_line);
  pass_on(output, running, watch, lines);
  lines.end_line();
  const int code = running.wait();
  if (code == kCannotRun) throw Error(fmt::format("{}: cannot be run", display(child.program)));
  return code;
}

}  // namespace p2mpp
