#include "image/reduced_view.h"

#include <cstddef>
#include <cstdint>

namespace p2mpp {

ReducedView reduced(const MaskView& view, int factor) {
  constexpr std::uint8_t kCovered = 200;
  ReducedView result;
  result.size = view.width / factor;
  for (int row = 0; row < result.size; ++row) {
    for (int column = 0; column < result.size; ++column) {
      float sum = 0;
      for (int k = 0; k < factor * factor; ++k) {
        const auto at =
            static_cast<std::size_t>((row * factor + k / factor) * view.width + column * factor + k % factor);
        sum += view.coverage[at] >= kCovered ? static_cast<float>(view.brightness[at]) : kUnknown;
      }
      result.brightness.push_back(sum / static_cast<float>(factor * factor));
    }
  }
  Pinhole<double> camera = view.camera();
  camera.focal /= factor;
  camera.principal_point /= factor;
  result.camera = camera.cast<float>();
  return result;
}

}  // namespace p2mpp
