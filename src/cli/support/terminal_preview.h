#pragma once

#include <string>

#include "p2mpp/triangle_mesh.h"
#include "render/picture_camera.h"

namespace p2mpp::cli {

/// A small picture of a mesh for the terminal on stdout; empty if that cannot show pictures, which is logged once.
/// Throws what MeshPainter throws.
[[nodiscard]] std::string terminal_preview(const TriangleMesh& mesh, const PictureCamera& camera, bool ground,
                                           int threads);

}  // namespace p2mpp::cli
