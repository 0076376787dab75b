#include "io/image/pixel_gate.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <thread>
#include <vector>

#include "base/temporary_folder.h"
#include "p2mpp/error.h"

namespace p2mpp {
namespace {

TEST(PixelGate, LetsInNoMoreThanThereMayBe) {
  PixelGate gate(100);
  std::atomic<int> inside = 0, most = 0;
  {
    std::vector<std::jthread> threads;
    for (int i = 0; i < 6; ++i) {
      threads.emplace_back([&] {
        for (int k = 0; k < 50; ++k) {
          const std::shared_ptr<void> share = gate.enter({5, 9}, "a");
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
  EXPECT_NO_THROW(static_cast<void>(gate.enter({10, 10}, "a"))) << "all was given back";
}

TEST(PixelGate, RefusesAnImageThatIsTooLargeAlone) {
  PixelGate gate(99);
  EXPECT_REFUSED(gate.enter({10, 10}, "a.png"),
                 "a.png: has 10x10 pixels; expected at most 99 in all (the option max-pixels)");
  EXPECT_NO_THROW(static_cast<void>(gate.enter({9, 11}, "a.png")));
}

}  // namespace
}  // namespace p2mpp
