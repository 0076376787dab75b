#pragma once

#include <cstddef>

namespace p2mpp {

/// Interpolation of a feature map; see the table of semantics in docs/models.md.
enum class Sampling { kNearest, kBilinear, kFloorCeil };

/// Treatment of transparent pixels.
enum class AlphaRule {
  kTransparentToWhite,  ///< alpha == 0 becomes white, other pixels keep their colour (the original)
  kBlendOnWhite,        ///< colour * alpha + white * (1 - alpha), rounded to 8 bits as PIL does
};

/// The rules that turn a decoded image into the network's input.
struct ImageRules {
  AlphaRule alpha = AlphaRule::kBlendOnWhite;
  std::size_t channels = 3;  ///< 3: colours; 4: colours and the object's mask
};

/// The rules for projecting points and reading maps.
struct ProjectionRules {
  Sampling sampling = Sampling::kBilinear;
  bool view_index_scaled = false;  ///< the view's index is divided by the map's scale, too (tf, design_b; stage 1)
  bool normalised_origin = false;  ///< R (p - o/|o|), z at most -0.1 (design_b; stage 2)
};

/// Transform from the points' frame to a view's camera, rotation * p + translation, where z is then limited, and the
/// camera's intrinsics.
struct ViewTransform {
  double rotation[9];  ///< row-major
  double translation[3];
  double largest_z;       ///< z is at most this; infinity: no bound
  double fx, fy, cx, cy;  ///< pixels of the 224x224 image
};

}  // namespace p2mpp
