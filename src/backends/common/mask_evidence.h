#pragma once

#include <cmath>
#include <cstdint>

#include "backends/common/host_device.h"
#include "backends/common/resize.h"
#include "model/network_layout.h"

namespace p2mpp {

// What a mask says about each pixel, as a map of kEvidenceChannels numbers that stage 2 samples like those of its CNN.
// d is the distance in pixels from the pixel's centre to the mask's border, positive outside the object: the distance
// to the nearest pixel of the other kind, less a half. Channel 0 is d / 32, channel 1 is d / 4, both at most 1 in
// magnitude. python/p2mpp/network/mask_evidence.py computes the same. Up to the square root there are only integers, so
// the CPU, CUDA and PyTorch give identical bits.

inline constexpr int kEvidenceReach = 32;  ///< pixels; distances beyond it count as this one
inline constexpr float kNearEvidence = 4;  ///< pixels
inline constexpr int kLeastObject = 128;   ///< of 255: a pixel with as much mask is object

/// What the columns need to know of a pixel: the distance along its row to the nearest pixel of the other kind,
/// kEvidenceReach at most, and whether it is object.
struct RowDistance {
  std::uint8_t value = 0;

  [[nodiscard]] P2MPP_HOST_DEVICE static RowDistance of(int distance, bool object) {
    return {static_cast<std::uint8_t>(distance | (object ? 128 : 0))};
  }
  [[nodiscard]] P2MPP_HOST_DEVICE bool object() const { return value >= 128; }
  [[nodiscard]] P2MPP_HOST_DEVICE int distance() const { return value % 128; }
};

/// mask: a row of kResizedSide values, 0 to 255.
[[nodiscard]] P2MPP_HOST_DEVICE inline RowDistance row_distance(const std::uint8_t* mask, int x) {
  const bool object = mask[x] >= kLeastObject;
  int distance = 1;
  for (; distance < kEvidenceReach; ++distance) {
    if (x >= distance && (mask[x - distance] >= kLeastObject) != object) break;
    if (x + distance < kResizedSide && (mask[x + distance] >= kLeastObject) != object) break;
  }
  return RowDistance::of(distance, object);
}

/// rows: [kResizedSide, kResizedSide] of one view.
P2MPP_HOST_DEVICE inline void find_evidence(const RowDistance* rows, int x, int y,
                                            float (&evidence)[kEvidenceChannels]) {
  const RowDistance own = rows[y * kResizedSide + x];
  int squared = own.distance() * own.distance();
  for (int step = 1; step * step < squared; ++step) {
    for (int side = -1; side <= 1; side += 2) {
      const int row = y + side * step;
      if (row < 0 || row >= kResizedSide) continue;
      const RowDistance there = rows[row * kResizedSide + x];
      const int along = there.object() == own.object() ? there.distance() : 0;
      const int candidate = step * step + along * along;
      squared = candidate < squared ? candidate : squared;
    }
  }
  const float distance = std::sqrt(static_cast<float>(squared)) - 0.5F;
  const float near = distance < kNearEvidence ? distance / kNearEvidence : 1;
  const float sign = own.object() ? -1.0F : 1.0F;
  evidence[0] = sign * (distance / kEvidenceReach);
  evidence[1] = sign * near;
}

}  // namespace p2mpp
