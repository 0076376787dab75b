#pragma once

#include <CLI/CLI.hpp>
#include <filesystem>
#include <optional>
#include <span>

#include "io/fit_views.h"
#include "p2mpp/camera.h"
#include "p2mpp/engine.h"
#include "p2mpp/triangle_mesh.h"
#include "pipeline/initial_shape.h"
#include "pipeline/prediction_files.h"
#include "render/picture.h"
#include "render/picture_camera.h"

// Groups of options that several commands share.
namespace p2mpp::cli {

/// --frame, --format and --normals: how `predict`, `eval` and `worker` write meshes. `formats`: in words, what
/// output.formats is without --format.
void add_mesh_output_options(CLI::App& command, MeshOutput& output, const std::string& formats = "obj,xyz");

/// --fit-views, --no-fit and --fit-steps. `by_default`: in words, what `fit` is without them.
void add_fit_options(CLI::App& command, FitViews& fit, int& steps, const std::string& by_default);

/// --initial, --target-vertices and --no-stage-2.
void add_initial_options(CLI::App& command, InitialShape& initial);
/// --no-stage-2 alone.
void add_stage2_option(CLI::App& command, InitialShape& initial);

/// --strict: a sample that check_sample() warns of fails.
void add_strict_option(CLI::App& command, bool& strict);

/// --max-batch and --batch-timeout-ms: how `worker` and `serve` put requests into batches.
void add_batching_options(CLI::App& command, int& max_batch, int& batch_timeout_ms);

/// --size, --samples, --background, --shading and --no-ground: the pictures of `render` and `morph`.
void add_picture_options(CLI::App& command, PictureOptions& picture);

/// The frame of a mesh file's vertices.
enum class MeshFrame {
  kAuto,     ///< kCamera0 if the whole mesh is in front of a camera at the origin, else kWorld
  kCamera0,  ///< the frame of a sample's first camera, as `predict` writes it
  kWorld,    ///< y is up
};

/// The camera that pictures are drawn with.
struct CameraOptions {
  MeshFrame frame = MeshFrame::kAuto;
  std::optional<double> azimuth_deg, elevation_deg;
  double distance = 0;  ///< 0: the object fills the picture
  double field_of_view_deg = Framing().field_of_view_deg;
  std::filesystem::path cameras;  ///< a file of camera rows; empty: none

  /// Whether a direction or a distance was given.
  [[nodiscard]] bool framed() const { return azimuth_deg || elevation_deg || distance > 0; }

  [[nodiscard]] Framing framing(bool in_camera) const;
};

/// Adds --frame, --azimuth, --elevation, --distance, --fov and --cameras. Returns --cameras.
CLI::Option* add_camera_options(CLI::App& command, CameraOptions& options);

/// Resolves kAuto for these vertices to kCamera0 or kWorld.
[[nodiscard]] MeshFrame resolved(MeshFrame frame, const Points& vertices);

/// A mesh ready to be drawn.
struct Upright {
  TriangleMesh mesh;
  bool in_camera = false;  ///< in the frame of a camera that is not known: the vertical direction is unknown
};

/// Converts a mesh from the first camera's frame to the world's if that camera, the first, is known.
[[nodiscard]] Upright upright(TriangleMesh mesh, MeshFrame frame, std::span<const Camera> cameras);

}  // namespace p2mpp::cli
