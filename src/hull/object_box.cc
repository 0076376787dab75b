#include "hull/object_box.h"

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <utility>
#include <vector>

#include "base/numbers/median.h"
#include "geometry/cameras/meeting_point.h"
#include "hull/block_grid.h"
#include "hull/hull_votes.h"
#include "p2mpp/error.h"

namespace p2mpp {
namespace {

constexpr int kBlocks = 8;  ///< of a side of the searched cube

/// Where a mask shows the object: the direction to its middle, and the tangent of its largest angle from there.
struct Aim {
  Eigen::Vector3f direction;
  float spread = 0;
};

Aim aim_of(const MaskView& view) {
  Eigen::Vector3f sum = Eigen::Vector3f::Zero();
  const auto visit = [&](const auto& body) {
    for (int row = 0; row < view.width; row += 2) {
      for (int column = 0; column < view.width; column += 2) {
        if (view.is_object(row, column)) body(view.ray(row, column).normalized());
      }
    }
  };
  visit([&](const Eigen::Vector3f& direction) { sum += direction; });
  Aim aim{sum.normalized()};
  visit([&](const Eigen::Vector3f& direction) {
    aim.spread =
        std::max(aim.spread, direction.cross(aim.direction).norm() / std::max(0.1F, direction.dot(aim.direction)));
  });
  return aim;
}

std::vector<Aim> aims_of(std::span<const MaskView> views) {
  std::vector<Aim> aims;
  for (const MaskView& view : views) aims.push_back(aim_of(view));
  return aims;
}

std::optional<Eigen::Vector3d> meeting_of(std::span<const MaskView> views, std::span<const Aim> aims) {
  std::vector<SightLine> lines;
  for (std::size_t i = 0; i < views.size(); ++i) {
    lines.push_back({views[i].float_camera().centre.cast<double>(), aims[i].direction.cast<double>().normalized()});
  }
  return meeting_point(lines);
}

/// The voxels of a cube that may belong to the hull; empty if there are none.
std::optional<Box> voxels_of(const HullVotes& votes, const Eigen::Vector3f& middle, float half, int threads) {
  const Eigen::Vector3f lower = middle - Eigen::Vector3f::Constant(half);
  const BlockGrid grid(lower, 2 * half / (kBlocks * kBlockSide), Eigen::Vector3i::Constant(kBlocks));
  const std::vector<float> distances = votes.distances(grid, threads);
  const float reach = std::sqrt(3.0F) / 2 * grid.voxel();
  constexpr float kEndless = std::numeric_limits<float>::infinity();
  Box box{Eigen::Vector3f::Constant(kEndless), Eigen::Vector3f::Constant(-kEndless)};
  for (std::size_t i = 0; i < distances.size(); ++i) {
    if (distances[i] < -reach) continue;
    const Eigen::Vector3f centre = grid.centre(i), around = Eigen::Vector3f::Constant(grid.voxel());
    box.lower = box.lower.cwiseMin(centre - around);
    box.upper = box.upper.cwiseMax(centre + around);
  }
  if (!(box.lower.array() < box.upper.array()).all()) return {};
  return box;
}

}  // namespace

std::optional<Eigen::Vector3d> object_middle(std::span<const MaskView> views) {
  return meeting_of(views, aims_of(views));
}

Box object_box(std::span<const MaskView> views, int allowance, int threads) {
  constexpr int kDoublings = 3;
  const std::vector<Aim> aims = aims_of(views);
  const std::optional<Eigen::Vector3d> meeting = meeting_of(views, aims);
  if (!meeting) throw InputError("the cameras look along one line; expected photographs from several sides");
  Eigen::Vector3f middle = meeting->cast<float>();
  std::vector<float> reaches;
  for (std::size_t i = 0; i < views.size(); ++i) {
    reaches.push_back((middle - views[i].float_camera().centre).norm() * aims[i].spread);
  }
  float half = 1.6F * upper_median(std::move(reaches));
  const HullVotes votes(views, allowance);
  for (int doublings = 0;;) {
    const std::optional<Box> box = voxels_of(votes, middle, half, threads);
    if (!box) throw InputError(kNothingInCommon);
    const Eigen::Vector3f edge = Eigen::Vector3f::Constant(0.99F * half);
    if (((box->lower - middle).array() < -edge.array()).any() || ((box->upper - middle).array() > edge.array()).any()) {
      if (doublings++ == kDoublings) {
        throw InputError("the cameras do not enclose the object; expected photographs from several sides");
      }
      half *= 2;
      continue;
    }
    const float tight = (box->upper - box->lower).maxCoeff() / 2;
    if (tight > 0.6F * half) return *box;
    middle = (box->lower + box->upper) / 2;
    half = 1.2F * tight;
  }
}

}  // namespace p2mpp
