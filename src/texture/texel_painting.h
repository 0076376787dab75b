#pragma once

#include <vector>

#include "p2mpp/image.h"
#include "texture/face_views.h"
#include "texture/painted_surface.h"
#include "texture/texture_view.h"
#include "texture/view_blending.h"

namespace p2mpp {

/// What the colours of a surface are made of.
struct SurfacePaint {
  const PaintedSurface& surface;
  const std::vector<TextureView>& views;
  const FaceViews& face_views;
  const std::vector<ColourBalance>& balances;
  const VertexViews& blend;
  const std::vector<Eigen::Array3f>& vertex_colours;  ///< linear: of what no photograph shows
};

/// The share of the photographs at a place in a triangle.
struct BlendedView {
  std::uint32_t view = 0;
  std::array<float, 3> weights{};               ///< at the corners
  std::array<Eigen::Array3f, 3> corrections{};  ///< at the corners
  std::array<Eigen::Vector2f, 3> pixels{};      ///< of the corners
};

/// The photographs that are blended in a triangle. Those that do not show it wholly are left out; empty if none does.
[[nodiscard]] std::vector<BlendedView> blended_views(const SurfacePaint& paint, std::size_t face);

/// The colour at a place in a triangle, linear; weights: of its corners. Invalid where no photograph shows it.
[[nodiscard]] SeenColour blended_colour(const SurfacePaint& paint, const std::vector<BlendedView>& blended,
                                        const Eigen::Vector3f& weights);

/// Draws the surface into a square texture. Each texel whose centre is in a triangle has that triangle's colour and an
/// alpha of 255; others, and texels of pixels that are missing, have an alpha of 0. If triangles overlap, the first
/// counts.
[[nodiscard]] Image paint_texels(const SurfacePaint& paint, int size, int threads);

/// Fills the texels without alpha from those around them, so that filtering and mip levels find colours there. The
/// result is opaque.
void fill_gaps(Image& texture);

}  // namespace p2mpp
