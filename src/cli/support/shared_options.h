#pragma once

#include <CLI/CLI.hpp>
#include <filesystem>
#include <optional>
#include <span>

#include "p2mpp/camera.h"
#include "p2mpp/engine.h"
#include "p2mpp/triangle_mesh.h"
#include "pipeline/prediction_files.h"
#include "render/picture.h"
#include "render/picture_camera.h"

// Groups of options that read the same in every command that has them.
namespace p2mpp::cli {

/// --frame, --format and --normals: how `predict`, `eval` and `worker` write meshes.
void add_mesh_output_options(CLI::App& command, MeshOutput& output, Frame& frame);

/// --size, --samples, --background, --shading and --no-ground: the pictures of `render` and `morph`.
void add_picture_options(CLI::App& command, PictureOptions& picture);

/// How the vertices of a mesh lie.
enum class MeshFrame {
  kAuto,     ///< as camera 0 sees it where the whole mesh is in front of a camera at the origin, else the world's
  kCamera0,  ///< of a sample's first camera, as `predict` writes it
  kWorld,    ///< y is up
};

/// From where meshes are looked at.
struct CameraOptions {
  MeshFrame frame = MeshFrame::kAuto;
  std::optional<double> azimuth_deg, elevation_deg;
  double distance = 0;  ///< 0: so that the object fills the picture
  double field_of_view_deg = Framing().field_of_view_deg;
  std::filesystem::path cameras;  ///< a file of camera rows; empty: none

  /// Whether a direction or a distance was asked for.
  [[nodiscard]] bool framed() const { return azimuth_deg || elevation_deg || distance > 0; }

  [[nodiscard]] Framing framing(bool in_camera) const;
};

/// --frame, --azimuth, --elevation, --distance, --fov; gives --cameras, which reads the same everywhere, too.
CLI::Option* add_camera_options(CLI::App& command, CameraOptions& options);

/// kCamera0 or kWorld: what kAuto says of such vertices.
[[nodiscard]] MeshFrame resolved(MeshFrame frame, const Points& vertices);

/// A mesh ready to be drawn.
struct Upright {
  TriangleMesh mesh;
  bool in_camera = false;  ///< of a camera whose row is not known: nobody knows where down is
};

/// Turns a mesh of the first camera's frame into the world's where that camera's row, the first, is known.
[[nodiscard]] Upright upright(TriangleMesh mesh, MeshFrame frame, std::span<const CameraRow> rows);

}  // namespace p2mpp::cli
