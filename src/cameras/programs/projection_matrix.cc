#include "cameras/programs/projection_matrix.h"

#include <fmt/format.h>

#include <Eigen/LU>
#include <Eigen/QR>
#include <cmath>

#include "cameras/parsing/pose_matrix.h"
#include "p2mpp/error.h"

namespace p2mpp {
namespace {

void check_calibration(const Eigen::Matrix3d& k, const std::string& where) {
  if (!(k(0, 0) > 0 && k(1, 1) > 0) || std::fabs(k(1, 0)) + std::fabs(k(2, 0)) + std::fabs(k(2, 1)) > 1e-6 * k(0, 0)) {
    throw InputError(fmt::format("{}: is not a calibration matrix; expected fx s cx, 0 fy cy, 0 0 1", where));
  }
}

}  // namespace

ProjectionCamera camera_of_k(std::span<const double> rows, const Rigid3& cam_from_source, const std::string& where) {
  const Eigen::Matrix3d k = matrix3(rows) / (rows[8] == 0 ? 1 : rows[8]);
  check_calibration(k, where);
  Lens lens{.fx = k(0, 0), .fy = k(1, 1), .cx = k(0, 2) + kFirstPixelCentre, .cy = k(1, 2) + kFirstPixelCentre};
  constexpr double kRounding = 1e-4;  // of floats that were multiplied
  if (std::fabs(k(0, 1)) > kRounding * k(0, 0)) lens.extras.shear = k(0, 1) / k(0, 0);
  return {lens, cam_from_source};
}

ProjectionCamera camera_of_projection(std::span<const double> matrix, const std::string& where) {
  Eigen::Matrix<double, 3, 4> p;
  for (Eigen::Index i = 0; i < 12; ++i) p(i / 4, i % 4) = matrix[static_cast<std::size_t>(i)];
  Eigen::Matrix3d m = p.leftCols<3>();
  // The sign of a projection is arbitrary; a camera does not mirror.
  if (m.determinant() < 0) {
    p = -p;
    m = -m;
  }
  if (!(std::fabs(m.determinant()) > 1e-12 * std::pow(m.norm(), 3)) || !p.allFinite()) {
    throw InputError(fmt::format("{}: is not a projection K [R|t]; expected 3 rows of 4 numbers", where));
  }
  // m = K R: the inverse is R^T K^-1, an orthogonal matrix times an upper triangular one.
  const Eigen::HouseholderQR<Eigen::Matrix3d> qr(m.inverse());
  Eigen::Matrix3d rotation = Eigen::Matrix3d(qr.householderQ()).transpose();
  Eigen::Matrix3d k = (qr.matrixQR().triangularView<Eigen::Upper>().toDenseMatrix()).inverse();
  const Eigen::Vector3d signs = k.diagonal().cwiseSign();
  k = k * signs.asDiagonal();
  rotation = signs.asDiagonal() * rotation;
  const Eigen::Vector3d translation = k.inverse() * p.col(3);
  k /= k(2, 2);
  if (k.topLeftCorner<2, 2>().isApprox(Eigen::Matrix2d::Identity(), 0.05)) {
    throw InputError(fmt::format("{}: is a pose [R|t] without a focal length; expected K [R|t]", where));
  }
  // Row by row.
  const Eigen::Matrix<double, 3, 3, Eigen::RowMajor> rows = k;
  return camera_of_k({rows.data(), 9}, {rotation, translation}, where);
}

}  // namespace p2mpp
