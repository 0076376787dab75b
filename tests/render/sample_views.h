#pragma once

#include "render/drawing.h"
#include "render/overlay.h"

namespace p2mpp {

/// Three views of a mesh of the world's frame: dark on a transparent ground, 137x137, as ShapeNet's renderings.
inline Sample photograph(const TriangleMesh& mesh) {
  constexpr int kSide = 137;
  Sample sample{"sample", {}};
  for (const float azimuth : {20.0F, 130.0F, 250.0F}) {
    const CameraRow row{.azimuth_deg = azimuth, .elevation_deg = 27, .distance = 0.8F, .field_of_view_deg = 25};
    const SilhouetteImage silhouette =
        project_silhouette(RayScene(mesh, 0), mesh, view_camera(camera_from_row(row)), kSide, 16);
    Image image{kSide, kSide, {}};
    for (const float cover : silhouette.cover) {
      image.rgba.insert(image.rgba.end(), {60, 70, 80, static_cast<std::uint8_t>(255 * cover)});
    }
    sample.views.push_back(view_from_row(image, row));
  }
  return sample;
}

/// Longer in x than in z, and lopsided, so that azimuths matter.
inline TriangleMesh lopsided() {
  TriangleMesh mesh = ball(0.1F);
  for (Eigen::Vector3f& vertex : mesh.vertices) {
    vertex.x() *= 2.2F;
    vertex.y() += 1.5F * vertex.x() * vertex.x();
    if (vertex.x() > 0) vertex.z() *= 0.4F;
  }
  return mesh;
}

}  // namespace p2mpp
