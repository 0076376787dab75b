#pragma once

#include <Eigen/Core>
#include <span>
#include <string>

#include "geometry/rigid3.h"

namespace p2mpp {

struct ScaledRotation {
  Eigen::Matrix3d rotation = Eigen::Matrix3d::Identity();
  double scale = 1;  ///< of the given axes
};

/// The rotation nearest to a matrix of perpendicular axes of one length. Files have six digits or more. Throws
/// InputError, "{where}: ...", for a shear, a mirror, or axes of several lengths.
[[nodiscard]] ScaledRotation nearest_rotation(const Eigen::Matrix3d& axes, const std::string& where);

/// Matrices of numbers row by row: 9 and 3 numbers.
[[nodiscard]] Eigen::Matrix3d matrix3(std::span<const double> rows);
[[nodiscard]] Eigen::Vector3d vector3(std::span<const double> numbers);

/// cam_from_source in OpenCV's axes of a camera's axes and centre in the source: columns are x, y and z, the centre.
/// Throws as nearest_rotation().
[[nodiscard]] Rigid3 pose_from_axes(const Eigen::Matrix3d& source_from_cam, const Eigen::Vector3d& centre,
                                    const std::string& where);

/// The same of the first three rows of a 4x4 matrix, row by row: 12 or more numbers.
[[nodiscard]] Rigid3 pose_from_rows(std::span<const double> source_from_cam, const std::string& where);

/// cam_from_source of its first three rows, row by row: 12 or more numbers.
[[nodiscard]] Rigid3 pose_of_rows(std::span<const double> cam_from_source, const std::string& where);

/// The rotation of a quaternion of any length but 0. Throws InputError, "{where}: ...".
[[nodiscard]] Eigen::Matrix3d rotation_of_quaternion(double w, double x, double y, double z, const std::string& where);

}  // namespace p2mpp
