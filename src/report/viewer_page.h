#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "p2mpp/sample.h"
#include "p2mpp/triangle_mesh.h"

namespace p2mpp {

/// A mesh that can be selected in the viewer.
struct ViewerSurface {
  std::string name;  ///< the text of its button
  TriangleMesh mesh;
};

/// An input view, shown beside the mesh.
struct ViewerView {
  Image image;
  std::optional<Image> overlay;                        ///< the image with the mesh drawn over it
  Eigen::Vector3d position = Eigen::Vector3d::Zero();  ///< of the camera
  std::string caption;
};

inline constexpr int kViewSide = 224;  ///< pixels of a view beside the 3D view

/// A sample's view for the viewer, `number` from 1: the image on white, kViewSide pixels a side, and a caption with its
/// viewpoint.
[[nodiscard]] ViewerView viewer_view(const View& view, std::size_t number);

/// The contents of a viewer page. All meshes, points and cameras are in one frame.
struct ViewerScene {
  std::string title, subtitle;
  std::vector<std::pair<std::string, std::string>> facts;
  std::vector<ViewerSurface> surfaces;  ///< at least one, coarse to fine; the last is shown first
  Points truth;                         ///< ground truth; empty if unknown
  std::vector<ViewerView> views;
  std::optional<double> source_scale = {};     ///< source units per unit of the frame; empty: not known
  bool upright = true;                         ///< y is up: show a grid below the object
  Eigen::Vector3f start{0.74F, 0.42F, 0.52F};  ///< initial direction from the object to the viewer
};

/// The viewer as one HTML file that needs no network. Throws InputError if a mesh cannot be drawn or has no triangles,
/// and Error if this build has no three.js.
[[nodiscard]] std::string viewer_page(const ViewerScene& scene);

/// Throws Error if this build has no three.js.
void require_viewer();

}  // namespace p2mpp
