#pragma once

#include <Eigen/Core>
#include <cstdint>
#include <vector>

#include "texture/face_views.h"
#include "texture/painted_surface.h"

namespace p2mpp {

/// What brings the colours of a photograph together with those of the others, in linear light.
struct ColourBalance {
  Eigen::Array3f gain = Eigen::Array3f::Ones();    ///< exposure and white balance
  Eigen::Array3f offset = Eigen::Array3f::Zero();  ///< stray light

  [[nodiscard]] Eigen::Vector3f applied(const Eigen::Vector3f& colour) const {
    return (gain * colour.array() + offset).matrix();
  }
};

/// A balance for each of `count` photographs: least squares over the triangles that two of them show, repeated with
/// less weight for pairs that disagree, first for the gains' logarithms, then for the offsets. The gains' product is 1,
/// the offsets' sum 0. Photographs that show nothing stay nearly as they are.
[[nodiscard]] std::vector<ColourBalance> balance_colours(const PaintedSurface& surface, const FaceViews& views,
                                                         std::size_t count);

/// Leaves out the views of a triangle whose colour is far from the median of three or more: highlights, something that
/// was before the object, or a wrong mask. The same views are left out around it where two others remain, because what
/// they show ends somewhere within those triangles.
void drop_outliers(const PaintedSurface& surface, const std::vector<ColourBalance>& balances, FaceViews& views);

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
