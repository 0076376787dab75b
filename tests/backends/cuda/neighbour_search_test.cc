// Nearest neighbours on the emulation of a GPU: the numbers of the CPU's search, and memory that is kept.
#include "geometry/neighbour_search.h"

#include <gtest/gtest.h>

#include <atomic>
#include <thread>

#include "backends/cpu/cpu_cases.h"
#include "backends/cuda/nearest_neighbours.h"
#include "emulation/runtime.h"
#include "p2mpp/error.h"

namespace p2mpp {
namespace {

Points random_points(Draw& draw, std::size_t count) {
  Points points(count);
  for (Eigen::Vector3f& point : points) {
    for (Eigen::Index axis = 0; axis < 3; ++axis) point[axis] = static_cast<float>(draw.uniform(-0.5, 0.5));
  }
  return points;
}

// Counts what is allocated and released, of all runtimes together.
class CountingRuntime : public emulation::Runtime {
 public:
  using Runtime::Runtime;

  [[nodiscard]] void* allocate(std::size_t bytes) override {
    ++allocations;
    return Runtime::allocate(bytes);
  }
  void release(void* memory) noexcept override {
    ++releases;
    Runtime::release(memory);
  }

  static inline std::atomic<int> allocations, releases, made;
};

// Computes nothing.
class IdleRuntime : public CountingRuntime {
 public:
  IdleRuntime() {
    kernels_.find_nearest = [](const Launch&, const NearestArguments&, DeviceStream) { return 0; };
  }
  [[nodiscard]] const CudaKernels& kernels() const override { return kernels_; }

 private:
  CudaKernels kernels_{};
};

std::unique_ptr<DeviceRuntime> make_counting_runtime() {
  ++CountingRuntime::made;
  return std::make_unique<CountingRuntime>();
}

class CudaNeighbours : public ::testing::Test {
 protected:
  CudaNeighbours() { CountingRuntime::allocations = CountingRuntime::releases = CountingRuntime::made = 0; }
};

TEST_F(CudaNeighbours, FindsWhatTheCpuFinds) {
  DeviceNeighbourSearch search(make_counting_runtime());
  Draw draw(5);
  for (const std::size_t count : {1U, 255U, 256U, 700U}) {
    const Points queries = random_points(draw, 300);
    Points targets = random_points(draw, count);
    targets.insert(targets.end(), queries.begin(), queries.begin() + 5);  // that are met exactly
    const Neighbours expected = nearest_neighbours(queries, targets);
    const Neighbours found = search.find(queries, targets);
    EXPECT_EQ(found.squared_distances, expected.squared_distances);
    EXPECT_EQ(found.indices, expected.indices);
  }
  EXPECT_TRUE(search.find({}, random_points(draw, 3)).indices.empty());
}

TEST_F(CudaNeighbours, AllocatesOnceForAllSearchesOfAScore) {
  DeviceNeighbourSearch search(make_counting_runtime());
  Draw draw(6);
  for (const std::size_t count : {2466U, 100U, 3000U, 2466U}) {
    static_cast<void>(search.find(random_points(draw, 10), random_points(draw, count)));
    static_cast<void>(search.find(random_points(draw, count), random_points(draw, 10)));
  }
  EXPECT_EQ(CountingRuntime::allocations, 1);
  EXPECT_EQ(CountingRuntime::releases, 0);
}

// Twice as much each time: sizes that grow slowly do not allocate each time.
TEST_F(CudaNeighbours, ABlockThatGrowsDoubles) {
  DeviceNeighbourSearch search(std::make_unique<IdleRuntime>());
  Draw draw(7);
  const Points query = random_points(draw, 1);
  const Points targets = random_points(draw, 400'000);
  for (std::size_t count = 50'000; count <= targets.size(); count += 50'000) {
    static_cast<void>(search.find(query, std::span(targets).first(count)));
  }
  EXPECT_EQ(CountingRuntime::allocations, 4) << "of 1, 2, 4 and 8 MiB";
  EXPECT_EQ(CountingRuntime::releases, 3);
}

TEST_F(CudaNeighbours, WhereThereIsNoRoomALaterSearchMayStillFit) {
  DeviceNeighbourSearch search(std::make_unique<CountingRuntime>(std::size_t{3} << 20U));
  Draw draw(8);
  const Points query = random_points(draw, 1);
  const Points targets = random_points(draw, 400'000);
  EXPECT_THROW(static_cast<void>(search.find(query, targets)), OutOfDeviceMemory);
  EXPECT_EQ(search.find(query, std::span(targets).first(10)).indices,
            nearest_neighbours(query, std::span(targets).first(10)).indices);
}

// Threads that come and go, as an evaluation's writers do: no more searches than threads at a time.
TEST_F(CudaNeighbours, ThreadsShareSearches) {
  constexpr int kThreads = 3;
  DeviceNeighbourSearches searches(make_counting_runtime);
  Draw draw(9);
  const Points queries = random_points(draw, 40);
  const Points targets = random_points(draw, 60);
  const Neighbours expected = nearest_neighbours(queries, targets);
  std::atomic<int> different = 0;
  for (int round = 0; round < 4; ++round) {
    std::vector<std::jthread> threads;
    for (int i = 0; i < kThreads; ++i) {
      threads.emplace_back([&] {
        for (int search = 0; search < 5; ++search) {
          if (searches.find(queries, targets).indices != expected.indices) ++different;
        }
      });
    }
  }
  EXPECT_EQ(different, 0);
  EXPECT_LE(CountingRuntime::made, kThreads);
  EXPECT_EQ(CountingRuntime::allocations, CountingRuntime::made);
  EXPECT_EQ(CountingRuntime::releases, 0);
}

}  // namespace
}  // namespace p2mpp
