#pragma once

#include <cstddef>
#include <optional>

#include "p2mpp/triangle_mesh.h"

namespace p2mpp {

/// In the mesh's unit.
struct PrintOptions {
  double wall = 0;                  ///< no wall is to be thinner; 0: walls stay
  std::optional<double> base = {};  ///< height that a flat base cuts off; 0: none; empty: see with_flat_base()
  bool keep_voids = false;          ///< hollows inside of bodies stay
  int threads = 1;
};

struct PrintableMesh {
  TriangleMesh mesh;             ///< stands on z = 0, above the origin
  double base_cut = 0;           ///< height that was cut off
  double base_area = 0;          ///< of the face on the ground
  std::size_t filled_voids = 0;  ///< hollows that were removed
};

/// In millimetres, of printers with a nozzle of 0.4: three lines; 0 if this build has no ray tracer to find thinner
/// ones.
[[nodiscard]] double usual_wall();

/// From y up to z up.
void turn_z_up(TriangleMesh& mesh);
/// From z up to y up.
void turn_y_up(TriangleMesh& mesh);

/// Makes a mesh ready to be printed, with z up: without hollows, on a flat base, with walls that are thick enough.
/// Vertices at one place become one. Throws InputError with MeshCertificate::problem() unless the mesh is sound, and as
/// with_flat_base(); Error as with_thick_walls().
[[nodiscard]] PrintableMesh make_printable(const TriangleMesh& mesh, const PrintOptions& options);

}  // namespace p2mpp
