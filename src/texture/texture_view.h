#pragma once

#include <Eigen/Core>
#include <cstdint>
#include <optional>
#include <vector>

#include "geometry/lens.h"
#include "geometry/rigid3.h"
#include "image/photograph_source.h"

namespace p2mpp {

/// What a photograph shows in a pixel.
struct SeenColour {
  Eigen::Vector3f colour = Eigen::Vector3f::Zero();  ///< linear
  bool is_valid = false;  ///< false outside the photograph and where it may show something else
  bool is_inner = false;  ///< away from the mask's outline, where an inexact mask has background
};

/// Pixels of a photograph for a unit of the world around a point. 0 if the point is behind the camera.
[[nodiscard]] double pixels_per_unit(const SourcePhotograph& photograph, const Eigen::Vector3d& point);

/// The object's part of a photograph, reduced by a whole factor in linear light. Thread-safe.
class TextureView {
 public:
  /// The factor leaves at least `most_per_unit` pixels for a unit of the world at `middle`, if the photograph has them.
  TextureView(const SourcePhotograph& photograph, const DecodedSource& decoded, const Eigen::Vector3d& middle,
              double most_per_unit);

  /// The reduced pixel that shows a point of the world; nullopt if none does. It may be outside of the picture.
  [[nodiscard]] std::optional<Eigen::Vector2f> pixel_of(const Eigen::Vector3d& point) const;

  /// Bilinear over the pixels fully inside the mask, without the outermost one at its outline.
  [[nodiscard]] SeenColour at(const Eigen::Vector2f& pixel) const;

  /// The camera's place in the world.
  [[nodiscard]] const Eigen::Vector3d& centre() const { return centre_; }

  [[nodiscard]] double sharpness() const { return sharpness_; }

  /// Pixels of the photograph along a side of a reduced one.
  [[nodiscard]] int factor() const { return factor_; }

 private:
  void reduce(const DecodedSource& decoded);
  void reduce_row(const DecodedSource& decoded, const std::vector<std::uint8_t>& inside, int row);
  [[nodiscard]] bool is_inner(int row, int column, int reach) const;

  LensMap lens_;
  Rigid3 cam_from_world_;
  Eigen::Vector3d centre_;
  double sharpness_;
  int factor_ = 1;
  int left_ = 0, top_ = 0;          // of the part, in the photograph
  int width_ = 0, height_ = 0;      // reduced pixels
  std::vector<std::uint8_t> rgba_;  // [height, width, 4]; alpha: 0, or whether it is_inner
};

}  // namespace p2mpp
