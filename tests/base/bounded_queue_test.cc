#include "base/bounded_queue.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <memory>
#include <numeric>
#include <thread>
#include <vector>

namespace p2mpp {
namespace {

TEST(BoundedQueue, GivesValuesInTheirOrder) {
  BoundedQueue<std::unique_ptr<int>> queue(3);
  for (int i = 0; i < 3; ++i) EXPECT_TRUE(queue.push(std::make_unique<int>(i)));
  queue.close();
  EXPECT_FALSE(queue.push(std::make_unique<int>(3)));
  for (int i = 0; i < 3; ++i) EXPECT_EQ(**queue.pop(), i);
  EXPECT_FALSE(queue.pop());
  BoundedQueue<int> asked(1);  // without waiting
  EXPECT_FALSE(asked.try_pop());
  asked.push(7);
  EXPECT_EQ(asked.try_pop(), 7);
  EXPECT_TRUE(asked.push(8));  // there is room again
  asked.close();
  EXPECT_EQ(asked.try_pop(), 8);
  EXPECT_FALSE(asked.try_pop());
}

TEST(BoundedQueue, MakesTheFasterWait) {
  BoundedQueue<int> queue(2);
  std::atomic<int> pushed = 0;
  std::jthread producer([&] {
    for (int i = 0; i < 10; ++i) {
      queue.push(i);
      ++pushed;
    }
    queue.close();
  });
  for (int i = 0; i < 10; ++i) {
    EXPECT_EQ(queue.pop(), i);
    EXPECT_LE(pushed, i + 4);  // two in the queue, one being pushed, this one
  }
  EXPECT_FALSE(queue.pop());
}

TEST(BoundedQueue, HandsEveryValueToOneOfManyThreads) {
  constexpr int kThreads = 4, kValues = 500;
  BoundedQueue<int> queue(3);
  std::vector<std::vector<int>> taken(kThreads);
  {
    std::vector<std::jthread> consumers;
    for (auto& own : taken) {
      consumers.emplace_back([&queue, &own] {
        while (const auto value = queue.pop()) own.push_back(*value);
      });
    }
    std::vector<std::jthread> producers;
    for (int thread = 0; thread < kThreads; ++thread) {
      producers.emplace_back([&queue, thread] {
        for (int i = 0; i < kValues; ++i) queue.push(thread * kValues + i);
      });
    }
    producers.clear();
    queue.close();
  }
  std::vector<int> all;
  for (const auto& own : taken) all.insert(all.end(), own.begin(), own.end());
  std::ranges::sort(all);
  std::vector<int> expected(kThreads * kValues);
  std::iota(expected.begin(), expected.end(), 0);
  EXPECT_EQ(all, expected);
}

TEST(BoundedQueue, AbandonedReleasesThoseWhoWait) {
  BoundedQueue<int> full(1), empty(1);
  full.push(1);
  std::jthread producer([&] { EXPECT_FALSE(full.push(2)); });
  std::jthread consumer([&] { EXPECT_FALSE(empty.pop()); });
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  full.abandon();
  empty.abandon();
  producer.join();
  consumer.join();
  EXPECT_FALSE(full.pop());
}

}  // namespace
}  // namespace p2mpp
