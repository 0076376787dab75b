#include "image/reduced_view.h"

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <utility>

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

std::vector<std::size_t> views_beside(std::span<const Eigen::Vector3f> centres, std::size_t which,
                                      const Eigen::Vector3f& middle, std::size_t most) {
  constexpr float kLeastAngle = 0.12F, kLargestAngle = 0.8F;  // radians
  std::vector<std::pair<float, std::size_t>> found;
  const Eigen::Vector3f own = (centres[which] - middle).normalized();
  for (std::size_t i = 0; i < centres.size(); ++i) {
    const float angle = std::acos(std::clamp(own.dot((centres[i] - middle).normalized()), -1.0F, 1.0F));
    if (i != which && angle >= kLeastAngle && angle <= kLargestAngle) found.emplace_back(angle, i);
  }
  std::ranges::sort(found);
  found.resize(std::min(found.size(), most));
  std::vector<std::size_t> beside;
  for (const auto& [angle, view] : found) beside.push_back(view);
  return beside;
}

}  // namespace p2mpp
