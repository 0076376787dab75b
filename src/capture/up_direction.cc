#include "capture/up_direction.h"

#include <Eigen/Eigenvalues>
#include <Eigen/Geometry>
#include <cmath>

namespace p2mpp {
namespace {

struct Horizon {
  Eigen::Vector3d normal = Eigen::Vector3d::UnitY();
  double residual = 1;  ///< root of the weighted mean square of the axes' sines to the horizon
  double spread = 0;    ///< how well the axes span a plane: second eigenvalue relative to the third
};

/// The direction to which axes are perpendicular, by least squares; axes that are far from it count less.
Horizon fit_horizon(const std::vector<Eigen::Vector3d>& axes) {
  Horizon horizon;
  std::vector<double> weights(axes.size(), 1.0);
  for (int round = 0; round < 10; ++round) {
    Eigen::Matrix3d sum = Eigen::Matrix3d::Zero();
    double total = 0;
    for (std::size_t i = 0; i < axes.size(); ++i) {
      sum += weights[i] * axes[i] * axes[i].transpose();
      total += weights[i];
    }
    const Eigen::SelfAdjointEigenSolver<Eigen::Matrix3d> solver(sum / total);
    horizon.normal = solver.eigenvectors().col(0);
    horizon.residual = std::sqrt(std::max(0.0, solver.eigenvalues()(0)));
    horizon.spread = solver.eigenvalues()(1) / std::max(solver.eigenvalues()(2), 1e-12);
    for (std::size_t i = 0; i < axes.size(); ++i) {
      weights[i] = 1 / (0.02 + std::fabs(axes[i].dot(horizon.normal)));
    }
  }
  return horizon;
}

struct Ring {
  Eigen::Vector3d normal = Eigen::Vector3d::UnitY();
  bool found = false;
};

/// The plane of the centres, if they lie in one and around its middle.
Ring fit_ring(std::span<const Photograph> photographs) {
  constexpr double kFlat = 0.06, kRound = 0.4;  // of standard deviations
  constexpr std::size_t kFewestPhotographs = 6;
  if (photographs.size() < kFewestPhotographs) return {};
  Eigen::Vector3d mean = Eigen::Vector3d::Zero();
  for (const Photograph& photograph : photographs) mean += photograph.centre();
  mean /= static_cast<double>(photographs.size());
  Eigen::Matrix3d sum = Eigen::Matrix3d::Zero();
  for (const Photograph& photograph : photographs) {
    const Eigen::Vector3d offset = photograph.centre() - mean;
    sum += offset * offset.transpose();
  }
  const Eigen::SelfAdjointEigenSolver<Eigen::Matrix3d> solver(sum);
  const Eigen::Vector3d deviation = solver.eigenvalues().cwiseMax(0).cwiseSqrt();
  return {solver.eigenvectors().col(0), deviation(0) < kFlat * deviation(1) && deviation(1) > kRound * deviation(2)};
}

}  // namespace

UpDirection up_from_cameras(std::span<const Photograph> photographs) {
  constexpr double kLeastSpread = 0.02, kStrong = 0.3, kNear = 0.9;
  std::vector<Eigen::Vector3d> rights, downs;
  Eigen::Vector3d up = Eigen::Vector3d::Zero(), ahead = Eigen::Vector3d::Zero();
  for (const Photograph& photograph : photographs) {
    rights.emplace_back(photograph.cam_from_source.rotation.row(0));
    downs.emplace_back(photograph.cam_from_source.rotation.row(1));
    up -= downs.back();
    ahead += photograph.cam_from_source.rotation.row(2).transpose();
  }
  const double count = static_cast<double>(std::max<std::size_t>(1, photographs.size()));
  const bool strong = up.norm() > kStrong * count;
  const Horizon upright = fit_horizon(rights), turned = fit_horizon(downs);
  const Ring ring = fit_ring(photographs);

  UpDirection result{up.normalized(), "the cameras' mean"};
  if (!strong && up.norm() < 1e-9) result.direction = -photographs.front().cam_from_source.rotation.row(1);
  if (strong && upright.spread > kLeastSpread && std::fabs(upright.normal.dot(result.direction)) > kNear) {
    result = {upright.normal, "the cameras' horizons"};
  } else if (!strong && !ring.found && turned.spread > kLeastSpread && turned.residual < 0.3) {
    result = {turned.normal, "the cameras' horizons, turned by 90 degrees"};
  }
  if (ring.found && (!strong || std::fabs(ring.normal.dot(up.normalized())) > kNear)) {
    result = {ring.normal, "the ring of cameras"};
  }
  const double sign = strong ? result.direction.dot(up) : -result.direction.dot(ahead);
  if (sign < 0) result.direction = -result.direction;
  return result;
}

}  // namespace p2mpp
