#pragma once

#include <functional>
#include <memory>
#include <mutex>
#include <span>
#include <vector>

#include "backends/cuda/device_memory.h"
#include "p2mpp/metrics.h"

namespace p2mpp {

/// nearest_neighbours() on a device. What a search took of its memory stays for the next: to allocate or to release may
/// wait for all that the device does. One thread at a time.
class DeviceNeighbourSearch {
 public:
  explicit DeviceNeighbourSearch(std::unique_ptr<DeviceRuntime> runtime) : runtime_(std::move(runtime)) {}

  /// The same bits; of several equally near targets, the first. Expects finite, non-empty targets, and fewer than 2^31
  /// of either. Throws OutOfDeviceMemory.
  [[nodiscard]] Neighbours find(std::span<const Eigen::Vector3f> queries, std::span<const Eigen::Vector3f> targets);

 private:
  std::unique_ptr<DeviceRuntime> runtime_;
  DeviceBlock block_;
};

/// As many searches as there are threads that search at the same time. For any thread.
class DeviceNeighbourSearches {
 public:
  using MakeRuntime = std::function<std::unique_ptr<DeviceRuntime>()>;

  /// Makes a runtime for each search.
  explicit DeviceNeighbourSearches(MakeRuntime make_runtime) : make_runtime_(std::move(make_runtime)) {}

  /// See DeviceNeighbourSearch. A search that fails is not used again.
  [[nodiscard]] Neighbours find(std::span<const Eigen::Vector3f> queries, std::span<const Eigen::Vector3f> targets);

 private:
  [[nodiscard]] std::unique_ptr<DeviceNeighbourSearch> take_idle();

  MakeRuntime make_runtime_;
  std::mutex mutex_;
  std::vector<std::unique_ptr<DeviceNeighbourSearch>> idle_;
};

}  // namespace p2mpp
