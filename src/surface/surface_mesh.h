#pragma once

#include <cstddef>
#include <vector>

#include "geometry/marching_cubes.h"
#include "hull/block_grid.h"

namespace p2mpp {

/// The surface on which a field of a grid's voxels is 0 ([active, 512], positive inside; -1 in empty blocks, 1 in full
/// ones), with about `vertices` vertices: closed, manifold, wound outward, no triangle intersects another. Without
/// components of less than a thousandth of the largest one's volume. Empty if there is no surface.
[[nodiscard]] LargeParts surface_mesh(const BlockGrid& grid, const std::vector<float>& field, std::size_t vertices,
                                      int threads);

}  // namespace p2mpp
