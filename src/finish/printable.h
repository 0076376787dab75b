#pragma once

#include <cstddef>
#include <optional>

#include "p2mpp/triangle_mesh.h"

namespace p2mpp {

/// A mesh that stands on the plane z = 0, with the middle of its box above the origin.
struct FlatBase {
  TriangleMesh mesh;
  double cut = 0;   ///< height that was cut off
  double area = 0;  ///< of the face on the ground
};

/// Cuts off the lowest part. `depth`: its height; 0: nothing is cut. Without it, so much that the face has most of the
/// area that a deeper cut would give it: at most a twenty-fifth of the height, or an eighth if the underside is flat
/// but for its roughness, as where no photograph saw it. A little more is cut if that height makes no sound surface.
/// Throws InputError if none does. Precondition: a sound mesh (MeshCertificate), one vertex a place.
[[nodiscard]] FlatBase with_flat_base(TriangleMesh mesh, std::optional<double> depth, int threads = 1);

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
