#include "surface/volume.h"

#include <algorithm>
#include <array>
#include <utility>

#include "base/parallel.h"
#include "surface/hidden_places.h"
#include "surface/silhouette_rays.h"

namespace p2mpp {
namespace {

constexpr int kCoarsest = 72;         ///< voxels along the longest side, at most
constexpr float kCertain = 1e4F;      ///< a cost that fixes a voxel
constexpr float kWordOfMesh = 2;      ///< the weight of the expected mesh, relative to that of a depth map
constexpr float kFilled = -0.3F;      ///< the cost of a voxel of the hull if nothing else is known
constexpr float kCoarseSlack = 0.6F;  ///< voxels by which a coarse solid may leave the hull
constexpr float kSure = 0.05F;        ///< u within this of 0 or 1 does not change on a finer grid
constexpr int kMargin = 2;            ///< voxels around a surface that may change on a finer grid

constexpr int kFirstIterations = 120, kIterations = 50, kRoundIterations = 40;
constexpr int kFirstRounds = 3, kRounds = 2;  ///< of meeting rays, on the coarsest grid and on the others

}  // namespace

Volume::Volume(std::span<const MaskView> views, const HullVotes& votes, SolidEvidence evidence, int threads)
    : views_(views), votes_(votes), evidence_(std::move(evidence)), threads_(threads) {}

void Volume::solve(const Box& box, int cells) {
  const Eigen::Vector3f size = box.upper - box.lower;
  int levels = 1;
  while (cells > kCoarsest << (levels - 1)) ++levels;
  const float voxel = size.maxCoeff() / static_cast<float>(cells) * static_cast<float>(1 << (levels - 1));
  const Eigen::Vector3i counts = (size / (voxel * kBlockSide)).array().ceil().cast<int>().cwiseMax(1);
  const Eigen::Vector3f lower = (box.upper + box.lower - counts.cast<float>() * (voxel * kBlockSide)) / 2;
  level_ = first_level(BlockGrid(lower, voxel, counts));
  minimise(kFirstIterations);
  meet_rays(kFirstRounds, 0.5F);
  if (evidence_.expected) {
    doubt_hidden_places();
    minimise(kFirstIterations);
    meet_rays(kFirstRounds, 0.5F);
  }
  for (int i = 1; i < levels; ++i) {
    level_ = next_level();
    minimise(kIterations);
    meet_rays(kRounds, 0);
  }
}

std::unique_ptr<Volume::Level> Volume::first_level(BlockGrid grid) const {
  std::unique_ptr<Level> level = find_level(std::move(grid), kCoarseSlack);
  std::vector<float> start(level->hull.size());
  for (std::size_t i = 0; i < start.size(); ++i) {
    start[i] = level->usable[i] != 0 && (level->expected.empty() || level->expected[i] > 0) ? 1.0F : 0.0F;
  }
  level->solid = std::make_unique<TotalVariation>(level->grid, std::move(start), threads_);
  return level;
}

std::unique_ptr<Volume::Level> Volume::next_level() const {
  const BlockGrid& coarse = level_->grid;
  const Eigen::Vector3i counts = 2 * coarse.counts();
  std::vector<std::int32_t> states(static_cast<std::size_t>(counts.prod()));
  for_each_task(states.size(), threads_, [&](std::size_t task) {
    const auto i = static_cast<int>(task);
    states[task] = state_of({i % counts.x(), i / counts.x() % counts.y(), i / counts.x() / counts.y()});
  });
  std::unique_ptr<Level> level = find_level(coarse.refined([&](const Eigen::Vector3i& place) {
    return states[static_cast<std::size_t>((place.z() * counts.y() + place.y()) * counts.x() + place.x())];
  }),
                                            0);
  for_each_voxel(level->grid, threads_, [&](std::size_t i) {
    level->trust[i] = coarse.value(level_->trust, level->grid.voxel_at(i) / 2, 1, 1);
  });
  level->solid = std::make_unique<TotalVariation>(level->grid, *level_->solid, threads_);
  return level;
}

/// Of a block of the next grid: see BlockGrid::refined().
std::int32_t Volume::state_of(const Eigen::Vector3i& place) const {
  const BlockGrid& coarse = level_->grid;
  float least = 1, most = 0;
  Eigen::Vector3i at;
  for (at.z() = -kMargin; at.z() < kBlockSide / 2 + kMargin; ++at.z()) {
    for (at.y() = -kMargin; at.y() < kBlockSide / 2 + kMargin; ++at.y()) {
      for (at.x() = -kMargin; at.x() < kBlockSide / 2 + kMargin; ++at.x()) {
        const float share = coarse.value(level_->solid->solution(), kBlockSide / 2 * place + at, 0, 1);
        least = std::min(least, share);
        most = std::max(most, share);
      }
    }
  }
  if (most < kSure) return BlockGrid::kEmpty;
  const HullVotes::Side side = votes_.side(coarse.fine_middle(place), block_radius(coarse) / 2);
  if (side == HullVotes::Side::kOutside) return BlockGrid::kEmpty;
  return side == HullVotes::Side::kInside && least > 1 - kSure ? BlockGrid::kFull : 0;
}

/// Without a solid.
std::unique_ptr<Volume::Level> Volume::find_level(BlockGrid grid, float slack) const {
  auto level = std::make_unique<Level>();
  level->grid = std::move(grid);
  level->hull = votes_.distances(level->grid, threads_);
  level->usable.resize(level->hull.size());
  level->required.resize(level->hull.size());
  level->trust.assign(level->hull.size(), 1);
  if (evidence_.expected) level->expected.resize(level->hull.size());
  if (evidence_.seen) level->seen.resize(level->hull.size());
  const float least = -slack * level->grid.voxel();
  for_each_voxel(level->grid, threads_, [&](std::size_t i) {
    level->usable[i] = level->hull[i] > least ? 1 : 0;
    if (evidence_.expected) level->expected[i] = evidence_.expected(level->grid.centre(i));
    if (evidence_.seen && level->usable[i] != 0) level->seen[i] = evidence_.seen(level->grid.centre(i));
  });
  return level;
}

void Volume::minimise(int iterations) {
  const Level& level = *level_;
  std::vector<float> cost(level.hull.size());
  for (std::size_t i = 0; i < cost.size(); ++i) {
    if (level.usable[i] == 0 || level.required[i] != 0) {
      cost[i] = level.usable[i] == 0 ? kCertain : -kCertain;
      continue;
    }
    cost[i] = level.expected.empty() ? kFilled : std::clamp(-level.expected[i] / evidence_.trusted, -1.0F, 1.0F);
    if (!level.seen.empty()) {
      cost[i] = (kWordOfMesh * cost[i] + level.seen[i].sum) / (kWordOfMesh + level.seen[i].count);
    }
    if (cost[i] > 0) cost[i] *= level.trust[i];
  }
  level_->solid->run(cost, evidence_.smoothness / level.grid.voxel(), iterations);
}

/// least: see require_hits().
void Volume::meet_rays(int rounds, float least) {
  constexpr float kDepth = 0.3F;  // of the price: rather in the middle of a thin hull than at its surface
  Level& level = *level_;
  const float voxel = level.grid.voxel();
  std::vector<float> price(level.hull.size());
  const std::vector<std::uint8_t> denied = denied_places();
  for (int round = 0; round < rounds; ++round) {
    const std::vector<float>& solid = level.solid->solution();
    for (std::size_t i = 0; i < price.size(); ++i) {
      price[i] = -evidence_.trusted * solid[i] - kDepth * std::min(level.hull[i], 2 * voxel);
      if (!level.expected.empty()) price[i] -= level.expected[i];
      if (!level.seen.empty()) price[i] += evidence_.trusted * level.seen[i].sum / (kWordOfMesh + level.seen[i].count);
    }
    const std::size_t missed = require_hits(level.grid, views_, {solid, level.usable, price, denied},
                                            {.least = least, .tie = voxel / 2}, threads_, level.required);
    if (missed == 0) return;
    doubt();
    minimise(kRoundIterations);
  }
}

/// By voxel, whether enough depth maps look through it. Empty without depth maps.
std::vector<std::uint8_t> Volume::denied_places() const {
  constexpr float kFewest = 3, kShare = 0.75F;  // maps; of the votes of all
  std::vector<std::uint8_t> denied(level_->seen.size());
  std::ranges::transform(level_->seen, denied.begin(), [](const SurfaceVotes& votes) {
    return static_cast<std::uint8_t>(votes.count >= kFewest && votes.sum >= kShare * votes.count);
  });
  return denied;
}

/// Where rays need what the evidence denies, it is wrong about more than the voxels of these rays.
void Volume::doubt() {
  constexpr int kReach = 4;
  constexpr float kEnough = 0.5F;  // the share of required voxels around one from which on nothing is trusted
  std::array<float, 2 * kReach + 1> even;
  even.fill(1.0F / static_cast<float>(even.size()));
  Level& level = *level_;
  const std::vector<float> required(level.required.begin(), level.required.end());
  for_each_task(level.grid.active(), threads_, [&](std::size_t slot) {
    BlockSurroundings around(kReach);
    around.gather(level.grid, required, slot, 0, 0);
    if (around.are_all(0)) return;
    around.filter(even);
    for (std::size_t i = 0; i < kBlockVoxels; ++i) {
      float& trust = level.trust[slot * kBlockVoxels + i];
      trust = std::min(trust, std::max(0.0F, 1 - around.at(i) / kEnough));
    }
  });
}

/// That a place is empty counts less if hardly a photograph sees into it. Narrow cracks then close. Wide hollows stay.
void Volume::doubt_hidden_places() {
  constexpr float kHidden = 0.4F;   // the trust where no photograph sees
  constexpr float kEnough = 0.08F;  // the share of photographs from which on all is trusted
  Level& level = *level_;
  std::vector<std::uint8_t> asked(level.hull.size());
  for (std::size_t i = 0; i < asked.size(); ++i) {
    asked[i] = level.usable[i] != 0 && level.expected[i] < 0 && level.trust[i] > kHidden ? 1 : 0;
  }
  const std::vector<float> shares = seeing_shares(level.grid, level.solid->solution(), asked, views_, threads_);
  for (std::size_t i = 0; i < asked.size(); ++i) {
    const float seen = std::min(1.0F, shares[i] / kEnough);
    level.trust[i] = std::min(level.trust[i], kHidden + (1 - kHidden) * seen);
  }
}

std::vector<float> Volume::field() const {
  constexpr std::array<float, 5> kGaussian = {0.02189F, 0.22851F, 0.49920F, 0.22851F, 0.02189F};  // deviation 0.8
  constexpr float kSlope = 0.45F;      // of the smoothed solid at a surface, per voxel
  constexpr float kBeside = 0.75F;     // voxels between the solid's surface and the hull's, where they are one
  constexpr float kOne = 1, kTwo = 3;  // voxels inside the hull: to here they are one, from here on not
  const Level& level = *level_;
  std::vector<float> field(level.hull.size());
  for_each_task(level.grid.active(), threads_, [&](std::size_t slot) {
    BlockSurroundings around(2);
    around.gather(level.grid, level.solid->solution(), slot, 0, 1);
    around.filter(kGaussian);
    for (std::size_t i = 0; i < kBlockVoxels; ++i) {
      const float solid = (around.at(i) - 0.5F) / kSlope;
      const float hull = level.hull[slot * kBlockVoxels + i] / level.grid.voxel();
      const float apart = std::clamp((hull - kOne) / (kTwo - kOne), 0.0F, 1.0F);
      const float together = 1 - apart * apart * (3 - 2 * apart);
      field[slot * kBlockVoxels + i] = std::clamp(std::min(hull, solid + kBeside * together), -1.0F, 1.0F);
    }
  });
  return field;
}

}  // namespace p2mpp
