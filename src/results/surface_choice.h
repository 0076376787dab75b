#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>

#include "p2mpp/sample.h"
#include "p2mpp/surface.h"

namespace p2mpp {

/// The mesh from which stage 2 begins, or which replaces stage 2.
struct InitialShape {
  enum class Kind {
    kEllipsoid,  ///< stage 1's, which deforms the template
    kHull,       ///< the visual hull of the masks
    kFile,       ///< a mesh file's
  };
  Kind kind = Kind::kEllipsoid;
  std::filesystem::path file = {};
  std::size_t target_vertices = 2500;  ///< of the hull's mesh
  bool with_stage2 = true;             ///< false: the mesh is the result, apart from the fit

  [[nodiscard]] bool operator==(const InitialShape&) const = default;
};

/// Reads "ellipsoid", "hull" or a file's name into `shape`. The other fields stay.
void from_text(std::string_view text, InitialShape& shape);

/// The text that from_text() reads.
[[nodiscard]] std::string to_string(const InitialShape& shape);

/// Reads "auto", "template" or "volume" into `choice`. The other fields stay. Throws UsageError.
void from_text(std::string_view text, SurfaceChoice& choice);

/// The text that from_text() reads.
[[nodiscard]] std::string to_string(const SurfaceChoice& choice);

/// Reads "auto", "coarse" or "full" into `detail`. Throws UsageError.
void from_text(std::string_view text, SurfaceChoice::Detail& detail);
[[nodiscard]] std::string to_string(SurfaceChoice::Detail detail);

/// The vertices of a volume's surface, about.
[[nodiscard]] std::size_t vertices_of(const SurfaceChoice& choice);

/// Why an automatic choice does not take a volume for a sample ("5 masks; a volume needs 8"); empty if it does. It
/// takes one for photographs with masks from enough sides, or of two to seven if the model has a distance network,
/// and if the network's mesh begins from the template.
[[nodiscard]] std::string obstacle_to_volume(const Sample& sample, const InitialShape& shape, bool has_distances);

/// Whether the distance network says where the surface is, and not the network's mesh: of few photographs.
[[nodiscard]] bool expects_distances(const Sample& sample);

/// "256 voxels, 24 masks, 3 small parts dropped, 85% refined by 24 photographs, 3500 ms"
[[nodiscard]] std::string surface_summary(const SurfaceFigures& figures);

}  // namespace p2mpp
