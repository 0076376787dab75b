#pragma once

#include <functional>
#include <optional>

#include "geometry/lens.h"

namespace p2mpp {

/// The lens of a camera whose distortion is radial, but not one of Lens' polynomials: its coefficients are fitted.
/// `lens` has the focal lengths and the principal point. `undistorted` takes the distance from the principal point of
/// an ideal camera's picture to that of a distorted one, both in focal lengths; its input is the distorted one. It is
/// used up to the farthest corner of the image. nullopt if no coefficients fit to 0.0002 focal lengths.
[[nodiscard]] std::optional<Lens> fitted_lens(const Lens& lens, int width, int height,
                                              const std::function<double(double)>& undistorted);

}  // namespace p2mpp
