#include "cameras/parsing/fitted_lens.h"

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>

namespace p2mpp {
namespace {

constexpr int kFittedSamples = 64;
constexpr double kMostError = 2e-4;     ///< focal lengths
constexpr double kFittedTangent = 5.7;  ///< 80 degrees from the axis

/// Columns: undistorted and distorted radius. Empty if the camera sees directions that no photograph can show.
std::optional<Eigen::ArrayX2d> sampled_radii(const Lens& lens, int width, int height,
                                             const std::function<double(double)>& undistorted) {
  const double x = std::max(lens.cx, width - lens.cx) / lens.fx, y = std::max(lens.cy, height - lens.cy) / lens.fy;
  const double farthest = std::hypot(x, y);
  if (!(std::isfinite(farthest) && farthest > 0)) return std::nullopt;
  Eigen::ArrayX2d radii(kFittedSamples, 2);
  double before = 0;
  for (int i = 0; i < kFittedSamples; ++i) {
    const double distorted = farthest * (i + 1) / kFittedSamples;
    const double ideal = undistorted(distorted);
    if (!(ideal > before && ideal < kFittedTangent)) return std::nullopt;
    radii.row(i) << ideal, distorted;
    before = ideal;
  }
  return radii;
}

/// The coefficients of (1 + a1 s + a2 s^2 + a3 s^3) / (1 + b1 s + b2 s^2 + b3 s^3), s = r^2, by linear least squares.
std::array<double, 8> rational(const Eigen::ArrayX2d& radii) {
  const Eigen::ArrayXd s = radii.col(0).square() / radii(kFittedSamples - 1, 0) / radii(kFittedSamples - 1, 0);
  const Eigen::ArrayXd ratio = radii.col(1) / radii.col(0);
  Eigen::MatrixXd system(kFittedSamples, 6);
  for (int power = 0; power < 3; ++power) {
    system.col(power) = s.pow(power + 1).matrix();
    system.col(3 + power) = (-ratio * s.pow(power + 1)).matrix();
  }
  // The columns are nearly dependent if the distortion is weak.
  Eigen::CompleteOrthogonalDecomposition<Eigen::MatrixXd> solver(system);
  solver.setThreshold(1e-9);
  const Eigen::VectorXd found = solver.solve((ratio - 1).matrix());
  std::array<double, 8> coefficients{};
  constexpr std::array<std::size_t, 6> kPlaces{0, 1, 4, 5, 6, 7};  // k1 k2 (p1 p2) k3 k4 k5 k6
  for (std::size_t i = 0; i < kPlaces.size(); ++i) {
    coefficients[kPlaces[i]] = found(static_cast<Eigen::Index>(i)) /
                               std::pow(radii(kFittedSamples - 1, 0), 2.0 * static_cast<double>(i % 3 + 1));
  }
  return coefficients;
}

std::array<double, 8> equidistant(const Eigen::ArrayX2d& radii) {
  const Eigen::ArrayXd angle = radii.col(0).atan(), s = angle.square();
  Eigen::MatrixXd system(kFittedSamples, 4);
  for (int power = 0; power < 4; ++power) system.col(power) = s.pow(power + 1).matrix();
  const Eigen::VectorXd found = system.colPivHouseholderQr().solve((radii.col(1) / angle - 1).matrix());
  std::array<double, 8> coefficients{};
  for (std::size_t i = 0; i < 4; ++i) coefficients[i] = found(static_cast<Eigen::Index>(i));
  return coefficients;
}

/// The largest difference of a lens from the samples, in focal lengths; infinite where the lens has no pixel.
double fit_error(Lens lens, const Eigen::ArrayX2d& radii) {
  lens.fx = lens.fy = 1;
  lens.cx = lens.cy = 0;
  const LensMap map(lens);
  double worst = 0;
  for (int i = 0; i < kFittedSamples; ++i) {
    const auto pixel = map.pixel_of({radii(i, 0), 0, 1});
    if (!pixel) return INFINITY;
    worst = std::max(worst, std::fabs(pixel->x() - radii(i, 1)));
  }
  return worst;
}

}  // namespace

std::optional<Lens> fitted_lens(const Lens& lens, int width, int height,
                                const std::function<double(double)>& undistorted) {
  std::optional<Eigen::ArrayX2d> radii = sampled_radii(lens, width, height, undistorted);
  if (!radii) return std::nullopt;
  // Some models change the scale at the axis, too. The fitted ones do not: their focal lengths take it.
  constexpr double kNearAxis = 1e-4;
  const double scale = kNearAxis / undistorted(kNearAxis);
  radii->col(1) /= scale;
  for (const LensModel model : {LensModel::kRadialTangential, LensModel::kFisheye}) {
    Lens fitted = lens;
    fitted.model = model;
    fitted.fx *= scale;
    fitted.fy *= scale;
    fitted.coefficients = model == LensModel::kFisheye ? equidistant(*radii) : rational(*radii);
    if (std::ranges::all_of(fitted.coefficients, [](double value) { return std::isfinite(value); }) &&
        fit_error(fitted, *radii) < kMostError) {
      return fitted;
    }
  }
  return std::nullopt;
}

}  // namespace p2mpp
