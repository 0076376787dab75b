#include "backends/cuda/guarded_checks.h"

#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstring>
#include <exception>

#include "base/clock.h"

namespace p2mpp::probe {
namespace {

/// A child's message to its parent; small enough that a pipe takes it as a whole.
struct Message {
  enum class Kind { kBegins, kEnds, kCannotStart };
  Kind kind;
  std::size_t check;
  CheckResult::State state;
  std::array<char, 400> text;
};

void send(int pipe, Message::Kind kind, std::size_t check, const CheckResult& outcome) {
  Message message{};
  message.kind = kind;
  message.check = check;
  message.state = outcome.state;
  std::memcpy(message.text.data(), outcome.text.data(), std::min(outcome.text.size(), message.text.size() - 1));
  if (write(pipe, &message, sizeof message) != static_cast<ssize_t>(sizeof message)) _exit(1);
}

/// In the child. After an exception the device may be in a state that no other check should meet: so it ends.
[[noreturn]] void run_checks(const GuardedWork& work, std::size_t first, int pipe) {
  try {
    work.start();
  } catch (const std::exception& error) {
    send(pipe, Message::Kind::kCannotStart, first, failed(error.what()));
    _exit(1);
  }
  for (std::size_t check = first; check < work.names.size(); ++check) {
    send(pipe, Message::Kind::kBegins, check, passed(""));
    try {
      send(pipe, Message::Kind::kEnds, check, work.run(check));
    } catch (const std::exception& error) {
      send(pipe, Message::Kind::kEnds, check, failed(error.what()));
      _exit(1);
    }
  }
  _exit(0);
}

enum class MessageState { kMessage, kNothing, kEnd };

/// Waits for a message, until a time.
MessageState read_message(int pipe, Clock::time_point until, Message& message) {
  while (true) {
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(until - Clock::now()).count();
    pollfd waiting{pipe, POLLIN, 0};
    const int ready = poll(&waiting, 1, static_cast<int>(std::max<long long>(left, 0)));
    if (ready < 0 && errno == EINTR) continue;
    if (ready <= 0) return MessageState::kNothing;
    return read(pipe, &message, sizeof message) == static_cast<ssize_t>(sizeof message) ? MessageState::kMessage
                                                                                        : MessageState::kEnd;
  }
}

/// Ends the child and says how it had ended. A process that waits within a driver may not end soon; it is left alone
/// then.
std::string end_child(pid_t child) {
  kill(child, SIGKILL);
  const auto until = Clock::now() + std::chrono::seconds(10);
  int status = 0;
  while (waitpid(child, &status, WNOHANG) == 0) {
    if (Clock::now() > until) return "the process cannot be ended";
    usleep(1000);
  }
  if (WIFSIGNALED(status)) return std::string("the process died: ") + strsignal(WTERMSIG(status));
  return "the process ended with exit code " + std::to_string(WEXITSTATUS(status));
}

std::string seconds_text(double seconds) {
  std::string text = std::to_string(seconds);
  return text.substr(0, text.find('.') + 2) + " s";
}

struct Tally {
  std::array<int, 3> count{};
  const GuardedWork& work;
  const std::function<void(const std::string&)>& print;

  void add(std::size_t check, const char* word, const CheckResult& outcome) {
    ++count[static_cast<std::size_t>(outcome.state)];
    std::string name = work.names[check];
    name.resize(std::max<std::size_t>(name.size(), 38), ' ');
    print(name + ' ' + word + ": " + outcome.text);
  }
  void add(std::size_t check, const CheckResult& outcome) {
    constexpr std::array<const char*, 3> kWords = {"ok", "FAILED", "skipped"};
    add(check, kWords[static_cast<std::size_t>(outcome.state)], outcome);
  }
};

Clock::time_point after(double seconds) {
  return Clock::now() + std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(seconds));
}

/// Hears what a child says about the checks from `next` on, until it ends or has to be ended. Returns the next check
/// that another child is to run.
std::size_t listen(int pipe, pid_t child, std::size_t next, const Guard& guard, Tally& tally) {
  enum class Child { kStarts, kRunsACheck, kIsBetweenChecks };
  Child state = Child::kStarts;
  const std::size_t count = tally.work.names.size();
  const auto give_up = [&](const std::string& why) {
    tally.print(why);
    for (; next < count; ++next) tally.add(next, failed("not run"));
  };
  double limit = guard.start_seconds;
  Message message{};
  while (next < count) {
    const MessageState state_of_pipe = read_message(pipe, after(limit), message);
    if (state_of_pipe == MessageState::kMessage && message.kind == Message::Kind::kBegins) {
      state = Child::kRunsACheck;
      limit = guard.check_seconds;
    } else if (state_of_pipe == MessageState::kMessage && message.kind == Message::Kind::kEnds) {
      state = Child::kIsBetweenChecks;
      tally.add(next++, {message.state, message.text.data()});
    } else if (state_of_pipe == MessageState::kMessage) {
      give_up(message.text.data());
    } else if (state_of_pipe == MessageState::kNothing && state == Child::kStarts) {
      give_up("the device cannot be opened: nothing after " + seconds_text(limit));
    } else if (state_of_pipe == MessageState::kNothing) {
      tally.add(next++, "HANGS", failed("nothing after " + seconds_text(limit)));
      break;
    } else if (state == Child::kStarts) {
      give_up("the device cannot be opened: " + end_child(child));
    } else {
      if (state == Child::kRunsACheck) tally.add(next++, failed(end_child(child)));
      break;
    }
  }
  return next;
}

std::size_t run_in_child(const GuardedWork& work, std::size_t first, const Guard& guard, Tally& tally) {
  std::array<int, 2> ends{};
  if (pipe(ends.data()) != 0) {
    tally.add(first, failed(std::string("pipe: ") + std::strerror(errno)));
    return first + 1;
  }
  const pid_t child = fork();
  if (child == 0) {
    close(ends[0]);
    run_checks(work, first, ends[1]);
  }
  close(ends[1]);
  const std::size_t next = listen(ends[0], child, first, guard, tally);
  close(ends[0]);
  end_child(child);
  return next;
}

}  // namespace

bool run_guarded(const GuardedWork& work, const Guard& guard, const std::function<void(const std::string&)>& print) {
  Tally tally{{}, work, print};
  for (std::size_t next = 0; next < work.names.size();) next = run_in_child(work, next, guard, tally);
  print(std::to_string(tally.count[0]) + " passed, " + std::to_string(tally.count[1]) + " failed, " +
        std::to_string(tally.count[2]) + " skipped");
  return tally.count[1] == 0;
}

}  // namespace p2mpp::probe
