#pragma once

#include <Eigen/Core>
#include <algorithm>
#include <cmath>
#include <utility>

namespace p2mpp {

/// Calls fill(row, begin, end) for the columns of each row of a square image whose centres lie in a triangle.
/// a, b, c: corners, in pixels; finite. side: of the image, in pixels.
template <class Fill>
void for_each_span(const Eigen::Vector2f& a, const Eigen::Vector2f& b, const Eigen::Vector2f& c, int side,
                   const Fill& fill) {
  const Eigen::Vector2f* top = &a;
  const Eigen::Vector2f* middle = &b;
  const Eigen::Vector2f* bottom = &c;
  if (middle->y() < top->y()) std::swap(middle, top);
  if (bottom->y() < top->y()) std::swap(bottom, top);
  if (bottom->y() < middle->y()) std::swap(bottom, middle);
  const auto limit = static_cast<float>(side);
  const float first_row = std::ceil(std::clamp(top->y(), -1.0F, limit) - 0.5F);
  const float end_row = std::ceil(std::clamp(bottom->y(), -1.0F, limit) - 0.5F);
  const auto slope = [](const Eigen::Vector2f& from, const Eigen::Vector2f& to) {
    const float height = to.y() - from.y();
    return height > 0 ? (to.x() - from.x()) / height : 0.0F;
  };
  const float long_slope = slope(*top, *bottom), upper_slope = slope(*top, *middle),
              lower_slope = slope(*middle, *bottom);
  const int end = std::min(static_cast<int>(end_row), side);
  for (int row = std::max(static_cast<int>(first_row), 0); row < end; ++row) {
    const float y = static_cast<float>(row) + 0.5F;
    const float one = top->x() + (y - top->y()) * long_slope;
    const float other =
        y < middle->y() ? top->x() + (y - top->y()) * upper_slope : middle->x() + (y - middle->y()) * lower_slope;
    const float left = std::clamp(std::min(one, other), -1.0F, limit + 1);
    const float right = std::clamp(std::max(one, other), -1.0F, limit + 1);
    const int begin_column = std::max(static_cast<int>(std::ceil(left - 0.5F)), 0);
    const int end_column = std::min(static_cast<int>(std::ceil(right - 0.5F)), side);
    if (begin_column < end_column) fill(row, begin_column, end_column);
  }
}

}  // namespace p2mpp
