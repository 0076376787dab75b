#pragma once

#include <memory>

#include "p2mpp/sample.h"
#include "p2mpp/triangle_mesh.h"
#include "render/picture_camera.h"

namespace p2mpp {

enum class Background { kWhite, kTransparent };
enum class Shading {
  kAutomatic,  ///< kTextured for a mesh that has a texture or colours, else kSmooth
  kTextured,   ///< the mesh's own colours, without lights: photographs have theirs
  kSmooth,
  kFlat,
};

/// The options for drawing a picture.
struct PictureOptions {
  int width = 512, height = 512;  ///< pixels, kMinPictureSide to kMaxPictureSide
  int samples = 4;                ///< rays per pixel, 1 to kMaxPictureSamples
  Background background = Background::kWhite;
  Shading shading = Shading::kAutomatic;
  bool ground = true;  ///< draw a shadow on the plane below the object; y must be up
  int threads = 1;
};
inline constexpr int kMinPictureSide = 16, kMaxPictureSide = 8192, kMaxPictureSamples = 64;
inline constexpr float kLargestCoordinate = 1e9F;  ///< so that squares of areas are finite

/// Throws InputError if there is no vertex, a coordinate is not finite or beyond +-kLargestCoordinate, or a triangle
/// names a vertex that does not exist. Meshes with holes, several parts or mixed winding, and without triangles, can be
/// drawn.
void check_drawable(const TriangleMesh& mesh);

/// Whether this build has a ray tracer. If not, require_drawing() throws Error with one line that says how to get one.
[[nodiscard]] bool can_draw();
void require_drawing();

/// Draws a mesh, or a point cloud, with its own colours or as a matt solid. Everything that does not depend on the
/// camera is computed once.
class MeshPainter {
 public:
  /// `colours`: linear RGB per vertex [V] of the solid; empty: a plain material, unless the shading is kTextured.
  /// Throws InputError as check_drawable(),
  /// UsageError for options out of range, and Error if memory or the ray tracer is missing.
  MeshPainter(const TriangleMesh& mesh, const PictureOptions& options, const Points& colours = {});
  MeshPainter(MeshPainter&&) noexcept;
  ~MeshPainter();

  /// The bytes do not depend on the number of threads. Thread-safe.
  [[nodiscard]] Image paint(const PictureCamera& camera) const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace p2mpp
