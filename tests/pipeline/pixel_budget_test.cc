#include "pipeline/pixel_budget.h"

#include <gtest/gtest.h>

#include <chrono>
#include <memory>
#include <thread>

namespace p2mpp {
namespace {

Job job_of(int width, int height) {
  Job job;
  const auto pixels = static_cast<std::size_t>(width) * static_cast<std::size_t>(height);
  job.sample.views.resize(2);
  for (View& view : job.sample.views) view.image = {width, height, std::vector<std::uint8_t>(4 * pixels)};
  return job;
}

TEST(PixelBudget, ABatchEndsWhereThePixelsAreUsedUp) {
  PixelBudget budget(100);
  Job first = job_of(5, 9), second = job_of(5, 9);
  EXPECT_TRUE(budget.admit(true));
  budget.charge(first);
  EXPECT_TRUE(budget.admit(false));
  budget.charge(second);
  EXPECT_FALSE(budget.admit(false));
  { const Job gone = std::move(second); }
  EXPECT_TRUE(budget.admit(false));
}

TEST(PixelBudget, ASampleThatIsTooLargeIsAdmittedAlone) {
  PixelBudget budget(1);
  EXPECT_TRUE(budget.admit(true));
  Job job = job_of(30, 30);
  budget.charge(job);
  EXPECT_FALSE(budget.admit(false));
}

TEST(PixelBudget, TheNextBatchWaitsForRoom) {
  PixelBudget budget(10);
  auto job = std::make_unique<Job>(job_of(5, 5));
  budget.charge(*job);
  bool is_gone = false;
  const std::jthread other([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    is_gone = true;
    job.reset();
  });
  EXPECT_TRUE(budget.admit(true));
  EXPECT_TRUE(is_gone);
}

TEST(PixelBudget, NobodyWaitsOnceItIsClosed) {
  PixelBudget budget(10);
  Job job = job_of(5, 5);
  budget.charge(job);
  const std::jthread other([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    budget.close();
  });
  EXPECT_FALSE(budget.admit(true));
}

}  // namespace
}  // namespace p2mpp
