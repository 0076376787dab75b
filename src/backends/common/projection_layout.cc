#include "backends/common/projection_layout.h"

#include <algorithm>
#include <numeric>

namespace p2mpp {

ProjectionLayout::ProjectionLayout(std::span<const std::size_t> map_channels) {
  const std::size_t all_channels = std::accumulate(map_channels.begin(), map_channels.end(), std::size_t{0});
  std::size_t column = 0;
  std::size_t channels_before = 0;
  for (const std::size_t channels : map_channels) {
    map_columns_.push_back(column);
    const std::size_t padded = padded_channels(channels);
    for (std::size_t statistic = 0; statistic < 3; ++statistic) {
      for (std::size_t channel = 0; channel < padded; ++channel) {
        const std::size_t source = 3 + statistic * all_channels + channels_before + channel;
        checkpoint_columns_.push_back(channel < channels ? source : kNoColumn);
      }
    }
    column += 3 * padded;
    channels_before += channels;
  }
  map_columns_.push_back(column);
  for (std::size_t axis = 0; axis < 3; ++axis) checkpoint_columns_.push_back(axis);
}

std::size_t ProjectionLayout::checkpoint_width() const {
  return static_cast<std::size_t>(
      std::ranges::count_if(checkpoint_columns_, [](std::size_t column) { return column != kNoColumn; }));
}

std::vector<float> ProjectionLayout::in_checkpoint_order(const float* rows, std::size_t count,
                                                         std::size_t stride) const {
  const std::size_t width = checkpoint_width();
  std::vector<float> result(count * width);
  for (std::size_t row = 0; row < count; ++row) {
    for (std::size_t column = 0; column < checkpoint_columns_.size(); ++column) {
      if (checkpoint_columns_[column] == kNoColumn) continue;
      result[row * width + checkpoint_columns_[column]] = rows[row * stride + column];
    }
  }
  return result;
}

}  // namespace p2mpp
