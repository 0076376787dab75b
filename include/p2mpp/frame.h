#pragma once

#include <string_view>

#include "p2mpp/export.h"
#include "p2mpp/sample.h"
#include "p2mpp/triangle_mesh.h"

namespace p2mpp {

/// The frame of a mesh's vertices.
enum class Frame {
  kCamera0,  ///< of the sample's first camera, as published
  kWorld,    ///< of the cameras: the object's centre is the origin, y is up
  kSource,   ///< the coordinates and units of the cameras' file: Sample::source_from_world of kWorld
};

/// "camera0", "world", "source"
[[nodiscard]] P2MPP_EXPORT std::string_view to_string(Frame frame);

/// A sample's mesh in a frame. `mesh`: in the network's frame, network_frame(sample), as the engine gives it. Vertices
/// far from the source's origin are around an origin (TriangleMesh::origin). Precondition: the sample has a view.
[[nodiscard]] P2MPP_EXPORT TriangleMesh in_frame(TriangleMesh mesh, const Sample& sample, Frame frame);

/// The same of a mesh in the world, as all steps after the network give it.
[[nodiscard]] P2MPP_EXPORT TriangleMesh from_world(TriangleMesh mesh, const Sample& sample, Frame frame);

/// A mesh in the network's frame, from the world.
[[nodiscard]] P2MPP_EXPORT TriangleMesh in_network_frame(TriangleMesh mesh, const Sample& sample);

}  // namespace p2mpp
