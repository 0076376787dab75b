#pragma once

#include <cstddef>
#include <span>
#include <string>

#include "p2mpp/fit_mask.h"
#include "p2mpp/sample.h"
#include "p2mpp/triangle_mesh.h"

namespace p2mpp {

struct HullMeshOptions {
  std::size_t target_vertices = 2500;  ///< kMinInitialVertices to kMaxInitialVertices
  int threads = 1;                     ///< the result has the same bytes for every number
};

struct HullMesh {
  TriangleMesh
      mesh;  ///< in the masks' frame: closed, manifold, wound outward; it may have holes and several components
  std::size_t masks = 0;  ///< number of masks used
  std::string note;       ///< one line for the user ("2 of 8 masks are not used: ..."), or empty
};

/// The visual hull of masks, the largest shape that agrees with all of them, as an even mesh. A mask that contradicts
/// the others is not used. The surface of soft masks is exact to fractions of a pixel. Parts and holes of about two
/// pixels are kept. Deterministic, thread-safe. Throws InputError (one line, without a file's name) if fewer than
/// two masks show a silhouette, if they have no point in common or do not enclose one; naming the mask if its camera or
/// size is not valid.
[[nodiscard]] HullMesh hull_mesh(std::span<const FitMask> masks, const HullMeshOptions& options = {});

}  // namespace p2mpp
