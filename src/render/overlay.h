#pragma once

#include <string>
#include <vector>

#include "p2mpp/sample.h"
#include "p2mpp/triangle_mesh.h"

namespace p2mpp {

/// How well a mesh covers what a view shows.
struct ViewOverlap {
  double iou = 0;         ///< intersection over union of the mesh's silhouette and the image's, at 224x224
  double mesh_area = 0;   ///< share of the picture that the mesh takes
  double image_area = 0;  ///< share of the picture that the object takes in the image
};

struct Overlay {
  std::vector<Image> panels;  ///< a square for each view: the image, the mesh half-transparent over it, its outline
  std::vector<ViewOverlap> overlaps;  ///< of each view
};

/// Projects a mesh, or a cloud of points, of the world's frame into each view of a sample, with the network's own
/// camera. `side` is a panel's, in pixels. Throws as check_drawable(), and Error where there is no ray tracer.
[[nodiscard]] Overlay overlay(const TriangleMesh& mesh, const Sample& sample, int side);

/// Below this the mesh does not stand for the images: its cameras or its model are wrong.
inline constexpr double kLowOverlap = 0.5;

/// What is probably wrong with the cameras, one line; empty where every view's overlap is good enough.
[[nodiscard]] std::string overlap_hint(const Sample& sample, const std::vector<ViewOverlap>& overlaps);

}  // namespace p2mpp
