#pragma once

#include <Eigen/Core>
#include <span>
#include <vector>

#include "image/reduced_view.h"
#include "p2mpp/triangle_mesh.h"
#include "surface/surface_raster.h"

namespace p2mpp {

/// A mesh as photographs see it.
struct SeenSurface {
  std::span<const Eigen::Vector3f> normals;  ///< [N], of the vertices
  std::span<const Triangle> triangles;
};

/// A view, and a mesh as it sees it.
struct SeenView {
  const ReducedView* view;
  const SurfaceRaster* raster;
};

/// The normal of the surface at a pixel of a raster, in the mesh's frame. Precondition: the pixel shows the surface.
[[nodiscard]] Eigen::Vector3f normal_at(const SeenSurface& surface, const SurfaceRaster& raster, std::size_t pixel);

/// Standard deviation of the brightness (of 255) of patches that count half: fainter ones may be light, noise or a
/// shadow.
inline constexpr float kFairContrast = 6;

/// What pairs of views say about each vertex of a mesh. A sum over pixels, weighted by their nearness to the vertex.
struct VertexAgreement {
  using AgreementSums = Eigen::Matrix<float, 4, 1>;
  explicit VertexAgreement(std::size_t vertices) : sums(vertices, AgreementSums::Zero()) {}

  [[nodiscard]] float slope(std::size_t vertex) const { return sums[vertex][0]; }
  [[nodiscard]] float curvature(std::size_t vertex) const { return sums[vertex][1]; }
  [[nodiscard]] float agreement(std::size_t vertex) const { return sums[vertex][2]; }
  [[nodiscard]] float pixels(std::size_t vertex) const { return sums[vertex][3]; }
  void add(const VertexAgreement& other);
  /// What a pixel says, which shows the surface, to the corners of its triangle by their shares there, in the image.
  void add(const SeenSurface& surface, const SurfaceRaster& raster, std::size_t pixel, const AgreementSums& terms);
  /// The correlation of all pixels.
  [[nodiscard]] double mean() const;

  /// [N]: the change of the correlation (ZNCC) of patches by a move along the normal, in the mesh's unit; about the
  /// negative of its second derivative; the correlation; the number of pixels that have one. All are
  /// weighted by the patches' contrast.
  std::vector<AgreementSums> sums;
};

/// Compares a view with another one that is drawn into it by way of the surface, at each pixel that shows a place that
/// both see, in patches of 5x5 pixels. `nearest`: the difference of depths below
/// which a place is not hidden, in the mesh's unit.
/// Source: Pons, Keriven, Faugeras, "Multi-View Stereo Reconstruction and Scene Flow Estimation with a Global
/// Image-Based Matching Score" (2007); Vu et al., "High Accuracy and Visibility-Consistent Dense Multiview Stereo"
/// (2012).
void compare_views(const SeenSurface& surface, const SeenView& view, const SeenView& other, float nearest,
                   VertexAgreement& agreement);

}  // namespace p2mpp
