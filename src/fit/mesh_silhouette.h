#pragma once

#include <Eigen/Core>
#include <cstdint>
#include <span>
#include <vector>

#include "p2mpp/camera.h"
#include "p2mpp/triangle_mesh.h"

namespace p2mpp {

/// Vertices as a camera sees them.
struct ProjectedVertices {
  std::vector<Eigen::Vector3f> in_camera;  ///< [N,3]: x right, y up, z < 0 in front
  std::vector<Eigen::Vector2f> pixels;     ///< [N,2]; far outside the image if the vertex is not in front
};

/// `camera`: its intrinsics scaled to the image in which pixels count.
[[nodiscard]] ProjectedVertices project_vertices(std::span<const Eigen::Vector3f> vertices, const Camera& camera);

/// The camera for an image of another size than 224.
[[nodiscard]] Camera scaled_to(Camera camera, int size);

/// The pixels that triangles cover, by samples: `samples` x `samples` a pixel.
class MeshSilhouette {
 public:
  MeshSilhouette(int size, int samples);

  /// Triangles with a vertex that is not in front of the camera are left out.
  void draw(const ProjectedVertices& projected, std::span<const Triangle> triangles);

  [[nodiscard]] int size() const { return size_; }

  /// Whether the sample nearest to a position in pixels is covered; false outside the image.
  [[nodiscard]] bool covers(const Eigen::Vector2f& position) const;

  /// Whether any sample within `reach` samples of a position is uncovered or outside the image.
  [[nodiscard]] bool is_near_outline(const Eigen::Vector2f& position, int reach) const;

  /// The soft IoU of two coverages: the sum of the pixels' minima divided by the sum of their maxima; 1 if both are
  /// empty.
  [[nodiscard]] double overlap(std::span<const std::uint8_t> coverage) const;

 private:
  int size_, samples_, side_;
  std::vector<std::uint8_t> covered_;  // [side, side]: 0 or 1
};

}  // namespace p2mpp
