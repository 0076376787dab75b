#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

namespace p2mpp {

/// Calls body(begin, end) for pieces that make up 0..count, on at most so many threads, and waits for them. `body` must
/// not throw.
template <typename Body>
void for_each_piece(std::size_t count, int threads, const Body& body) {
  constexpr std::size_t kFewest = 256;  // a thread costs as much as so many lookups
  const std::size_t most = std::max<std::size_t>(1, count / kFewest);
  const std::size_t pieces = std::min(static_cast<std::size_t>(std::max(threads, 1)), most);
  std::vector<std::jthread> others;
  for (std::size_t i = 1; i < pieces; ++i) {
    others.emplace_back([&body, begin = count * i / pieces, end = count * (i + 1) / pieces] { body(begin, end); });
  }
  body(std::size_t{0}, count / pieces);
}

/// Calls body(task) for every task from 0 to count - 1, each once, on at most so many threads, and waits for them. What
/// a body throws first is thrown again when all threads have ended; tasks that nobody had begun by then are left out.
template <typename Body>
void for_each_task(std::size_t count, int threads, const Body& body) {
  std::atomic<std::size_t> next{0};
  std::exception_ptr failure;
  std::once_flag failed;
  const auto work = [&] {
    try {
      for (std::size_t task = next++; task < count; task = next++) body(task);
    } catch (...) {
      std::call_once(failed, [&] { failure = std::current_exception(); });
      next = count;
    }
  };
  {
    std::vector<std::jthread> others;
    const std::size_t wanted = std::min(count, static_cast<std::size_t>(std::max(threads, 1)));
    for (std::size_t i = 1; i < wanted; ++i) others.emplace_back(work);
    work();
  }
  if (failure) std::rethrow_exception(failure);
}

}  // namespace p2mpp
