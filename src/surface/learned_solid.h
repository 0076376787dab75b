#pragma once

#include <span>
#include <vector>

#include "geometry/distances/distance_field.h"
#include "hull/block_grid.h"
#include "image/mask_view.h"

namespace p2mpp {

/// A field of a grid's voxels as surface_mesh() takes it.
struct SolidField {
  BlockGrid grid;
  std::vector<float> values;
};

/// The solid that a network's distances and a few masks show. Where pixels of the object miss the network's solid,
/// their rays get voxels where its distance is least. voxel: of the result.
[[nodiscard]] SolidField learned_solid(const DistanceField& learned, std::span<const MaskView> views, int allowance,
                                       float voxel, int threads);

}  // namespace p2mpp
