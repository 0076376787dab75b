#pragma once

#include "image/photograph_source.h"
#include "p2mpp/surface.h"
#include "p2mpp/triangle_mesh.h"

namespace p2mpp {

/// Moves the vertices of a surface to where photographs agree best, coarse to fine, up to the photographs' own pixels.
/// Then depths of single pixels move them, which with full detail are looked for more finely, and twice. The surface
/// stays smooth where they show nothing, and its normals are evened out in the end, but for edges. No triangle
/// intersects another that did not before. Views are left out in turn: a part of the surface keeps its change only if
/// they agree better, and none does if they do not confirm most parts at full size, as on a shiny object. With fewer
/// than kFewestRefining photographs that show the object, the mesh comes back as it is. `mesh`: in the photographs'
/// world. `figures`: photographs, refined and agreement. Throws InputError naming a photograph that can no longer be
/// read. The same bytes for every number of threads.
[[nodiscard]] TriangleMesh refine_surface(const TriangleMesh& mesh, const PhotographSource& source,
                                          SurfaceChoice::Detail detail, int threads, SurfaceFigures& figures);
inline constexpr std::size_t kFewestRefining = 8;

}  // namespace p2mpp
