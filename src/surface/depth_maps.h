#pragma once

#include <Eigen/Core>
#include <cstddef>
#include <span>
#include <vector>

#include "hull/carving.h"
#include "image/mask_view.h"
#include "image/reduced_view.h"

namespace p2mpp {

/// The depth at which the surface is seen.
struct DepthMap {
  Pinhole<float> camera;
  int size = 0;               ///< pixels of a side
  std::vector<float> depths;  ///< [size, size]; NaN: not known
};

/// The depth in the direction of a point; NaN if it is not known there.
[[nodiscard]] float depth_at(const DepthMap& map, const Eigen::Vector3f& point);

/// The place that a pixel shows, in the world. Precondition: its depth is known.
[[nodiscard]] Eigen::Vector3f place_at(const DepthMap& map, std::size_t pixel);

/// Sum and count of the maps' votes on a place. A vote is from -1 (inside) to 1 (in front of the surface).
struct SurfaceVotes {
  float sum = 0, count = 0;
};
/// band: the distance from the surface from which on a vote is certain.
[[nodiscard]] SurfaceVotes votes_at(std::span<const DepthMap> maps, const Eigen::Vector3f& point, float band);

/// Depths at which small patches of a picture look the same in at least two others, found by sweeping planes through
/// the hull of masks, and confirmed by the depths of two more pictures. Empty if fewer than kFewestPictures views have
/// brightness. The same for every number of threads. Sources: Collins, "A Space-Sweep Approach to
/// True Multi-Image Matching" (1996); Merrell et al., "Real-Time Visibility-Based Fusion of Depth Maps" (2007).
[[nodiscard]] std::vector<DepthMap> depth_maps(std::span<const MaskView> views, int allowance, const Box& box,
                                               int threads);
inline constexpr std::size_t kFewestPictures = 8;

}  // namespace p2mpp
