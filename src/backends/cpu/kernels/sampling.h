#pragma once

#include "backends/cpu/kernels.h"
#include "backends/cpu/kernels/vector.h"

namespace p2mpp {
namespace {

// Plain loops over points, which the compiler vectorises.

P2MPP_INLINE float clamped(float value, float low, float high) {
  const float above = value < low ? low : value;
  return above > high ? high : above;
}

// Computes in double and rounds once, so that the sampled pixel depends only on the inputs, not on the instruction set.
void project(const ViewTransform& view, const float* points, std::size_t count, float* row, float* column) {
  const double* r = view.rotation;
  const double* t = view.translation;
  for (std::size_t i = 0; i < count; ++i) {
    const double px = points[3 * i];
    const double py = points[3 * i + 1];
    const double pz = points[3 * i + 2];
    const double x = r[0] * px + r[1] * py + r[2] * pz + t[0];
    const double y = r[3] * px + r[4] * py + r[5] * pz + t[1];
    const double unbounded_z = r[6] * px + r[7] * py + r[8] * pz + t[2];
    const double z = unbounded_z > view.largest_z ? view.largest_z : unbounded_z;
    const double pixel_row = view.fy * (-y / -z) + view.cy;
    const double pixel_column = view.fx * (x / -z) + view.cx;
    row[i] = static_cast<float>(pixel_row == pixel_row ? pixel_row : 0.0);
    column[i] = static_cast<float>(pixel_column == pixel_column ? pixel_column : 0.0);
  }
}

struct CornerArrays {
  std::int32_t* offset[kMaxCorners];
  float* weight[kMaxCorners];
};

P2MPP_INLINE CornerArrays corner_arrays(const Lookups& lookups, int view) {
  CornerArrays arrays{};
  for (int corner = 0; corner < lookups.corners; ++corner) {
    const std::size_t first = static_cast<std::size_t>(view * lookups.corners + corner) * lookups.stride;
    arrays.offset[corner] = lookups.offset + first;
    arrays.weight[corner] = lookups.weight + first;
  }
  return arrays;
}

void find_nearest(const MapGrid& grid, const float* row, const float* column, std::size_t count,
                  const CornerArrays& out) {
  for (std::size_t i = 0; i < count; ++i) {
    const auto y = static_cast<std::int32_t>(clamped(row[i], 0, 223) / grid.pixels_per_cell);
    const auto x = static_cast<std::int32_t>(clamped(column[i], 0, 223) / grid.pixels_per_cell);
    out.offset[0][i] = grid.origin + y * grid.row_step + x * grid.column_step;
  }
}

// Both bilinear rules use the four pixels around a point; they differ in the weights at integer coordinates.
template <bool kFloorAndCeil>
void find_four(const MapGrid& grid, const float* row, const float* column, std::size_t count, const CornerArrays& out) {
  const auto bottom_row = grid.height - 1;
  const auto right_column = grid.width - 1;
  const auto limit_y = kFloorAndCeil ? 223 / grid.pixels_per_cell : static_cast<float>(bottom_row);
  const auto limit_x = kFloorAndCeil ? 223 / grid.pixels_per_cell : static_cast<float>(right_column);
  for (std::size_t i = 0; i < count; ++i) {
    const float y = clamped(row[i] / grid.pixels_per_cell, 0, limit_y);
    const float x = clamped(column[i] / grid.pixels_per_cell, 0, limit_x);
    const auto top = static_cast<std::int32_t>(y);  // truncation is floor: neither is negative
    const auto left = static_cast<std::int32_t>(x);
    const auto bottom = top + 1 > bottom_row ? bottom_row : top + 1;
    const auto right = left + 1 > right_column ? right_column : left + 1;
    const float down = y - static_cast<float>(top);
    const float forth = x - static_cast<float>(left);
    float up = 1 - down;
    float back = 1 - forth;
    float taken_down = down;
    float taken_forth = forth;
    if constexpr (kFloorAndCeil) {
      up = down == 0 ? 0 : up;  // ceil(y) - y
      back = forth == 0 ? 0 : back;
      taken_down = top + 1 > bottom_row ? 0 : down;  // a corner outside the map counts as 0
      taken_forth = left + 1 > right_column ? 0 : forth;
    }
    const std::int32_t y0 = grid.origin + top * grid.row_step;
    const std::int32_t y1 = grid.origin + bottom * grid.row_step;
    const std::int32_t x0 = left * grid.column_step;
    const std::int32_t x1 = right * grid.column_step;
    out.offset[0][i] = y0 + x0;
    out.offset[1][i] = y0 + x1;
    out.offset[2][i] = y1 + x0;
    out.offset[3][i] = y1 + x1;
    out.weight[0][i] = up * back;
    out.weight[1][i] = up * taken_forth;
    out.weight[2][i] = taken_down * back;
    out.weight[3][i] = taken_down * taken_forth;
  }
}

void find_corners(Sampling sampling, const MapGrid& grid, const float* row, const float* column, std::size_t count,
                  int view, const Lookups& lookups) {
  const CornerArrays out = corner_arrays(lookups, view);
  switch (sampling) {
    case Sampling::kNearest:
      return find_nearest(grid, row, column, count, out);
    case Sampling::kBilinear:
      return find_four<false>(grid, row, column, count, out);
    case Sampling::kFloorCeil:
      return find_four<true>(grid, row, column, count, out);
  }
}

// Up to this number of views, the samples of a point stay in registers.
constexpr int kViewsInRegisters = 5;

// Pools one point. The views' samples stay in registers.
template <int kViews, int kCorners>
P2MPP_INLINE void pool_point(const float* map, const Lookups& lookups, std::size_t point, std::size_t channels,
                             float* out) {
  const float* corner[kViews][kCorners];
  Vector weight[kViews][kCorners];
  P2MPP_UNROLL
  for (int view = 0; view < kViews; ++view) {
    P2MPP_UNROLL
    for (int c = 0; c < kCorners; ++c) {
      const std::size_t at = static_cast<std::size_t>(view * kCorners + c) * lookups.stride + point;
      corner[view][c] = map + lookups.offset[at];
      if constexpr (kCorners > 1) weight[view][c] = broadcast(lookups.weight[at]);
    }
  }
  for (std::size_t channel = 0; channel < channels; channel += kLanes) {
    Vector sample[kViews];
    P2MPP_UNROLL
    for (int view = 0; view < kViews; ++view) {
      sample[view] = load(corner[view][0] + channel);
      if constexpr (kCorners > 1) sample[view] *= weight[view][0];
      P2MPP_UNROLL
      for (int c = 1; c < kCorners; ++c) sample[view] += weight[view][c] * load(corner[view][c] + channel);
    }
    Vector largest = sample[0];
    Vector sum = sample[0];
    P2MPP_UNROLL
    for (int view = 1; view < kViews; ++view) {
      largest = larger(largest, sample[view]);
      sum += sample[view];
    }
    const Vector mean = sum * (1.0F / kViews);
    Vector squares{};
    P2MPP_UNROLL
    for (int view = 0; view < kViews; ++view) squares += (sample[view] - mean) * (sample[view] - mean);
    store(largest, out + channel);
    store(mean, out + channels + channel);
    store(square_root(squares * (1.0F / kViews) + 1e-6F), out + 2 * channels + channel);
  }
}

template <int kViews, int kCorners>
void pool_points(const float* map, const Lookups& lookups, std::size_t count, std::size_t channels, float* out,
                 std::size_t out_stride) {
  for (std::size_t point = 0; point < count; ++point, out += out_stride) {
    pool_point<kViews, kCorners>(map, lookups, point, channels, out);
  }
}

// The same for any number of views, whose samples stay in the first-level cache.
template <int kCorners>
void pool_point_of_many(const float* map, const Lookups& lookups, std::size_t point, std::size_t channels, float* out) {
  const float share = 1.0F / static_cast<float>(lookups.views);
  for (std::size_t channel = 0; channel < channels; channel += kLanes) {
    Vector sample[kMaxLookupViews];
    Vector largest{};
    Vector sum{};
    std::size_t at = point;
    for (int view = 0; view < lookups.views; ++view) {
      Vector value{};
      P2MPP_UNROLL
      for (int c = 0; c < kCorners; ++c, at += lookups.stride) {
        const Vector corner = load(map + lookups.offset[at] + channel);
        value = kCorners == 1 ? corner : value + broadcast(lookups.weight[at]) * corner;
      }
      largest = view == 0 ? value : larger(largest, value);
      sum += value;
      sample[view] = value;
    }
    const Vector mean = sum * share;
    Vector squares{};
    for (int view = 0; view < lookups.views; ++view) squares += (sample[view] - mean) * (sample[view] - mean);
    store(largest, out + channel);
    store(mean, out + channels + channel);
    store(square_root(squares * share + 1e-6F), out + 2 * channels + channel);
  }
}

template <int kCorners>
void pool_points_of_many(const float* map, const Lookups& lookups, std::size_t count, std::size_t channels, float* out,
                         std::size_t out_stride) {
  for (std::size_t point = 0; point < count; ++point, out += out_stride) {
    pool_point_of_many<kCorners>(map, lookups, point, channels, out);
  }
}

// Selects the code compiled for this number of views.
template <int kViews = kViewsInRegisters>
void pool(const float* map, const Lookups& lookups, std::size_t count, std::size_t channels, float* out,
          std::size_t out_stride) {
  if (lookups.views > kViewsInRegisters) {
    if (lookups.corners == 1) return pool_points_of_many<1>(map, lookups, count, channels, out, out_stride);
    return pool_points_of_many<kMaxCorners>(map, lookups, count, channels, out, out_stride);
  }
  if constexpr (kViews > 1) {
    if (lookups.views < kViews) return pool<kViews - 1>(map, lookups, count, channels, out, out_stride);
  }
  if (lookups.corners == 1) return pool_points<kViews, 1>(map, lookups, count, channels, out, out_stride);
  pool_points<kViews, kMaxCorners>(map, lookups, count, channels, out, out_stride);
}

}  // namespace
}  // namespace p2mpp
