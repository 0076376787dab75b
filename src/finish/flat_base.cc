#include "finish/flat_base.h"

#include <fmt/format.h>

#include <Eigen/Geometry>
#include <algorithm>
#include <array>

#include "finish/certificate.h"
#include "finish/plane_cut.h"
#include "geometry/points.h"
#include "p2mpp/error.h"

namespace p2mpp {
namespace {

constexpr float kSnap = 1e-5F;  ///< of the height

/// Precondition: the mesh stands on z = 0.
float best_depth(const TriangleMesh& mesh, float height) {
  constexpr std::size_t kSteps = 32;
  constexpr float kMost = 0.04F;   // of the height
  constexpr double kEnough = 0.8;  // of the largest area
  std::array<double, kSteps + 1> areas{};
  const auto depth = [&](std::size_t step) {
    return std::max(kSnap, kMost * static_cast<float>(step) / static_cast<float>(kSteps)) * height;
  };
  for (std::size_t i = 0; i <= kSteps; ++i) areas[i] = section_area(mesh, depth(i));
  const double wanted = kEnough * *std::ranges::max_element(areas);
  const auto step = static_cast<std::size_t>(std::ranges::find_if(areas, [&](double area) { return area >= wanted; }) -
                                             areas.begin());
  return step == 0 ? 0 : depth(step);
}

void move_by(TriangleMesh& mesh, const Eigen::Vector3f& way) {
  for (Eigen::Vector3f& vertex : mesh.vertices) vertex += way;
}

}  // namespace

FlatBase with_flat_base(TriangleMesh mesh, std::optional<double> depth, int threads) {
  const Eigen::AlignedBox3f box = box_of(mesh.vertices);
  const float height = box.sizes().z();
  move_by(mesh, {-box.center().x(), -box.center().y(), -box.min().z()});
  mesh.origin.setZero();
  if (depth == 0) return {std::move(mesh), 0, section_area(mesh, kSnap * height)};
  if (depth && *depth >= static_cast<double>(height)) {
    throw InputError(
        fmt::format("is {:.4g} high; expected more than the {:.4g} that the base cuts off", height, *depth));
  }
  const float chosen = depth ? static_cast<float>(*depth) : best_depth(mesh, height);
  constexpr int kTrials = 8;
  constexpr float kStep = 0.0007F;  // of the height
  for (int trial = 0; trial < kTrials; ++trial) {
    const float cut = chosen + kStep * static_cast<float>(trial) * height;
    TriangleMesh lowered = mesh;
    move_by(lowered, {0, 0, -cut});
    std::optional<TriangleMesh> part = cut_at_ground(lowered, kSnap * height);
    if (part && !part->triangles.empty() && certify(*part, threads).sound()) {
      const double area = section_area(*part, kSnap * height);
      return {std::move(*part), static_cast<double>(cut), area};
    }
  }
  throw InputError("no cut near the ground leaves a sound surface; expected another depth of the base, or none");
}

}  // namespace p2mpp
