#pragma once

#include <functional>
#include <memory>
#include <mutex>
#include <span>
#include <vector>

#include "backends/cuda/device_memory.h"
#include "p2mpp/metrics.h"

namespace p2mpp {

/// nearest_neighbours() on a device, with bit-identical results; of equally near targets, the first. `block` grows to
/// the memory that a search needs and is kept, because allocating and releasing may wait for all work on the device.
/// Preconditions: targets are finite and not empty; fewer than 2^31 queries and targets. Not thread-safe. Throws
/// OutOfDeviceMemory.
[[nodiscard]] Neighbours find_nearest(DeviceRuntime& runtime, DeviceBlock& block,
                                      std::span<const Eigen::Vector3f> queries,
                                      std::span<const Eigen::Vector3f> targets);

/// A runtime and the memory block of its searches. Not thread-safe.
class DeviceNeighbourSearch {
 public:
  explicit DeviceNeighbourSearch(std::unique_ptr<DeviceRuntime> runtime) : runtime_(std::move(runtime)) {}

  /// See find_nearest().
  [[nodiscard]] Neighbours find(std::span<const Eigen::Vector3f> queries, std::span<const Eigen::Vector3f> targets) {
    return find_nearest(*runtime_, block_, queries, targets);
  }

 private:
  std::unique_ptr<DeviceRuntime> runtime_;
  DeviceBlock block_;
};

/// A pool with one search per concurrent caller. Thread-safe.
class DeviceNeighbourSearches {
 public:
  using MakeRuntime = std::function<std::unique_ptr<DeviceRuntime>()>;

  /// `make_runtime` creates a runtime for each search.
  explicit DeviceNeighbourSearches(MakeRuntime make_runtime) : make_runtime_(std::move(make_runtime)) {}

  /// See find_nearest(). A search that fails is discarded.
  [[nodiscard]] Neighbours find(std::span<const Eigen::Vector3f> queries, std::span<const Eigen::Vector3f> targets);

 private:
  [[nodiscard]] std::unique_ptr<DeviceNeighbourSearch> take_idle();

  MakeRuntime make_runtime_;
  std::mutex mutex_;
  std::vector<std::unique_ptr<DeviceNeighbourSearch>> idle_;
};

}  // namespace p2mpp
