#include "base/parallel.h"

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <unistd.h>

#include <filesystem>
#include <stdexcept>

#include "base/thread_scopes.h"

namespace p2mpp {
namespace {

TEST(ForEachTask, DoesEachTaskOnce) {
  for (const int threads : {1, 2, 7}) {
    std::vector<std::atomic<int>> done(100);
    for_each_task(done.size(), threads, [&](std::size_t task) { ++done[task]; });
    for (const auto& count : done) EXPECT_EQ(count, 1);
  }
  for_each_task(0, 3, [](std::size_t) { FAIL(); });
}

TEST(ForEachTask, ThrowsWhatATaskThrows) {
  for (const int threads : {1, 4}) {
    std::atomic<int> done{0};
    const auto work = [&] {
      for_each_task(10'000, threads, [&](std::size_t task) {
        if (task == 3) throw std::runtime_error("task 3");
        ++done;
      });
    };
    EXPECT_THROW(work(), std::runtime_error);
    EXPECT_LT(done, 9'999);
  }
}

TEST(ForEachPiece, CoversTheRange) {
  std::vector<std::atomic<int>> done(1000);
  for_each_piece(done.size(), 3, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) ++done[i];
  });
  for (const auto& count : done) EXPECT_EQ(count, 1);
}

TEST(StopScope, EndsTheWorkOfAllThreads) {
  for (const int threads : {1, 4}) {
    std::atomic<int> asked{0};
    const StopQuestion question = [&] { return ++asked > 100; };
    const StopScope scope(&question);
    std::atomic<int> done{0};
    EXPECT_THROW(for_each_task(10'000, threads, [&](std::size_t) { ++done; }), Stopped);
    EXPECT_EQ(done, 100);
  }
}

TEST(StopScope, CountsFromTheInside) {
  EXPECT_NO_THROW(end_if_stopped());
  const StopQuestion yes = [] { return true; }, no = [] { return false; };
  const StopScope outer(&yes);
  EXPECT_THROW(end_if_stopped(), Stopped);
  {
    const StopScope inner(&no);
    EXPECT_NO_THROW(end_if_stopped());
    const StopScope innermost(nullptr);
    EXPECT_NO_THROW(end_if_stopped());
  }
  EXPECT_THROW(end_if_stopped(), Stopped);
}

int niceness() { return getpriority(PRIO_PROCESS, static_cast<id_t>(gettid())); }

TEST(RunAtLowPriority, LowersThePriorityOfTheWorkAlone) {
  const int usual = niceness();
  int of_work = usual, of_its_threads = usual;
  run_at_low_priority([&] {
    of_work = niceness();
    std::jthread([&] { of_its_threads = niceness(); }).join();
  });
  EXPECT_EQ(of_work, std::min(usual + 5, 19));
  EXPECT_EQ(of_its_threads, of_work);
  EXPECT_EQ(niceness(), usual);
}

TEST(RunAtLowPriority, HasTheCallersScopesAndThrowsWhatTheWorkThrows) {
  const std::filesystem::path folder = "/";
  const ReadingScope reading(folder);
  const StopQuestion yes = [] { return true; };
  const StopScope stop(&yes);
  run_at_low_priority([&] { EXPECT_EQ(&reading_folder(), &folder); });
  EXPECT_THROW(run_at_low_priority([] { end_if_stopped(); }), Stopped);
  EXPECT_THROW(run_at_low_priority([] { throw std::runtime_error("work"); }), std::runtime_error);
}

}  // namespace
}  // namespace p2mpp
