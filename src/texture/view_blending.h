#pragma once

#include <Eigen/Core>
#include <array>
#include <cstdint>
#include <vector>

#include "texture/colour_balance.h"
#include "texture/face_views.h"
#include "texture/painted_surface.h"

namespace p2mpp {

/// How much a photograph counts at a vertex, and what is added to its colours there so that no seam is visible.
struct VertexView {
  std::uint32_t view = 0;
  float weight = 0;
  Eigen::Array3f correction = Eigen::Array3f::Zero();  ///< linear
};

/// The photographs of each vertex, one list after the other.
struct VertexViews {
  std::vector<std::uint32_t> begin;  ///< [V + 1] places in `items`
  std::vector<VertexView> items;

  [[nodiscard]] const VertexView* find(std::size_t vertex, std::size_t view) const {
    for (std::size_t i = begin[vertex]; i < begin[vertex + 1]; ++i) {
      if (items[i].view == view) return &items[i];
    }
    return nullptr;
  }
};

/// Weights of the photographs at the vertices: the best of the triangles around them, more of them where they disagree,
/// spread over `rounds` edges.
[[nodiscard]] VertexViews blend_views(const PaintedSurface& surface, const FaceViews& views,
                                      const std::vector<ColourBalance>& balances, int rounds);

/// Sets the corrections so that photographs that meet at a vertex agree there, and corrections differ little along
/// edges (V. Lempitsky and D. Ivanov, "Seamless Mosaicing of Image-Based Texture Maps", 2007; M. Waechter et al., "Let
/// There Be Color!", 2014). Over about `edges` edges, colours follow the mean of all photographs: what is finer comes
/// from the photographs that are blended, what is coarser from all. Least squares by conjugate gradients.
void level_seams(const PaintedSurface& surface, const FaceViews& views, const std::vector<ColourBalance>& balances,
                 float edges, VertexViews& blend);

}  // namespace p2mpp
