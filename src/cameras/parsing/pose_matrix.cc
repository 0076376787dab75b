#include "cameras/parsing/pose_matrix.h"

#include <fmt/format.h>

#include <Eigen/Geometry>
#include <Eigen/LU>
#include <Eigen/SVD>
#include <cmath>

#include "p2mpp/error.h"

namespace p2mpp {

ScaledRotation nearest_rotation(const Eigen::Matrix3d& axes, const std::string& where) {
  // A larger error is another matrix: a projection, a shear.
  constexpr double kTolerance = 1e-2;
  const double scale = std::sqrt((axes.transpose() * axes).trace() / 3);
  const double error = (axes.transpose() * axes / (scale * scale) - Eigen::Matrix3d::Identity()).cwiseAbs().maxCoeff();
  if (!(scale > 0 && std::isfinite(scale) && error < kTolerance)) {
    throw InputError(
        fmt::format("{}: its axes are not perpendicular and of one length (off by {:.3g}); expected a "
                    "rotation and a translation",
                    where, error));
  }
  if (axes.determinant() < 0) {
    throw InputError(fmt::format(
        "{}: contains a reflection; expected a rotation and a translation: is one axis reversed, or are two "
        "exchanged (a left-handed world)?",
        where));
  }
  const Eigen::JacobiSVD<Eigen::Matrix3d> svd(axes / scale, Eigen::ComputeFullU | Eigen::ComputeFullV);
  return {svd.matrixU() * svd.matrixV().transpose(), scale};
}

Eigen::Matrix3d matrix3(std::span<const double> rows) {
  Eigen::Matrix3d matrix;
  for (Eigen::Index i = 0; i < 9; ++i) matrix(i / 3, i % 3) = rows[static_cast<std::size_t>(i)];
  return matrix;
}

Eigen::Vector3d vector3(std::span<const double> numbers) { return {numbers[0], numbers[1], numbers[2]}; }

namespace {

/// The first three columns of three rows of four numbers.
Eigen::Matrix3d left_columns(std::span<const double> rows) {
  Eigen::Matrix3d axes;
  for (Eigen::Index i = 0; i < 9; ++i) axes(i / 3, i % 3) = rows[static_cast<std::size_t>(4 * (i / 3) + i % 3)];
  return axes;
}

}  // namespace

Rigid3 pose_from_axes(const Eigen::Matrix3d& source_from_cam, const Eigen::Vector3d& centre, const std::string& where) {
  return rigid_from_centre(nearest_rotation(source_from_cam, where).rotation.transpose(), centre);
}

Rigid3 pose_from_rows(std::span<const double> source_from_cam, const std::string& where) {
  return pose_from_axes(left_columns(source_from_cam), {source_from_cam[3], source_from_cam[7], source_from_cam[11]},
                        where);
}

Rigid3 pose_of_rows(std::span<const double> cam_from_source, const std::string& where) {
  const ScaledRotation found = nearest_rotation(left_columns(cam_from_source), where);
  return {found.rotation, Eigen::Vector3d(cam_from_source[3], cam_from_source[7], cam_from_source[11]) / found.scale};
}

Eigen::Matrix3d rotation_of_quaternion(double w, double x, double y, double z, const std::string& where) {
  const Eigen::Vector4d values(w, x, y, z);
  const double largest = values.cwiseAbs().maxCoeff();
  if (!values.allFinite() || largest == 0) {
    throw InputError(fmt::format("{}: the quaternion is {} {} {} {}; expected four finite numbers that are not all 0",
                                 where, w, x, y, z));
  }
  // COLMAP writes unit quaternions; other programs that write its format do not always.
  const Eigen::Vector4d unit = (values / largest).normalized();
  return Eigen::Quaterniond(unit[0], unit[1], unit[2], unit[3]).toRotationMatrix();
}

}  // namespace p2mpp
