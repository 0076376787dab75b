#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "p2mpp/sample.h"
#include "p2mpp/triangle_mesh.h"

namespace p2mpp {

/// A mesh that the viewer offers.
struct ViewerSurface {
  std::string name;  ///< of its button
  TriangleMesh mesh;
};

/// An input view beside the mesh.
struct ViewerView {
  Image image;
  std::optional<Image> overlay;  ///< the same with the mesh over it
  CameraRow camera;
  std::string caption;
};

/// What a viewer's page shows, all in one frame.
struct ViewerScene {
  std::string title, subtitle;
  std::vector<std::pair<std::string, std::string>> facts;
  std::vector<ViewerSurface> surfaces;  ///< at least one, coarse to fine; the last is shown first
  Points truth;                         ///< ground truth; empty where it is not known
  std::vector<ViewerView> views;
  bool upright = true;                         ///< y is up: a grid lies below the object
  Eigen::Vector3f start{0.74F, 0.42F, 0.52F};  ///< the first look's direction, from the object to the viewer
};

/// One HTML file that needs no network. Throws InputError for meshes that cannot be drawn or have no triangles, Error
/// where this build has no three.js.
[[nodiscard]] std::string viewer_page(const ViewerScene& scene);

/// Throws Error where this build has no three.js.
void require_viewer();

}  // namespace p2mpp
