#pragma once

#include <Eigen/Core>
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

}  // namespace p2mpp
