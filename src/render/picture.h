#pragma once

#include <memory>

#include "p2mpp/sample.h"
#include "p2mpp/triangle_mesh.h"
#include "render/picture_camera.h"

namespace p2mpp {

enum class Background { kWhite, kTransparent };
enum class Shading { kSmooth, kFlat };

/// How a picture is painted.
struct PictureOptions {
  int width = 512, height = 512;  ///< pixels, kMinPictureSide to kMaxPictureSide
  int samples = 4;                ///< rays a pixel, 1 to kMaxPictureSamples
  Background background = Background::kWhite;
  Shading shading = Shading::kSmooth;
  bool ground = true;  ///< a shadow on the plane below the object; y must be up
  int threads = 1;
};
inline constexpr int kMinPictureSide = 16, kMaxPictureSide = 8192, kMaxPictureSamples = 64;
inline constexpr float kLargestCoordinate = 1e9F;  ///< squares of areas stay finite

/// Throws InputError unless there is a vertex, all are finite and within kLargestCoordinate of the origin along each
/// axis, and triangles name vertices that are there. Holes, several parts, mixed winding and any number of triangles
/// can be drawn.
void check_drawable(const TriangleMesh& mesh);

/// Whether this build has a ray tracer; require_drawing() throws Error, one line that says how to get one, if not.
[[nodiscard]] bool can_draw();
void require_drawing();

/// A mesh, or a cloud of points, as a matt solid: what does not depend on the camera is done once.
class MeshPainter {
 public:
  /// `colours` are linear, one a vertex, or none for a plain material. Throws InputError as check_drawable(),
  /// UsageError for options out of range, and Error where there is no memory or no ray tracer.
  MeshPainter(const TriangleMesh& mesh, const PictureOptions& options, const Points& colours = {});
  MeshPainter(MeshPainter&&) noexcept;
  ~MeshPainter();

  /// The same bytes for every number of threads. Safe to call from several threads.
  [[nodiscard]] Image paint(const PictureCamera& camera) const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace p2mpp
