#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "p2mpp/sample.h"
#include "p2mpp/triangle_mesh.h"
#include "rays/ray_scene.h"
#include "render/picture_camera.h"

namespace p2mpp {

/// Coverage of each pixel of a square picture by an object, 0 to 1: [side, side], rows from the top.
struct SilhouetteImage {
  std::size_t side = 0;
  std::vector<float> cover;

  /// The share of the picture that the object covers.
  [[nodiscard]] double area() const;
};

/// The silhouette of a mesh, or a cloud, for a camera, with `samples` rays per pixel. Precondition: `scene` is of
/// `mesh`.
[[nodiscard]] SilhouetteImage project_silhouette(const RayScene& scene, const TriangleMesh& mesh,
                                                 const PictureCamera& camera, std::size_t side, int samples);

/// The silhouette in a view's image: its alpha or, if every pixel is opaque, the pixels that are not nearly white.
/// Precondition: the image is square and not empty.
[[nodiscard]] SilhouetteImage image_silhouette(const Image& image, std::size_t side);

/// Intersection over union of the pixels that are at least half covered; 1 if both are empty. Precondition: equal
/// sides.
[[nodiscard]] double intersection_over_union(const SilhouetteImage& a, const SilhouetteImage& b);

/// Agreement of a mesh's silhouette with the object's in a view.
struct ViewOverlap {
  double iou = 0;         ///< intersection over union of the mesh's silhouette and the image's, at 224x224
  double mesh_area = 0;   ///< share of the picture that the mesh covers
  double image_area = 0;  ///< share of the picture that the object covers in the image
};

struct Overlay {
  std::vector<Image> panels;  ///< a square for each view: the image, the mesh half-transparent over it, its outline
  std::vector<ViewOverlap> overlaps;  ///< of each view
};

/// Projects a mesh, or a point cloud, in the world frame into each view of a sample, with the network's camera. Pixels
/// that the view's fit mask does not know, as beyond its photograph's border, have no share in the overlaps. `side`:
/// of a panel, in pixels. Throws what check_drawable() throws, and Error if this build has no ray tracer.
[[nodiscard]] Overlay overlay(const TriangleMesh& mesh, const Sample& sample, int side);

/// The panels with labels in their upper left corners: "IMG_1.JPG IOU 0.87", or "VIEW 2 IOU 0.87" if the view has no
/// name. `which`, the name of the mesh, goes before "IOU" if it is not empty.
[[nodiscard]] std::vector<Image> labelled_panels(const Overlay& overlay, const Sample& sample,
                                                 const std::string& which = {});

/// An IoU below this means that the cameras or the model are wrong.
inline constexpr double kLowOverlap = 0.5;

/// The likely problem with the cameras, one line; empty if the IoU of every view is at least kLowOverlap.
[[nodiscard]] std::string overlap_hint(const Sample& sample, const std::vector<ViewOverlap>& overlaps);

}  // namespace p2mpp
