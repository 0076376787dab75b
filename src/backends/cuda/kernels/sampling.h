#pragma once

#include "backends/cuda/arguments.h"
#include "backends/cuda/kernels/arithmetic.h"

// Feature sampling as in backends/cpu/kernels/sampling.h, one point at a time. Functions marked P2MPP_HOST_DEVICE are
// pure arithmetic, which tests compare directly with the CPU's.

namespace p2mpp::cuda {
namespace {

struct PixelPosition {
  float row, column;  ///< pixels of the 224x224 image, not clamped
};

/// Computes in double and rounds once, so that the sampled pixel depends only on the inputs, not on the device.
P2MPP_HOST_DEVICE inline PixelPosition project_point(const ViewTransform& view, const float (&point)[3]) {
  const double* r = view.rotation;
  const double* t = view.translation;
  const double px = point[0];
  const double py = point[1];
  const double pz = point[2];
  const double x = r[0] * px + r[1] * py + r[2] * pz + t[0];
  const double y = r[3] * px + r[4] * py + r[5] * pz + t[1];
  const double unbounded_z = r[6] * px + r[7] * py + r[8] * pz + t[2];
  const double z = unbounded_z > view.largest_z ? view.largest_z : unbounded_z;
  const double row = view.fy * (-y / -z) + view.cy;
  const double column = view.fx * (x / -z) + view.cx;
  return {static_cast<float>(row == row ? row : 0.0), static_cast<float>(column == column ? column : 0.0)};
}

P2MPP_HOST_DEVICE inline float clamped(float value, float low, float high) {
  const float above = value < low ? low : value;
  return above > high ? high : above;
}

/// The pixels of a map that a point samples, as indices within a view's map, and their weights.
struct Corners {
  int index[4];
  float weight[4];
  int count;  ///< 1, with weight 1, or 4
};

/// cells_per_pixel: side / 224, a power of two, so multiplying is as exact as dividing.
P2MPP_HOST_DEVICE inline Corners find_corners(Sampling sampling, int side, float cells_per_pixel,
                                              const PixelPosition& position) {
  if (sampling == Sampling::kNearest) {
    const auto y = static_cast<int>(clamped(position.row, 0, 223) * cells_per_pixel);
    const auto x = static_cast<int>(clamped(position.column, 0, 223) * cells_per_pixel);
    return {{y * side + x, 0, 0, 0}, {1, 0, 0, 0}, 1};
  }
  const bool floor_and_ceil = sampling == Sampling::kFloorCeil;
  const int last = side - 1;
  const float limit = floor_and_ceil ? 223 * cells_per_pixel : static_cast<float>(last);
  const float y = clamped(position.row * cells_per_pixel, 0, limit);
  const float x = clamped(position.column * cells_per_pixel, 0, limit);
  const auto top = static_cast<int>(y);  // truncation is floor: neither is negative
  const auto left = static_cast<int>(x);
  const int bottom = top + 1 > last ? last : top + 1;
  const int right = left + 1 > last ? last : left + 1;
  float down = y - static_cast<float>(top);
  float forth = x - static_cast<float>(left);
  float up = 1 - down;
  float back = 1 - forth;
  if (floor_and_ceil) {
    up = down == 0 ? 0 : up;  // ceil(y) - y
    back = forth == 0 ? 0 : back;
    down = top + 1 > last ? 0 : down;  // a corner outside the map counts as 0
    forth = left + 1 > last ? 0 : forth;
  }
  return {{top * side + left, top * side + right, bottom * side + left, bottom * side + right},
          {up * back, up * forth, down * back, down * forth},
          4};
}

/// The view whose map is sampled for view `view`.
P2MPP_HOST_DEVICE inline int view_read(bool view_index_scaled, float cells_per_pixel, int view) {
  return view_index_scaled ? static_cast<int>(static_cast<float>(view) * cells_per_pixel) : view;
}

/// Calls function(Count<views>), or function(Count<kManyViews>) for more than kViewsAtOnce. With a compile-time number
/// of views, the loads for all views are in flight at once.
inline constexpr int kManyViews = 0;
template <int kCount>
struct Count {
  static constexpr int value = kCount;
};
template <class Function>
P2MPP_DEVICE void with_views(int views, const Function& function) {
  static_assert(kViewsAtOnce == 5);
  switch (views) {
    case 1:
      return function(Count<1>{});
    case 2:
      return function(Count<2>{});
    case 3:
      return function(Count<3>{});
    case 4:
      return function(Count<4>{});
    case 5:
      return function(Count<5>{});
    default:
      return function(Count<kManyViews>{});
  }
}

/// The pixels that a point samples in one view's map; see Corners.
template <class P>
struct ViewCorners {
  const typename P::Element* view_map;
  int offset[4];  ///< elements
  float weight[4];
};

/// views: of a sample.
template <class P>
P2MPP_DEVICE void find_corners_in_view(const LookupArguments& lookup, const DeviceMap& map, int sample, int views,
                                       int view, const PixelPosition& position, ViewCorners<P>& corners) {
  const auto* maps = static_cast<const typename P::Element*>(map.values);
  const std::size_t map_size = static_cast<std::size_t>(map.side * map.side) * static_cast<std::size_t>(map.stride);
  const Corners found = find_corners(lookup.sampling, map.side, map.cells_per_pixel, position);
  const int source = view_read(lookup.view_index_scaled, map.cells_per_pixel, view);
  corners.view_map = maps + static_cast<std::size_t>(sample * views + source) * map_size;
  P2MPP_UNROLL
  for (int i = 0; i < 4; ++i) {
    corners.offset[i] = found.index[i] * map.stride;
    corners.weight[i] = found.weight[i];
  }
}

/// positions: one per view, `position_stride` apart.
template <class P, int kViews>
P2MPP_DEVICE void find_view_corners(const LookupArguments& lookup, const DeviceMap& map, int sample,
                                    const PixelPosition* positions, int position_stride,
                                    ViewCorners<P> (&corners)[kViews]) {
  P2MPP_UNROLL
  for (int view = 0; view < kViews; ++view) {
    find_corners_in_view(lookup, map, sample, kViews, view, positions[view * position_stride], corners[view]);
  }
}

/// Interpolates the first kCorners corners of each view.
template <class P, int kCorners, int kViews>
P2MPP_DEVICE void interpolate(const ViewCorners<P> (&corners)[kViews], int channel,
                              float (&samples)[kViews][P::kPiece]) {
  P2MPP_UNROLL
  for (int view = 0; view < kViews; ++view) {
    P2MPP_UNROLL
    for (int i = 0; i < P::kPiece; ++i) samples[view][i] = 0;
    P2MPP_UNROLL
    for (int corner = 0; corner < kCorners; ++corner) {
      float values[P::kPiece];
      P::load(corners[view].view_map + (corners[view].offset[corner] + channel), values);
      P2MPP_UNROLL
      for (int i = 0; i < P::kPiece; ++i) samples[view][i] += corners[view].weight[corner] * values[i];
    }
  }
}

/// Maximum, mean and standard deviation over the views.
template <int kChannels>
struct Pooled {
  float largest[kChannels], mean[kChannels], deviation[kChannels];
};

/// Samples a piece of a map's channels (16 bytes of each pixel) in each view and pools over the views.
template <class P, int kViews>
P2MPP_DEVICE Pooled<P::kPiece> pool_channels(Sampling sampling, const ViewCorners<P> (&corners)[kViews], int channel) {
  float samples[kViews][P::kPiece];
  if (sampling == Sampling::kNearest) {
    interpolate<P, 1>(corners, channel, samples);
  } else {
    interpolate<P, 4>(corners, channel, samples);
  }
  constexpr float kShare = 1.0F / kViews;
  Pooled<P::kPiece> pooled;
  P2MPP_UNROLL
  for (int i = 0; i < P::kPiece; ++i) {
    pooled.largest[i] = samples[0][i];
    float sum = samples[0][i];
    P2MPP_UNROLL
    for (int view = 1; view < kViews; ++view) {
      pooled.largest[i] = pooled.largest[i] < samples[view][i] ? samples[view][i] : pooled.largest[i];
      sum += samples[view][i];
    }
    pooled.mean[i] = sum * kShare;
    float squares = 0;
    P2MPP_UNROLL
    for (int view = 0; view < kViews; ++view) {
      const float difference = samples[view][i] - pooled.mean[i];
      squares += difference * difference;
    }
    pooled.deviation[i] = P::root(squares * kShare + 1e-6F);
  }
  return pooled;
}

/// The same for any number of views, one after the other. position(view): the point's pixel. Sums are of differences
/// from the first view's sample. This is one of the samples, so the variance loses no digits, even if the mean is
/// large.
template <class P, class Position>
P2MPP_DEVICE Pooled<P::kPiece> pool_many_views(const LookupArguments& lookup, const DeviceMap& map, int sample,
                                               int channel, const Position& position) {
  constexpr int kPiece = P::kPiece;
  float first[kPiece];
  float sums[kPiece] = {};
  float squares[kPiece] = {};
  Pooled<kPiece> pooled;
  for (int view = 0; view < lookup.views; ++view) {
    ViewCorners<P> corners[1];
    find_corners_in_view(lookup, map, sample, lookup.views, view, position(view), corners[0]);
    float values[1][kPiece];
    if (lookup.sampling == Sampling::kNearest) {
      interpolate<P, 1>(corners, channel, values);
    } else {
      interpolate<P, 4>(corners, channel, values);
    }
    P2MPP_UNROLL
    for (int i = 0; i < kPiece; ++i) {
      const float value = values[0][i];
      first[i] = view == 0 ? value : first[i];
      pooled.largest[i] = view == 0 || pooled.largest[i] < value ? value : pooled.largest[i];
      const float difference = value - first[i];
      sums[i] += difference;
      squares[i] += difference * difference;
    }
  }
  const float share = 1.0F / static_cast<float>(lookup.views);
  P2MPP_UNROLL
  for (int i = 0; i < kPiece; ++i) {
    const float shift = sums[i] * share;
    const float variance = squares[i] * share - shift * shift;
    pooled.mean[i] = first[i] + shift;
    pooled.deviation[i] = P::root((variance < 0 ? 0 : variance) + 1e-6F);
  }
  return pooled;
}

}  // namespace
}  // namespace p2mpp::cuda
