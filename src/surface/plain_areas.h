#pragma once

#include <span>

#include "image/mask_view.h"
#include "p2mpp/triangle_mesh.h"

namespace p2mpp {

/// The vertices of a surface, moved along their normals to where it bends least. It bends freely at edges: where a view
/// shows a difference of brightness, or a fold on an outline. It stays where a mask shows its outline. So it becomes
/// smooth in the second order where neither shows anything. No triangle intersects another that did not before. `mesh`:
/// in the views' world; it stays as it is if no view has brightness. The same bytes for every number of threads.
/// Sources: Bergou et al., "A Quadratic Bending Model for Inextensible Surfaces" (2006); Langguth et al.,
/// "Shading-aware Multi-view Stereo" (2016), for the weights by brightness.
[[nodiscard]] Points smooth_plain_areas(const TriangleMesh& mesh, std::span<const MaskView> views, int threads);

}  // namespace p2mpp
