#include "base/machine/memory_bandwidth.h"

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstring>
#include <thread>
#include <vector>

namespace p2mpp {
namespace {

constexpr std::size_t kBytes = std::size_t{192} << 20U;  // of each of two arrays
constexpr int kRounds = 5;
constexpr double kGiga = 1e9;

// Each thread copies a part of the bytes.
void copy(const std::vector<std::byte>& from, std::vector<std::byte>& to, int threads) {
  const auto count = static_cast<std::size_t>(threads);
  std::vector<std::jthread> workers;
  for (std::size_t i = 0; i < count; ++i) {
    workers.emplace_back([&, begin = kBytes * i / count, end = kBytes * (i + 1) / count] {
      std::memcpy(to.data() + begin, from.data() + begin, end - begin);
    });
  }
}

}  // namespace

double measure_copied_gb_per_s(int threads) {
  const std::vector<std::byte> from(kBytes, std::byte{1});
  std::vector<std::byte> to(kBytes);
  double best = 0;
  for (int round = 0; round < kRounds; ++round) {
    const auto begin = std::chrono::steady_clock::now();
    copy(from, to, threads);
    const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - begin;
    best = std::max(best, 2 * static_cast<double>(kBytes) / elapsed.count() / kGiga);
  }
  return best;
}

}  // namespace p2mpp
