#pragma once

#include <Eigen/Core>
#include <span>
#include <vector>

#include "image/reduced_view.h"
#include "refinement/photo_gradient.h"
#include "surface/surface_raster.h"

namespace p2mpp {

/// A small plane at each pixel of a view. Its inverse depth along the optical axis is linear in the pixels: the product
/// of the plane and (column, row, 1), which count from the image's upper left corner.
struct PlaneMap {
  std::vector<Eigen::Vector3f> planes;  ///< [size, size]; 0, 0, 0: none
  std::vector<float> costs;             ///< [size, size]: 1 less the mean correlation (ZNCC) with other views
  std::vector<float> contrasts;         ///< [size, size]: variance of the patch's brightness (of 255), but for a ramp
};

/// The plane with a normal through a place, both in the camera's frame; and a plane's normal, not of length 1.
[[nodiscard]] Eigen::Vector3f plane_through(const Pinhole<float>& camera, const Eigen::Vector3f& place,
                                            const Eigen::Vector3f& normal);
[[nodiscard]] Eigen::Vector3f plane_normal(const Pinhole<float>& camera, const Eigen::Vector3f& plane);

/// Searches for the planes that a view and others agree on best, from those of a mesh. Pixels take over their
/// neighbours' planes and try random ones near their own. `reach`: the farthest depth from the mesh, in its unit; a
/// place that is not farther behind it is not hidden. Sources: Bleyer, Rhemann, Rother, "PatchMatch Stereo" (2011);
/// Galliani, Lasinger, Schindler, "Massively Parallel Multiview Stereopsis by Surface Normal Diffusion" (2015).
[[nodiscard]] PlaneMap find_planes(const SeenSurface& surface, const SeenView& view, std::span<const SeenView> others,
                                   float reach);

}  // namespace p2mpp
