#pragma once

#include <Eigen/Core>
#include <cstdint>
#include <span>
#include <vector>

#include "fit/mesh_silhouette.h"
#include "geometry/cameras/pinhole.h"
#include "p2mpp/triangle_mesh.h"

namespace p2mpp {

/// The nearest triangle at each pixel of a square image.
struct SurfaceRaster {
  int size = 0;
  std::vector<float> nearness;      ///< [size, size]: 1 / depth along the optical axis; 0: no surface
  std::vector<std::int32_t> faces;  ///< [size, size]: triangles; -1: none
  ProjectedVertices projected;      ///< of the mesh
};

/// Triangles with a vertex that is not in front of the camera are left out.
[[nodiscard]] SurfaceRaster rasterise(std::span<const Eigen::Vector3f> vertices, std::span<const Triangle> triangles,
                                      const Pinhole<float>& camera, int size);

}  // namespace p2mpp
