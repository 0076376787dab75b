#include "requests/request_queue.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <thread>

#include "base/clock.h"

namespace p2mpp {
namespace {

using std::chrono::milliseconds;

constexpr milliseconds kLong(60'000);

Ticket ticket(std::size_t number, int priority = 0, const char* client = "", std::size_t pixels = 0) {
  Ticket made{.number = number, .request = {}, .accepted = Clock::now()};
  made.request.priority = priority;
  made.request.client = client;
  made.request.pixels = pixels;
  return made;
}

std::vector<std::size_t> numbers(const std::vector<Ticket>& tickets) {
  std::vector<std::size_t> found;
  for (const Ticket& each : tickets) found.push_back(each.number);
  return found;
}

TEST(RequestQueue, HigherPrioritiesComeFirstAndEqualsInTheirOrder) {
  RequestQueue queue(10);
  queue.push(ticket(1));
  queue.push(ticket(2, 5));
  queue.push(ticket(3, -1));
  queue.push(ticket(4));
  queue.push(ticket(5, 5));
  EXPECT_EQ(queue.size(), 5U);
  EXPECT_EQ(numbers(queue.pop_batch(3, kLong)), (std::vector<std::size_t>{2, 5, 1}));
  EXPECT_EQ(numbers(queue.pop_batch(2, kLong)), (std::vector<std::size_t>{4, 3}));
}

TEST(RequestQueue, TheOldestHasItsTurnHoweverManyAreMoreUrgent) {
  RequestQueue queue(100);
  queue.push(ticket(1, -5));
  queue.push(ticket(2, -5));
  std::size_t next = 3;
  std::vector<std::size_t> taken;
  while (taken.size() < 20) {
    queue.push(ticket(next++, 5));
    taken.push_back(queue.pop_batch(1, milliseconds(0)).at(0).number);
  }
  EXPECT_EQ(std::ranges::find(taken, 1U) - taken.begin(), 7);
  EXPECT_EQ(std::ranges::find(taken, 2U) - taken.begin(), 15);
}

// Where a pop or a removal looks at all that wait, this takes minutes.
TEST(RequestQueue, AHundredThousandComeAndGoWithinSeconds) {
  constexpr std::size_t kCount = 100'000;
  RequestQueue queue(kCount);
  const auto begin = Clock::now();
  const auto fill = [&] {
    for (std::size_t number = 0; number < kCount; ++number) queue.push(ticket(number, static_cast<int>(number % 7)));
  };
  fill();
  for (std::size_t count = 0; count < kCount;) count += queue.pop_batch(1, milliseconds(0)).size();
  fill();
  for (std::size_t number = kCount; number-- > 0;) EXPECT_TRUE(queue.remove(number));
  EXPECT_LT(Clock::now() - begin, std::chrono::seconds(20));
  EXPECT_EQ(queue.size(), 0U);
}

TEST(RequestQueue, ClientsTakeTurns) {
  RequestQueue queue(20);
  for (std::size_t number = 1; number <= 4; ++number) queue.push(ticket(number, 9, "a"));
  for (const std::size_t number : {5U, 6U}) queue.push(ticket(number, 0, "b"));
  EXPECT_EQ(numbers(queue.pop_batch(6, kLong)), (std::vector<std::size_t>{1, 5, 2, 6, 3, 4}));
  for (std::size_t number = 11; number <= 13; ++number) queue.push(ticket(number, 0, "a", std::size_t{48} << 20));
  for (std::size_t number = 14; number <= 17; ++number) queue.push(ticket(number, 0, "b"));
  queue.push(ticket(18, 0, "c"));  // which has not waited before
  const std::vector<std::size_t> order = numbers(queue.pop_batch(8, kLong));
  const auto place = [&](std::size_t number) { return std::ranges::find(order, number) - order.begin(); };
  EXPECT_LT(place(18), 3);
  EXPECT_LT(place(17), place(12));  // pixels count
}

TEST(RequestQueue, HeavyRequestsAreAloneAndLeaveRoomForOthers) {
  RequestQueue queue(20, {.heavy = 1});
  const std::size_t heavy = (std::size_t{64} << 20) + 1;
  const WorkerRequest first = ticket(1, 0, "", heavy).request;
  for (const std::size_t number : {1U, 2U}) queue.push(ticket(number, 0, "", heavy));
  queue.push(ticket(3, 0, "", 1));
  EXPECT_EQ(numbers(queue.pop_batch(4, milliseconds(0))), (std::vector<std::size_t>{1}));
  EXPECT_EQ(numbers(queue.pop_batch(4, milliseconds(0))), (std::vector<std::size_t>{3}));
  const std::jthread other([&] {
    std::this_thread::sleep_for(milliseconds(20));
    queue.release(first);
  });
  EXPECT_EQ(numbers(queue.pop_batch(4, milliseconds(0))), (std::vector<std::size_t>{2}));
}

TEST(RequestQueue, OfOneClientOnlySoManyHaveBegun) {
  RequestQueue queue(20, {.of_client = 2});
  for (std::size_t number = 1; number <= 4; ++number) queue.push(ticket(number, 0, "a"));
  EXPECT_EQ(numbers(queue.pop_batch(1, milliseconds(0))), (std::vector<std::size_t>{1}));
  EXPECT_EQ(numbers(queue.pop_batch(1, milliseconds(0))), (std::vector<std::size_t>{2}));
  queue.push(ticket(5, 0, "b"));
  EXPECT_EQ(numbers(queue.pop_batch(4, milliseconds(0))), (std::vector<std::size_t>{5}));
  const std::jthread other([&] {
    std::this_thread::sleep_for(milliseconds(20));
    queue.release(ticket(1, 0, "a").request);
  });
  EXPECT_EQ(numbers(queue.pop_batch(4, milliseconds(0))), (std::vector<std::size_t>{3, 4}));  // a batch is not cut
  queue.push(ticket(6, 0, "a"));
  EXPECT_EQ(numbers(queue.drain()), (std::vector<std::size_t>{6}));
}

TEST(RequestQueue, WaitsForAFullBatchButNotForLong) {
  RequestQueue queue(10);
  queue.push(ticket(1));
  const auto begin = Clock::now();
  EXPECT_EQ(numbers(queue.pop_batch(4, milliseconds(30))), (std::vector<std::size_t>{1}));
  EXPECT_GE(Clock::now() - begin, milliseconds(25));
  queue.push(ticket(2));
  const std::jthread other([&] {
    std::this_thread::sleep_for(milliseconds(20));
    queue.push(ticket(3));
  });
  EXPECT_EQ(numbers(queue.pop_batch(2, kLong)), (std::vector<std::size_t>{2, 3}));
}

TEST(RequestQueue, PushWaitsForRoomAndAFullQueueIsNotWaitedFor) {
  RequestQueue queue(2);
  queue.push(ticket(3));
  queue.push(ticket(4));
  EXPECT_EQ(queue.pop_batch(8, kLong).size(), 2U);
  queue.push(ticket(0));
  queue.push(ticket(1));
  const std::jthread other([&] { queue.push(ticket(2)); });
  EXPECT_EQ(numbers(queue.pop_batch(2, kLong)), (std::vector<std::size_t>{0, 1}));
  EXPECT_EQ(numbers(queue.pop_batch(1, kLong)), (std::vector<std::size_t>{2}));
}

TEST(RequestQueue, ClosedItGivesWhatIsLeftAtOnce) {
  RequestQueue queue(10);
  queue.push(ticket(1));
  queue.close();
  EXPECT_FALSE(queue.push(ticket(2)));
  EXPECT_EQ(queue.pop_batch(4, kLong).size(), 1U);
  EXPECT_TRUE(queue.pop_batch(4, kLong).empty());
}

TEST(RequestQueue, DrainedItGivesNothingMore) {
  RequestQueue queue(1);
  queue.push(ticket(1));
  const std::jthread other([&] {
    while (queue.push(ticket(2))) std::this_thread::yield();
  });
  EXPECT_FALSE(queue.drain().empty());
  EXPECT_TRUE(queue.pop_batch(1, kLong).empty());
}

TEST(RequestQueue, TryPushDoesNotWait) {
  RequestQueue queue(2);
  EXPECT_TRUE(queue.try_push(ticket(1)));
  EXPECT_TRUE(queue.try_push(ticket(2)));
  EXPECT_FALSE(queue.try_push(ticket(3)));
  EXPECT_EQ(queue.remove(1)->number, 1U);
  EXPECT_TRUE(queue.try_push(ticket(4)));
  queue.close();
  static_cast<void>(queue.pop_batch(2, kLong));
  EXPECT_FALSE(queue.try_push(ticket(5)));
}

TEST(RequestQueue, WhatIsRemovedIsNotTaken) {
  RequestQueue queue(10);
  for (std::size_t number = 1; number <= 4; ++number) queue.push(ticket(number, static_cast<int>(number % 2)));
  EXPECT_EQ(queue.remove(3)->number, 3U);
  EXPECT_FALSE(queue.remove(3));
  EXPECT_FALSE(queue.remove(9));
  EXPECT_EQ(numbers(queue.pop_batch(10, milliseconds(0))), (std::vector<std::size_t>{1, 2, 4}));
}

TEST(RequestQueue, APopThatWaitsForABatchOutlivesItsOnlyRequest) {
  RequestQueue queue(10);
  queue.push(ticket(1));
  const std::jthread other([&] {
    std::this_thread::sleep_for(milliseconds(20));
    static_cast<void>(queue.remove(1));
    std::this_thread::sleep_for(milliseconds(100));
    queue.push(ticket(2));
  });
  EXPECT_EQ(numbers(queue.pop_batch(2, milliseconds(60))), (std::vector<std::size_t>{2}));
}

TEST(RequestQueue, ADeadlineCountsFromTheAcceptance) {
  Ticket late = ticket(1);
  EXPECT_FALSE(is_expired(late, late.accepted + kLong));
  late.request.deadline = milliseconds(10);
  EXPECT_FALSE(is_expired(late, late.accepted + milliseconds(10)));
  EXPECT_TRUE(is_expired(late, late.accepted + milliseconds(11)));
}

}  // namespace
}  // namespace p2mpp
