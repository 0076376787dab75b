#pragma once

#include "p2mpp/sample.h"

namespace p2mpp {

/// Throws InputError (one clause) unless a sample can be computed: numbers of views, cameras, images, frames, and, if
/// there is an initial mesh, check_initial_mesh() and a view that shows a vertex of it.
void check_computable(const Sample& sample);

/// Throws InputError (one clause that follows the mesh's name) unless stage 2 can begin from a mesh: it has as many
/// vertices as are allowed, all finite, and no triangle names a missing vertex or a vertex twice. Counts from 1.
void check_initial_mesh(const TriangleMesh& mesh);

}  // namespace p2mpp
