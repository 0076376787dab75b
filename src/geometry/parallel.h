#pragma once

#include <algorithm>
#include <cstddef>
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

}  // namespace p2mpp
