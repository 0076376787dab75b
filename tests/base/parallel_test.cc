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

}  // namespace
}  // namespace p2mpp
