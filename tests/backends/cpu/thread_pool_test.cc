#include "backends/cpu/thread_pool.h"

#include <gtest/gtest.h>

#include <numeric>
#include <vector>

#include "base/thread_scopes.h"

namespace p2mpp {
namespace {

class ThreadPoolTest : public ::testing::TestWithParam<int> {};
INSTANTIATE_TEST_SUITE_P(Threads, ThreadPoolTest, ::testing::Values(1, 2, 3, 8));

TEST_P(ThreadPoolTest, EveryTaskIsDoneOnce) {
  ThreadPool pool(GetParam());
  EXPECT_EQ(pool.thread_count(), GetParam());
  for (std::size_t count = 0; count < 300; ++count) {
    std::vector<int> done(count, 0);  // not atomic: nobody else may touch a task's element
    pool.run(count, [&](std::size_t task, int) { ++done[task]; });
    ASSERT_EQ(std::accumulate(done.begin(), done.end(), std::size_t{0}), count);
  }
}

TEST_P(ThreadPoolTest, ACallSeesWhatTheLastOneWrote) {
  ThreadPool pool(GetParam());
  std::vector<std::size_t> values(100, 0);
  for (std::size_t round = 0; round < 2000; ++round) {
    // Each element is written by another task than before.
    pool.run(values.size(), [&](std::size_t task, int) { values[(task + round) % values.size()] += 1; });
  }
  EXPECT_EQ(values, std::vector<std::size_t>(100, 2000));
}

TEST_P(ThreadPoolTest, AWorkerHasItsOwnScratch) {
  ThreadPool pool(GetParam());
  std::vector<std::size_t> sums(static_cast<std::size_t>(GetParam()), 0);
  pool.run(1000, [&](std::size_t task, int worker) { sums.at(static_cast<std::size_t>(worker)) += task; });
  EXPECT_EQ(std::accumulate(sums.begin(), sums.end(), std::size_t{0}), 999U * 1000U / 2);
}

TEST_P(ThreadPoolTest, SleepsAndWakes) {
  ThreadPool pool(GetParam());
  for (int round = 0; round < 5; ++round) {
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
    std::atomic<int> done{0};
    pool.run(20, [&](std::size_t, int) { ++done; });
    EXPECT_EQ(done, 20);
  }
}

TEST(ThreadPoolLifetime, NoThreadIsLost) {
  for (int i = 0; i < 100; ++i) ThreadPool pool(4);
}

TEST(ThreadPoolLifetime, NoCountOfThreadsIsOne) {
  EXPECT_EQ(ThreadPool(0).thread_count(), 1);
  EXPECT_EQ(ThreadPool(-3).thread_count(), 1);
}

TEST(ThreadPool, WorkThatIsNotWantedEndsBeforeTheNextCall) {
  ThreadPool pool(2);
  bool is_unwanted = false;
  const StopQuestion question = [&] { return is_unwanted; };
  const StopScope scope(&question);
  std::atomic<int> done = 0;
  pool.run(3, [&](std::size_t, int) { ++done; });
  is_unwanted = true;
  EXPECT_THROW(pool.run(3, [&](std::size_t, int) { ++done; }), Stopped);
  is_unwanted = false;
  pool.run(3, [&](std::size_t, int) { ++done; });
  EXPECT_EQ(done, 6);
}

}  // namespace
}  // namespace p2mpp
