#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "backends/common/channel_group.h"

namespace p2mpp {

/// Where a layer's input has its columns in another order than the checkpoint, or padding between them: for each of its
/// columns the checkpoint's, or kNoColumn.
inline constexpr std::size_t kNoColumn = static_cast<std::size_t>(-1);

/// One weight by the input's own column. `columns` as above; empty: those of the checkpoint.
[[nodiscard]] inline float weight_at(std::span<const float> weight, std::size_t out_channels,
                                     std::span<const std::size_t> columns, std::size_t in, std::size_t out) {
  const std::size_t row = columns.empty() ? in : columns[in];
  return row == kNoColumn ? 0.0F : weight[row * out_channels + out];
}

/// The columns of a projected point as the CPU's operations hold them: for each map [max | mean | std], each padded to
/// kChannelGroup, then x, y, z. The checkpoints' order is [xyz, max of all maps, mean of all, std of all].
class ProjectionLayout {
 public:
  ProjectionLayout() = default;
  explicit ProjectionLayout(std::span<const std::size_t> map_channels);

  [[nodiscard]] std::size_t width() const { return point_column() + 3; }
  [[nodiscard]] std::size_t map_column(std::size_t map) const { return map_columns_[map]; }
  [[nodiscard]] std::size_t point_column() const { return map_columns_.back(); }

  /// The checkpoint's column for each of ours; kNoColumn for padding.
  [[nodiscard]] std::span<const std::size_t> checkpoint_columns() const { return checkpoint_columns_; }
  [[nodiscard]] std::size_t checkpoint_width() const;

  /// Rows in the checkpoint's order; `rows` begin at their first map's column and are `stride` apart.
  [[nodiscard]] std::vector<float> in_checkpoint_order(const float* rows, std::size_t count, std::size_t stride) const;

 private:
  std::vector<std::size_t> map_columns_;  // and where they end
  std::vector<std::size_t> checkpoint_columns_;
};

}  // namespace p2mpp
