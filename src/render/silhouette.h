#pragma once

#include <cstddef>
#include <vector>

#include "p2mpp/sample.h"
#include "render/picture_camera.h"
#include "render/ray_scene.h"

namespace p2mpp {

/// Which pixels of a square picture show an object, from 0, not, to 1, wholly: [side, side], rows from the top. A view
/// is stretched to a square, as the network sees it.
struct Silhouette {
  std::size_t side = 0;
  std::vector<float> cover;

  /// The share of the picture that the object takes.
  [[nodiscard]] double area() const;
};

/// Of a mesh, or a cloud, as a camera sees it, `samples` rays a pixel. Expects the mesh's own scene.
[[nodiscard]] Silhouette project_silhouette(const RayScene& scene, const TriangleMesh& mesh,
                                            const PictureCamera& camera, std::size_t side, int samples);

/// Of a view's image: its alpha, or, where every pixel is opaque, what is not nearly white. Expects an image.
[[nodiscard]] Silhouette image_silhouette(const Image& image, std::size_t side);

/// Intersection over union of what is at least half covered; 1 where both are empty. Expects equal sides.
[[nodiscard]] double intersection_over_union(const Silhouette& a, const Silhouette& b);

}  // namespace p2mpp
