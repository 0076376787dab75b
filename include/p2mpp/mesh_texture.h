#pragma once

#include <Eigen/Core>
#include <array>
#include <vector>

#include "p2mpp/image.h"

namespace p2mpp {

/// A picture on a mesh. The colours are sRGB.
struct MeshTexture {
  /// Where each triangle's corners are in the image [T]: (0,0) is the upper left corner of the image, (1,1) the lower
  /// right, as in glTF.
  std::vector<std::array<Eigen::Vector2f, 3>> corners;
  Image image;
  /// Directions of a finer surface's normals at the texels, as a normal map of glTF; without pixels if there is none.
  Image normal_map = {};
};

}  // namespace p2mpp
