#include "server/child_process.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <csignal>
#include <fstream>
#include <iterator>
#include <random>
#include <thread>

#include "base/thread_scopes.h"
#include "p2mpp/error.h"
#include "support/temporary_folder.h"

namespace p2mpp {
namespace {

namespace fs = std::filesystem;
using std::chrono::milliseconds;

class ChildProcess : public ::testing::Test {
 protected:
  // The program is run by this name, so its processes and those that it starts can be told from others.
  ChildProcess() { fs::create_symlink("/bin/sleep", sleep_); }

  [[nodiscard]] ChildProgram program(const std::string& script) const {
    return {.program = "/bin/sh", .arguments = {"-c", script}, .folder = folder_.path(), .limits = limits_};
  }

  // Its exit code. Its lines are in lines_.
  int run(
      const std::string& script, const std::function<void()>& watch = [] {}) {
    return run_child(
        program(script), [this](std::string_view line) { lines_.emplace_back(line); }, watch);
  }

  // Processes whose command line names the folder.
  [[nodiscard]] int processes() const {
    int count = 0;
    for (const auto& each : fs::directory_iterator("/proc")) {
      try {
        count += read_stream(each.path() / "cmdline").find(folder_.path()) != std::string::npos ? 1 : 0;
      } catch (const fs::filesystem_error&) {  // it has ended
      }
    }
    return count;
  }

  [[nodiscard]] int processes_in_the_end() const {
    for (int i = 0; i < 100 && processes() > 0; ++i) std::this_thread::sleep_for(milliseconds(10));
    return processes();
  }

  // Files of /proc have no size.
  static std::string read_stream(const fs::path& path) {
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
  }

  TemporaryFolder folder_;
  const fs::path sleep_ = folder_.path() / "sleep";
  ChildLimits limits_;
  std::vector<std::string> lines_;
};

TEST_F(ChildProcess, ItsCodeAndItsLines) {
  EXPECT_EQ(run("echo one >&2; echo two; echo three four >&2; exit 3"), 3);
  EXPECT_EQ(lines_, (std::vector<std::string>{"one", "three four"}));
  EXPECT_EQ(run("kill -TERM $$"), 128 + SIGTERM);
  EXPECT_EQ(run("[ \"$PWD $TMPDIR\" = '" + folder_.path().string() + " " + folder_.path().string() + "' ]"), 0);
  ChildProgram missing = program("");
  missing.program = folder_.path() / "missing";
  EXPECT_THROW(run_child(
                   missing, [](std::string_view) {}, [] {}),
               Error);
}

TEST_F(ChildProcess, NoWordOfALongLineIsCut) {
  run("printf '%04000d ' 1 >&2; printf '%0300d\\n' 2 >&2; printf '%05000d\\n' 3 >&2");
  ASSERT_EQ(lines_.size(), 2U);
  EXPECT_EQ(lines_[0], std::string(3999, '0') + "1");
  EXPECT_EQ(lines_[1].size(), kMostOfLine);
}

TEST_F(ChildProcess, ItHasLimits) {
  limits_ = {.memory = 50U << 20, .processor_time = std::chrono::seconds(60), .file = 1U << 20};
  EXPECT_EQ(run("ulimit -c >&2; ulimit -t >&2; ulimit -f >&2"), 0);
  EXPECT_EQ(lines_, (std::vector<std::string>{"0", "60", "2048"}));  // the last in units of 512 bytes
  EXPECT_EQ(run("dd if=/dev/zero of=/dev/null bs=40M count=1"), 0);
  EXPECT_NE(run("dd if=/dev/zero of=/dev/null bs=60M count=1"), 0);
  EXPECT_NE(run("exec dd if=/dev/zero of=large bs=2M count=1"), 0);
  EXPECT_LE(fs::file_size(folder_.path() / "large"), limits_.file);
}

TEST_F(ChildProcess, WhatItHasStartedEndsWithIt) {
  EXPECT_EQ(run(fmt::format("'{}' 100 & exit 0", sleep_.string())), 0);
  EXPECT_EQ(processes_in_the_end(), 0);
  EXPECT_THROW(run(fmt::format("(trap '' TERM; exec '{0}' 100) & exec '{0}' 100", sleep_.string()),
                   [] { throw Error("it writes too much"); }),
               Error);
  EXPECT_EQ(processes_in_the_end(), 0);
}

TEST_F(ChildProcess, ItIsGivenUp) {
  std::atomic<bool> is_unwanted = false;
  const StopQuestion question = [&] { return is_unwanted.load(); };
  const StopScope scope(&question);
  const std::jthread leaving([&] {
    while (processes() == 0) std::this_thread::sleep_for(milliseconds(5));
    is_unwanted = true;
  });
  EXPECT_THROW(run(fmt::format("'{}' 100", sleep_.string())), Stopped);
  EXPECT_EQ(processes_in_the_end(), 0);
}

// At any moment, also before the program runs. Those that live on would do so for longer than the test.
TEST_F(ChildProcess, NothingOutlivesAServerThatIsKilled) {
  std::mt19937 random(1);
  std::uniform_int_distribution<int> microseconds(0, 12'000);
  const ChildProgram child = program(fmt::format("trap '' TERM; '{0}' 100 & '{0}' 100; :", sleep_.string()));
  for (int i = 0; i < 100; ++i) {
    const pid_t server = ::fork();
    if (server == 0) {
      ::setpgid(0, 0);
      try {
        run_child(
            child, [](std::string_view) {}, [] {});
      } catch (const Error&) {
      }
      ::_exit(0);
    }
    std::this_thread::sleep_for(std::chrono::microseconds(microseconds(random)));
    ::kill(server, SIGKILL);
    ::waitpid(server, nullptr, 0);
  }
  std::this_thread::sleep_for(milliseconds(100));
  EXPECT_EQ(processes_in_the_end(), 0);
}

}  // namespace
}  // namespace p2mpp
