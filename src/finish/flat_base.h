#pragma once

#include <optional>

#include "p2mpp/triangle_mesh.h"

namespace p2mpp {

/// A mesh that stands on the plane z = 0, with the middle of its box above the origin.
struct FlatBase {
  TriangleMesh mesh;
  double cut = 0;   ///< height that was cut off
  double area = 0;  ///< of the face on the ground
};

/// Cuts off the lowest part. `depth`: its height; 0: nothing is cut. Without it, so much that the face has most of the
/// area that a deeper cut would give it: at most a twenty-fifth of the height, or an eighth if the underside is flat
/// but for its roughness, as where no photograph saw it. A little more is cut if that height makes no sound surface.
/// Throws InputError if none does. Precondition: a sound mesh (MeshCertificate), one vertex a place.
[[nodiscard]] FlatBase with_flat_base(TriangleMesh mesh, std::optional<double> depth, int threads = 1);

}  // namespace p2mpp
