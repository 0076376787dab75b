#include "io/image/pixel_budget.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <memory>
#include <thread>
#include <vector>

#include "p2mpp/error.h"
#include "support/temporary_folder.h"

namespace p2mpp {
namespace {

TEST(PixelBudget, TakesNoMoreThanThereMayBe) {
  PixelBudget budget(100);
  std::atomic<int> inside = 0, most = 0;
  {
    std::vector<std::jthread> threads;
    for (int i = 0; i < 6; ++i) {
      threads.emplace_back([&] {
        for (int k = 0; k < 50; ++k) {
          const std::shared_ptr<void> share = budget.take({5, 9}, "a");
          const int now = ++inside;
          int before = most;
          while (before < now && !most.compare_exchange_weak(before, now)) {
          }
          std::this_thread::yield();
          --inside;
        }
      });
    }
  }
  EXPECT_LE(most, 2);
  EXPECT_NO_THROW(static_cast<void>(budget.take({10, 10}, "a"))) << "all was given back";
}

TEST(PixelBudget, RefusesAnImageThatIsTooLargeAlone) {
  PixelBudget budget(99);
  EXPECT_REFUSED(budget.take({10, 10}, "a.png"),
                 "a.png: has 10x10 pixels; expected at most 99 in all (the option max-pixels)");
  EXPECT_NO_THROW(static_cast<void>(budget.take({9, 11}, "a.png")));
}

TEST(PixelBudget, ABatchEndsWhereThePixelsAreUsedUp) {
  PixelBudget budget(100);
  EXPECT_TRUE(budget.admit(true));
  const std::shared_ptr<void> first = budget.charge(90);
  EXPECT_TRUE(budget.admit(false));
  std::shared_ptr<void> second = budget.charge(90);
  EXPECT_FALSE(budget.admit(false));
  second.reset();
  EXPECT_TRUE(budget.admit(false));
}

TEST(PixelBudget, ASampleThatIsTooLargeIsAdmittedAlone) {
  PixelBudget budget(1);
  EXPECT_TRUE(budget.admit(true));
  const std::shared_ptr<void> share = budget.charge(900);
  EXPECT_FALSE(budget.admit(false));
}

TEST(PixelBudget, TheNextBatchWaitsForRoom) {
  PixelBudget budget(10);
  std::shared_ptr<void> share = budget.charge(50);
  bool is_gone = false;
  const std::jthread other([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    is_gone = true;
    share.reset();
  });
  EXPECT_TRUE(budget.admit(true));
  EXPECT_TRUE(is_gone);
}

TEST(PixelBudget, NobodyWaitsOnceItIsClosed) {
  PixelBudget budget(10);
  const std::shared_ptr<void> share = budget.charge(50);
  const std::jthread other([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    budget.close();
  });
  EXPECT_FALSE(budget.admit(true));
}

}  // namespace
}  // namespace p2mpp
