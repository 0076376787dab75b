#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "hull/block_grid.h"
#include "hull/carving.h"
#include "hull/hull_votes.h"
#include "image/mask_view.h"
#include "surface/depth_maps.h"
#include "surface/total_variation.h"

namespace p2mpp {

/// What a solid is made of, besides its silhouettes.
struct SolidEvidence {
  /// The distance to the surface that is expected, positive inside; thread-safe. Empty: the hull is filled.
  std::function<float(const Eigen::Vector3f&)> expected;
  /// What pictures say about a place; thread-safe. Empty: nothing.
  std::function<SurfaceVotes(const Eigen::Vector3f&)> seen;
  float trusted = 0;     ///< the distance from which on expected places are as certain as they get
  float smoothness = 0;  ///< weight of the surface's area against the volume of places that are certain
};

/// A solid in a grid of voxels, solved coarse to fine: near the expected one, within the hull, and met by every ray of
/// a pixel that shows the object, with a small surface.
class Volume {
 public:
  /// The views must outlive this object.
  Volume(std::span<const MaskView> views, const HullVotes& votes, SolidEvidence evidence, int threads);

  /// `cells`: voxels along the box's longest side, about.
  void solve(const Box& box, int cells);

  [[nodiscard]] const BlockGrid& grid() const { return level_->grid; }

  /// At the centres of voxels of active blocks: a smooth field that is 0 on the surface, positive inside, about the
  /// distance in voxels, at most 1. Where the surface is the hull's, it is exact to fractions of a voxel.
  [[nodiscard]] std::vector<float> field() const;

 private:
  /// A grid with what is known of its voxels.
  struct Level {
    BlockGrid grid;
    std::vector<float> hull;             // distances
    std::vector<float> expected;         // distances; empty without evidence
    std::vector<SurfaceVotes> seen;      // of pictures; empty without them
    std::vector<float> trust;            // in evidence that a voxel is empty, 0 to 1
    std::vector<std::uint8_t> usable;    // whether a voxel may be the object's
    std::vector<std::uint8_t> required;  // whether a ray needs it
    std::unique_ptr<TotalVariation> solid;
  };

  [[nodiscard]] std::unique_ptr<Level> first_level(BlockGrid grid) const;
  [[nodiscard]] std::unique_ptr<Level> next_level() const;
  [[nodiscard]] std::unique_ptr<Level> find_level(BlockGrid grid, float slack) const;
  [[nodiscard]] std::int32_t state_of(const Eigen::Vector3i& place) const;
  void minimise(int iterations);
  void meet_rays(int rounds, float least);
  [[nodiscard]] std::vector<std::uint8_t> denied_places() const;
  void doubt();
  void doubt_hidden_places();

  std::span<const MaskView> views_;
  const HullVotes& votes_;
  SolidEvidence evidence_;
  int threads_;
  std::unique_ptr<Level> level_;
};

}  // namespace p2mpp
