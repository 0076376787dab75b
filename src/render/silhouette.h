#pragma once

#include <cstddef>
#include <vector>

#include "p2mpp/sample.h"
#include "render/picture_camera.h"
#include "render/ray_scene.h"

namespace p2mpp {

/// Coverage of each pixel of a square picture by an object, 0 to 1: [side, side], rows from the top. A view is
/// stretched to a square, as for the network.
struct Silhouette {
  std::size_t side = 0;
  std::vector<float> cover;

  /// The share of the picture that the object covers.
  [[nodiscard]] double area() const;
};

/// The silhouette of a mesh, or a cloud, for a camera, with `samples` rays per pixel. Precondition: `scene` is of
/// `mesh`.
[[nodiscard]] Silhouette project_silhouette(const RayScene& scene, const TriangleMesh& mesh,
                                            const PictureCamera& camera, std::size_t side, int samples);

/// The silhouette in a view's image: its alpha or, if every pixel is opaque, the pixels that are not nearly white.
/// Precondition: the image is not empty.
[[nodiscard]] Silhouette image_silhouette(const Image& image, std::size_t side);

/// Intersection over union of the pixels that are at least half covered; 1 if both are empty. Precondition: equal
/// sides.
[[nodiscard]] double intersection_over_union(const Silhouette& a, const Silhouette& b);

}  // namespace p2mpp
