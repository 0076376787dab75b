#include "base/parallel.h"

#include <gtest/gtest.h>

#include <stdexcept>

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

}  // namespace
}  // namespace p2mpp
