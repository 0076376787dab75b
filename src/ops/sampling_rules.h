#pragma once

namespace p2mpp {

/// How a map is read between its pixels; see the table of semantics in ARCHITECTURE.md.
enum class Sampling { kNearest, kBilinear, kFloorCeil };

/// From the frame that points are given in to a view's camera: rotation * p + translation, then the depth's bound.
struct ViewTransform {
  double rotation[9];  ///< row-major
  double translation[3];
  double largest_z;  ///< z is at most this; infinity: no bound
};

}  // namespace p2mpp
