#pragma once

#include <optional>

#include "p2mpp/fit.h"
#include "p2mpp/triangle_mesh.h"

namespace p2mpp::python {

/// p2mpp.Mesh.
struct Mesh {
  TriangleMesh mesh;
  std::optional<FitFigures> fit = {};  ///< of a reconstructed mesh that was fitted to masks
};

}  // namespace p2mpp::python
