#pragma once

#include <Eigen/Core>
#include <vector>

#include "p2mpp/image.h"

namespace p2mpp {

/// Looks colours up in a texture and its reductions (mip levels). Thread-safe.
class TextureLookup {
 public:
  /// Precondition: the image has pixels.
  explicit TextureLookup(const Image& image);

  /// The linear colour at a place, (0, 0) the upper left corner and (1, 1) the lower right; outside, the texture
  /// repeats. `texels`: how many of the image's texels a sample covers one way.
  [[nodiscard]] Eigen::Vector3f at(const Eigen::Vector2f& uv, float texels) const;

  [[nodiscard]] int width() const { return levels_.front().width; }
  [[nodiscard]] int height() const { return levels_.front().height; }

 private:
  std::vector<Image> levels_;  ///< each half as large as the one before
};

}  // namespace p2mpp
