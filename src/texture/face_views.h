#pragma once

#include <Eigen/Core>
#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "rays/ray_scene.h"
#include "texture/painted_surface.h"
#include "texture/texture_view.h"

namespace p2mpp {

/// How a photograph shows a triangle.
struct FaceView {
  std::uint16_t view = 0;
  std::array<std::uint16_t, 3> colour{};  ///< the mean, linear, in steps of 1/65535
  float quality = 0;                      ///< more is better; 0: it is left out
  bool is_weak = false;  ///< seen at an angle at the outline of a mask, where an inexact mask has background

  [[nodiscard]] Eigen::Vector3f mean() const { return Eigen::Vector3f(colour[0], colour[1], colour[2]) / 65535.0F; }
};

/// The photographs that show each triangle wholly, at most kMostFaceViews of them, the best first.
class FaceViews {
 public:
  static constexpr std::size_t kMostFaceViews = 10;

  explicit FaceViews(std::size_t faces) : views_(kMostFaceViews * faces), counts_(faces) {}

  [[nodiscard]] std::size_t size() const { return counts_.size(); }
  [[nodiscard]] std::span<const FaceView> of(std::size_t face) const {
    return {&views_[kMostFaceViews * face], counts_[face]};
  }
  [[nodiscard]] std::span<FaceView> of(std::size_t face) { return {&views_[kMostFaceViews * face], counts_[face]}; }
  [[nodiscard]] const FaceView* find(std::size_t face, std::size_t view) const {
    for (const FaceView& each : of(face)) {
      if (each.view == view && each.quality > 0) return &each;
    }
    return nullptr;
  }

  void add(std::size_t face, const FaceView& view);

 private:
  std::vector<FaceView> views_;
  std::vector<std::uint8_t> counts_;
};

/// Leaves out the views of triangles that have only weak ones. Elsewhere, weak ones tell which of the others is wrong.
void leave_out_weak(FaceViews& views);

/// A triangle that a photograph shows.
struct SeenFace {
  std::uint32_t face = 0;
  FaceView view;
};

/// The triangles that a photograph shows wholly: they face the camera, nothing is before their corners and middles, and
/// the photograph's mask has them. Their quality depends on the angle of view, and less on their size in pixels; weak
/// ones have little.
[[nodiscard]] std::vector<SeenFace> seen_faces(const PaintedSurface& surface, const RayScene& scene,
                                               const TextureView& view, std::uint16_t number);

}  // namespace p2mpp
