#pragma once

#include <cstddef>
#include <cstdint>

#include "backends/common/channel_group.h"
#include "backends/common/support_rows.h"
#include "base/bfloat16.h"
#include "model/sampling_rules.h"
#include "p2mpp/instruction_set.h"

// The inner loops of the CPU's operations, compiled once for each instruction set (kernels/*.cc) and chosen at run
// time. Element is what the operands of products lie in memory as: float, or Bfloat16 for bf16 precision, which every
// instruction set computes and avx512_bf16 computes twice as fast. Sums, biases and states are float.

namespace p2mpp {

/// Elements of a row that a product takes at once: a segment's depth is a multiple of it.
template <class Element>
inline constexpr std::size_t kDepthStep = sizeof(float) / sizeof(Element);

inline constexpr int kMaxSegments = 16;

/// A few rows of a product X W with what follows it. A row of X is cut into segments that lie apart: the neighbours'
/// part of a graph convolution, or the kernel rows of an image convolution.
/// out = (activation(X W + bias) + residual) * scale
template <class Element>
struct Product {
  const Element* segments[kMaxSegments];  ///< where the first row's begin
  int segment_count;
  std::size_t depth;                      ///< elements of a segment; a multiple of kDepthStep
  std::size_t row_stride;                 ///< elements from one row to the next, in every segment
  int rows;                               ///< 1 to Kernels::tile_rows
  const Element* weights;                 ///< PackedWeights
  std::size_t first_column, last_column;  ///< computes [first, last); multiples of Kernels::block_columns, or the end
  const float* bias;                      ///< of column 0, or null
  bool relu;
  const float* residual;  ///< like out_float; null: none. May be out_float itself.
  float scale;
  std::size_t out_stride;  ///< elements from one row of the outputs to the next; column 0 of the first row is at 0
  float* out_float;        ///< null: not wanted
  Element* out_element;    ///< the same rounded to Element; null: not wanted
};

inline constexpr int kMaxLookupViews = 5;
inline constexpr int kMaxCorners = 4;

/// Where a map is read for each point of a panel: offset[(view * corners + corner) * stride + point] is the element
/// that the pixel's channels begin at.
struct Lookups {
  std::int32_t* offset;
  float* weight;
  int views;
  int corners;  ///< 1, its weight taken as 1, or 4
  std::size_t stride;
};

/// The geometry of one map.
struct MapGrid {
  int height, width;      ///< pixels
  std::int32_t origin;    ///< offset of pixel (0, 0) of this view
  std::int32_t row_step;  ///< elements from one row of pixels to the next
  std::int32_t column_step;
  float pixels_per_cell;  ///< of the network's input for each of the map's, both axes
};

template <class Element>
struct Kernels {
  int tile_rows;              ///< rows of a product whose sums fit into the registers
  std::size_t block_columns;  ///< columns of a block of packed weights

  void (*multiply)(const Product<Element>& product);

  /// out[r] = sum of weighted rows of x, for row_count rows of the support from first_row on.
  void (*sum_neighbours)(const SupportRows& support, std::size_t first_row, std::size_t row_count, const float* x,
                         std::size_t stride, std::size_t width, Element* out);

  /// Ends a graph convolution whose products own = x W0 and others = x W1 are known (rows `stride` floats apart):
  /// out = max(own + T1 others + bias, 0), for row_count rows from first_row on, `width` floats apart.
  void (*combine_neighbours)(const SupportRows& support, std::size_t first_row, std::size_t row_count, const float* own,
                             const float* others, std::size_t stride, const float* bias, std::size_t width, float* out);

  /// Element-wise, `count` a multiple of kChannelGroup.
  void (*round)(const float* values, std::size_t count, Element* out);
  void (*average)(const float* a, const float* b, std::size_t count, float* out);

  /// Points [count,3] -> pixels of the 224x224 image, not clamped; 0 where undefined (0/0).
  void (*project)(const ViewTransform& view, const float* points, std::size_t count, float* row, float* column);

  /// Writes the corners of `view` for count points.
  void (*find_corners)(Sampling sampling, const MapGrid& grid, const float* row, const float* column, std::size_t count,
                       int view, const Lookups& lookups);

  /// Samples `count` points and pools over the views: out[p] = [max | mean | std], each of padded_channels(channels);
  /// std is sqrt(population variance + 1e-6).
  void (*pool)(const float* map, const Lookups& lookups, std::size_t count, std::size_t padded_channels, float* out,
               std::size_t out_stride);

  /// Products of rows x [rows, width] with two vectors.
  void (*two_dots)(const float* x, std::size_t stride, std::size_t rows, std::size_t width, const float* weights0,
                   const float* weights1, float* out0, float* out1);
};

/// For a set that this machine can run.
template <class Element>
[[nodiscard]] const Kernels<Element>& kernels_for(InstructionSet set);

}  // namespace p2mpp
