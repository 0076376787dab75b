#include "backends/common/mask_evidence.h"

#include <algorithm>
#include <vector>

namespace p2mpp {

void find_evidence(std::span<const float> mask, std::span<float> evidence) {
  constexpr std::size_t kPixels = std::size_t{kResizedSide} * kResizedSide;
  std::vector<std::uint8_t> bytes(kPixels);
  std::ranges::transform(mask, bytes.begin(),
                         [](float share) { return static_cast<std::uint8_t>(std::lrint(255 * share)); });
  std::vector<RowDistance> rows(kPixels);
  for (int y = 0; y < kResizedSide; ++y) {
    for (int x = 0; x < kResizedSide; ++x) {
      rows[static_cast<std::size_t>(y * kResizedSide + x)] = row_distance(bytes.data() + y * kResizedSide, x);
    }
  }
  float* out = evidence.data();
  for (int y = 0; y < kResizedSide; ++y) {
    for (int x = 0; x < kResizedSide; ++x) {
      float found[kEvidenceChannels];
      find_evidence(rows.data(), x, y, found);
      out = std::copy_n(found, kEvidenceChannels, out);
    }
  }
}

}  // namespace p2mpp
