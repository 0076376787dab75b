#include "backends/cuda/nearest_neighbours.h"

#include "backends/cuda/device_memory.h"
#include "backends/cuda/tiling.h"

namespace p2mpp {

Neighbours nearest_neighbours_on(DeviceRuntime& runtime, std::span<const Eigen::Vector3f> queries,
                                 std::span<const Eigen::Vector3f> targets) {
  Neighbours found{std::vector<double>(queries.size()), std::vector<std::uint32_t>(queries.size())};
  if (queries.empty()) return found;
  const DeviceStream stream = runtime.stream(kComputeStream);
  const DeviceBlock inputs(runtime, aligned_bytes(queries.size_bytes()) + aligned_bytes(targets.size_bytes()));
  const DeviceBlock outputs(
      runtime, aligned_bytes(queries.size() * sizeof(double)) + aligned_bytes(queries.size() * sizeof(std::uint32_t)));
  Arena in(inputs.data());
  Arena out(outputs.data());
  auto* query_points = in.take<float>(3 * queries.size());
  auto* target_points = in.take<float>(3 * targets.size());
  auto* squared_distances = out.take<double>(queries.size());
  auto* indices = out.take<std::uint32_t>(queries.size());
  runtime.copy_to_device(query_points, queries.data(), queries.size_bytes(), stream);
  runtime.copy_to_device(target_points, targets.data(), targets.size_bytes(), stream);
  const NearestArguments arguments{.queries = query_points,
                                   .targets = target_points,
                                   .squared_distances = squared_distances,
                                   .indices = indices,
                                   .query_count = static_cast<int>(queries.size()),
                                   .target_count = static_cast<int>(targets.size())};
  const Launch launch{.blocks_x = blocks_for(arguments.query_count, kBlockThreads),
                      .threads = kBlockThreads,
                      .shared_bytes = kNearestSharedBytes};
  runtime.check_launch(runtime.kernels().find_nearest(launch, arguments, stream), "nearest neighbours");
  runtime.copy_to_host(found.squared_distances.data(), squared_distances, queries.size() * sizeof(double), stream);
  runtime.copy_to_host(found.indices.data(), indices, queries.size() * sizeof(std::uint32_t), stream);
  runtime.synchronize(stream);
  return found;
}

}  // namespace p2mpp
