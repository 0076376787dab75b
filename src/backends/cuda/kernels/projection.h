#pragma once

#include "backends/cuda/kernels/sampling.h"
#include "backends/cuda/tiling.h"

namespace p2mpp::cuda {
namespace {

P2MPP_DEVICE void midpoint(const float* a, const float* b, float (&point)[3]) {
  P2MPP_UNROLL
  for (int axis = 0; axis < 3; ++axis) point[axis] = (a[axis] + b[axis]) * 0.5F;
}

/// One warp per vertex; grid: groups of eight vertices, samples. The maps and the output rows are float.
struct Project {
  using Arguments = ProjectionArguments;
  static constexpr int kThreads = kBlockThreads;
  static constexpr int kBlocksAtOnce = 1;
  static constexpr int kVertices = kBlockWarps;
  static_assert(kProjectionSharedBytes == sizeof(PixelPosition) * kVertices * kMaxCudaViews);

  P2MPP_DEVICE static void find_vertex(const Arguments& arguments, int sample, int vertex, float (&point)[3]) {
    const float* vertices =
        arguments.coarse_vertices + (arguments.shared_vertices ? 0 : 3 * sample * arguments.coarse_count);
    if (vertex < arguments.coarse_count) {
      P2MPP_UNROLL
      for (int axis = 0; axis < 3; ++axis) point[axis] = vertices[3 * vertex + axis];
      return;
    }
    const std::int32_t* ends = arguments.edges + 2 * (vertex - arguments.coarse_count);
    midpoint(vertices + 3 * ends[0], vertices + 3 * ends[1], point);
  }

  P2MPP_DEVICE static void load_hidden(const Arguments& arguments, int sample, int vertex, int channel,
                                       float (&values)[4]) {
    const float* hidden = arguments.hidden + static_cast<std::size_t>(sample) *
                                                 static_cast<std::size_t>(arguments.coarse_count) *
                                                 static_cast<std::size_t>(arguments.hidden_stride);
    if (vertex < arguments.coarse_count) {
      FloatElements::load(hidden + vertex * arguments.hidden_stride + channel, values);
      return;
    }
    const std::int32_t* ends = arguments.edges + 2 * (vertex - arguments.coarse_count);
    float other[4];
    FloatElements::load(hidden + ends[0] * arguments.hidden_stride + channel, values);
    FloatElements::load(hidden + ends[1] * arguments.hidden_stride + channel, other);
    P2MPP_UNROLL
    for (int i = 0; i < 4; ++i) values[i] = (values[i] + other[i]) * 0.5F;
  }

  template <int kViews>
  P2MPP_DEVICE static void write_features(const Arguments& arguments, int sample, const PixelPosition* positions,
                                          float* row) {
    const LookupArguments& lookup = arguments.lookup;
    for (int m = 0; m < lookup.map_count; ++m) {
      const DeviceMap& map = lookup.maps[m];
      float* out = row + arguments.hidden_stride + map.column;
      if constexpr (kViews == kManyViews) {
        for (int channel = 4 * lane_index(); channel < map.stride; channel += 128) {
          const auto position = [positions](int view) { return positions[view]; };
          store(pool_many_views<FloatElements>(lookup, map, sample, channel, position), map, out + channel);
        }
      } else {
        ViewCorners<FloatElements> corners[kViews];
        find_view_corners(lookup, map, sample, positions, 1, corners);
        for (int channel = 4 * lane_index(); channel < map.stride; channel += 128) {
          store(pool_channels(lookup.sampling, corners, channel), map, out + channel);
        }
      }
    }
  }

  P2MPP_DEVICE static void store(const Pooled<4>& pooled, const DeviceMap& map, float* out) {
    FloatElements::store(pooled.largest, out);
    FloatElements::store(pooled.mean, out + map.stride);
    FloatElements::store(pooled.deviation, out + 2 * map.stride);
  }

  P2MPP_DEVICE static void run(const Arguments& arguments) {
    const int first_vertex = block_x() * kVertices;
    const int sample = block_y();
    const int views = arguments.lookup.views;
    auto* positions = reinterpret_cast<PixelPosition*>(shared_memory());
    for (int item = thread_index(); item < kVertices * views; item += kThreads) {
      const int projected = item / views;
      const int view = item % views;
      if (first_vertex + projected >= arguments.vertex_count) continue;
      float point[3];
      find_vertex(arguments, sample, first_vertex + projected, point);
      positions[projected * kMaxCudaViews + view] =
          project_point(arguments.lookup.transforms[sample * views + view], point);
    }
    block_barrier();
    const int vertex = first_vertex + warp_index();
    if (vertex >= arguments.vertex_count) return;
    float* row =
        arguments.output + (static_cast<std::size_t>(sample) * static_cast<std::size_t>(arguments.vertex_count) +
                            static_cast<std::size_t>(vertex)) *
                               static_cast<std::size_t>(arguments.stride);
    for (int channel = 4 * lane_index(); channel < arguments.hidden_stride; channel += 128) {
      float values[4];
      load_hidden(arguments, sample, vertex, channel, values);
      FloatElements::store(values, row + channel);
    }
    with_views(views, [&](auto count) {
      write_features<count.value>(arguments, sample, positions + warp_index() * kMaxCudaViews, row);
    });
    float point[3];
    find_vertex(arguments, sample, vertex, point);
    for (int column = arguments.point_column + lane_index(); column < arguments.stride; column += 32) {
      const int axis = column - arguments.point_column;
      row[column] = axis == 0 ? point[0] : axis == 1 ? point[1] : axis == 2 ? point[2] : 0;
    }
  }
};

}  // namespace
}  // namespace p2mpp::cuda
