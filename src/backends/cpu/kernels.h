#pragma once

#include <cstddef>
#include <cstdint>

#include "backends/common/kernel_layout.h"
#include "base/bfloat16.h"
#include "model/sampling_rules.h"
#include "p2mpp/instruction_set.h"

// The inner loops of the CPU backend, compiled once per instruction set (kernels/*.cc) and selected at run time.
// Element is the type of a product's operands in memory: float, or Bfloat16 in bf16 precision. Every instruction set
// supports Bfloat16; few have instructions for it. Sums, biases and activations are float.

namespace p2mpp {

/// The largest Kernels::row_group and Kernels::depth_group. A product reads, and does not use, what lies beyond its
/// rows in the last group of rows, and beyond their ends in the last group of elements. Operands leave room for that.
inline constexpr std::size_t kLargestRowGroup = 16;
inline constexpr std::size_t kLargestDepthGroup = 32;

inline constexpr int kMaxSegments = 18;

/// One tile of a matrix product X W, with its epilogue. A row of X consists of segments at different addresses: a
/// vertex and its neighbours in a graph convolution, or the rows of the kernel in an image convolution.
/// out = (activation(X W + bias) + residual) * scale
template <class Element>
struct Product {
  const Element* segments[kMaxSegments];  ///< of the first row
  int segment_count;
  std::size_t depth;                      ///< elements of a segment; a multiple of Kernels::depth_group
  std::size_t row_stride;                 ///< elements from one row to the next, in every segment
  int rows;                               ///< 1 to Kernels::tile_rows
  const Element* weights;                 ///< PackedWeights
  std::size_t first_column, last_column;  ///< computes [first, last); multiples of Kernels::block_columns, or the end
  const float* bias;                      ///< starting at column 0; may be null
  bool relu;
  const float* residual;  ///< laid out like out_float, may be out_float itself; may be null
  float scale;
  std::size_t out_stride;  ///< elements from one output row to the next
  float* out_float;        ///< column 0 of the first row; may be null
  Element* out_element;    ///< the output rounded to Element; may be null
  std::size_t out_rest;    ///< elements from out_element to what rounding took from it, see SplitFloat; 0: not stored
};

inline constexpr int kMaxLookupViews = 64;
inline constexpr int kMaxCorners = 4;

/// The pixels that each point of a panel samples in a map. offset[(view * corners + corner) * stride + point] is the
/// index of the pixel's first channel.
struct Lookups {
  std::int32_t* offset;
  float* weight;
  int views;
  int corners;  ///< 1, whose weight is ignored, or 4
  std::size_t stride;
};

/// Size and memory layout of one map.
struct MapGrid {
  int height, width;      ///< pixels
  std::int32_t origin;    ///< index of pixel (0, 0) of this view
  std::int32_t row_step;  ///< elements from one row of pixels to the next
  std::int32_t column_step;
  float pixels_per_cell;  ///< input image pixels per map pixel, on both axes
};

template <class Element>
struct Kernels {
  int tile_rows;              ///< rows of a product whose sums fit into the registers
  int row_group;              ///< rows that cost as much as one; tile_rows is a multiple of it
  std::size_t depth_group;    ///< elements of a row that one step of a product consumes
  std::size_t depth_step;     ///< elements of a column that are adjacent in packed weights; divides depth_group
  std::size_t block_columns;  ///< columns of a block of packed weights

  /// A thread that multiplies is in a KernelSession.
  void (*multiply)(const Product<Element>& product);
  void (*enter)();  ///< null if a session needs nothing
  void (*leave)();

  /// Computes row_count rows of support * x, starting at first_row, into out. rest: as Product::out_rest.
  void (*sum_neighbours)(const SupportRows& support, std::size_t first_row, std::size_t row_count, const float* x,
                         std::size_t stride, std::size_t width, Element* out, std::size_t rest);

  /// Completes a graph convolution whose products own = x W0 and others = x W1 are known (rows `stride` floats apart):
  /// out = max(own + T1 others + bias, 0) for row_count rows starting at first_row, `width` floats apart.
  void (*combine_neighbours)(const SupportRows& support, std::size_t first_row, std::size_t row_count, const float* own,
                             const float* others, std::size_t stride, const float* bias, std::size_t width, float* out);

  /// Element-wise; `count` is a multiple of kChannelGroup.
  void (*round)(const float* values, std::size_t count, Element* out, std::size_t rest);
  void (*average)(const float* a, const float* b, std::size_t count, float* out);

  /// Points [count,3] -> pixel coordinates in the 224x224 image, not clamped; 0 if undefined (0/0).
  void (*project)(const ViewTransform& view, const float* points, std::size_t count, float* row, float* column);

  /// Writes the corners of `count` points in view `view` to `lookups`.
  void (*find_corners)(Sampling sampling, const MapGrid& grid, const float* row, const float* column, std::size_t count,
                       int view, const Lookups& lookups);

  /// Samples `count` points and pools over the views: out[p] = [max | mean | std], each with padded_channels channels;
  /// std is sqrt(population variance + 1e-6).
  void (*pool)(const float* map, const Lookups& lookups, std::size_t count, std::size_t padded_channels, float* out,
               std::size_t out_stride);

  /// Dot products of each row of x [rows, width] with two vectors.
  void (*dot_product_pairs)(const float* x, std::size_t stride, std::size_t rows, std::size_t width,
                            const float* weights0, const float* weights1, float* out0, float* out1);
};

/// Precondition: this machine supports `set`.
template <class Element>
[[nodiscard]] const Kernels<Element>& kernels_for(InstructionSet set);
template <>
const Kernels<float>& kernels_for(InstructionSet set);
template <>
const Kernels<Bfloat16>& kernels_for(InstructionSet set);

/// The part of a task in which its thread multiplies. With AMX, the thread's tiles are configured for so long. They are
/// released at the end, because other libraries configure them as well, and because every switch of threads saves them.
template <class Element>
class KernelSession {
 public:
  explicit KernelSession(const Kernels<Element>& kernels) : leave_(kernels.leave) {
    if (kernels.enter != nullptr) kernels.enter();
  }
  ~KernelSession() {
    if (leave_ != nullptr) leave_();
  }
  KernelSession(const KernelSession&) = delete;
  KernelSession& operator=(const KernelSession&) = delete;

 private:
  void (*leave_)();
};

}  // namespace p2mpp
