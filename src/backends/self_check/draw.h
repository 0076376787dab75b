#pragma once

#include <algorithm>
#include <cstddef>
#include <random>
#include <vector>

namespace p2mpp {

/// Random numbers determined by a seed, identical on every platform.
class Draw {
 public:
  explicit Draw(unsigned seed) : random_(seed) {}

  double uniform(double low, double high) { return low + (high - low) * static_cast<double>(random_()) / 4294967295.0; }
  std::size_t whole(std::size_t low, std::size_t high) { return low + random_() % (high - low + 1); }
  std::vector<float> values(std::size_t count, double low = -1, double high = 1) {
    std::vector<float> result(count);
    std::ranges::generate(result, [&] { return static_cast<float>(uniform(low, high)); });
    return result;
  }

 private:
  std::mt19937 random_;
};

}  // namespace p2mpp
