#include "backends/cuda/nearest_neighbours.h"

#include <algorithm>
#include <bit>

#include "backends/cuda/tiling.h"

namespace p2mpp {
namespace {

constexpr std::size_t kSmallestBlock = std::size_t{1} << 20U;  // enough for 20,000 points on each side

/// The memory layout of a search. If the arena has no block, this only counts bytes.
struct SearchBuffers {
  SearchBuffers(Arena& arena, std::size_t queries, std::size_t targets)
      : query_points(arena.allocate<float>(3 * queries)),
        target_points(arena.allocate<float>(3 * targets)),
        squared_distances(arena.allocate<double>(queries)),
        indices(arena.allocate<std::uint32_t>(queries)) {}

  float *query_points, *target_points;
  double* squared_distances;
  std::uint32_t* indices;
};

std::size_t bytes_for(std::size_t queries, std::size_t targets) {
  Arena counting(nullptr);
  static_cast<void>(SearchBuffers(counting, queries, targets));
  return counting.bytes();
}

}  // namespace

Neighbours find_nearest(DeviceRuntime& runtime, DeviceBlock& block, std::span<const Eigen::Vector3f> queries,
                        std::span<const Eigen::Vector3f> targets) {
  Neighbours found{std::vector<double>(queries.size()), std::vector<std::uint32_t>(queries.size())};
  if (queries.empty()) return found;
  runtime.use();
  if (const std::size_t bytes = bytes_for(queries.size(), targets.size()); bytes > block.bytes()) {
    block = {};
    block = DeviceBlock(runtime, std::max(kSmallestBlock, std::bit_ceil(bytes)));
  }
  Arena arena(block.data());
  const SearchBuffers buffers(arena, queries.size(), targets.size());
  const DeviceStream stream = runtime.stream(kBesideStream);  // lower priority than the network
  runtime.copy_to_device(buffers.query_points, queries.data(), queries.size_bytes(), stream);
  runtime.copy_to_device(buffers.target_points, targets.data(), targets.size_bytes(), stream);
  const NearestArguments arguments{.queries = buffers.query_points,
                                   .targets = buffers.target_points,
                                   .squared_distances = buffers.squared_distances,
                                   .indices = buffers.indices,
                                   .query_count = static_cast<int>(queries.size()),
                                   .target_count = static_cast<int>(targets.size())};
  const Launch launch{.blocks_x = blocks_for(arguments.query_count, kBlockThreads),
                      .threads = kBlockThreads,
                      .shared_bytes = kNearestSharedBytes};
  runtime.check_launch(runtime.kernels().find_nearest(launch, arguments, stream), "nearest neighbours");
  runtime.copy_to_host(found.squared_distances.data(), buffers.squared_distances, queries.size() * sizeof(double),
                       stream);
  runtime.copy_to_host(found.indices.data(), buffers.indices, queries.size() * sizeof(std::uint32_t), stream);
  runtime.synchronize(stream);
  return found;
}

std::unique_ptr<DeviceNeighbourSearch> DeviceNeighbourSearches::take_idle() {
  const std::lock_guard lock(mutex_);
  if (idle_.empty()) return nullptr;
  std::unique_ptr<DeviceNeighbourSearch> search = std::move(idle_.back());
  idle_.pop_back();
  return search;
}

Neighbours DeviceNeighbourSearches::find(std::span<const Eigen::Vector3f> queries,
                                         std::span<const Eigen::Vector3f> targets) {
  std::unique_ptr<DeviceNeighbourSearch> search = take_idle();
  if (search == nullptr) search = std::make_unique<DeviceNeighbourSearch>(make_runtime_());
  Neighbours found = search->find(queries, targets);
  const std::lock_guard lock(mutex_);
  idle_.push_back(std::move(search));
  return found;
}

}  // namespace p2mpp
