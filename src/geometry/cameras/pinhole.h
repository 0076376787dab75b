#pragma once

#include <Eigen/Core>
#include <cstddef>
#include <optional>

#include "geometry/rigid3.h"
#include "p2mpp/camera.h"

namespace p2mpp {

/// The index of the pixel at a continuous place in a picture [size, size]; nothing outside of it.
template <typename Scalar>
[[nodiscard]] std::optional<std::size_t> pixel_index(const Eigen::Matrix<Scalar, 2, 1>& place, int size) {
  const auto limit = static_cast<Scalar>(size);
  if (!(place.x() >= 0 && place.y() >= 0 && place.x() < limit && place.y() < limit)) return std::nullopt;
  return static_cast<std::size_t>(place.y()) * static_cast<std::size_t>(size) + static_cast<std::size_t>(place.x());
}

/// The centre of a pixel of a picture that is so wide.
template <typename Scalar>
[[nodiscard]] Eigen::Matrix<Scalar, 2, 1> pixel_centre(std::size_t pixel, std::size_t width) {
  return {static_cast<Scalar>(pixel % width) + Scalar(0.5), static_cast<Scalar>(pixel / width) + Scalar(0.5)};
}

/// A pinhole camera with OpenCV's axes: x right, y down, z forward. Pixels count from the image's upper left corner.
/// "World" is the frame of the points it sees.
template <typename Scalar>
struct Pinhole {
  using Vector2 = Eigen::Matrix<Scalar, 2, 1>;
  using Vector3 = Eigen::Matrix<Scalar, 3, 1>;
  using Matrix3 = Eigen::Matrix<Scalar, 3, 3>;

  Matrix3 rotation = Matrix3::Identity();     ///< cam_from_world
  Vector3 translation = Vector3::Zero();      ///< of that
  Vector3 centre = Vector3::Zero();           ///< of the camera, in the world
  Vector2 focal = Vector2::Ones();            ///< pixels
  Vector2 principal_point = Vector2::Zero();  ///< column and row in pixels

  [[nodiscard]] Vector3 cam_from_world(const Vector3& point) const { return rotation * point + translation; }

  /// Column and row of a point of the camera's frame. Precondition: z > 0.
  [[nodiscard]] Vector2 pixel_of(const Vector3& seen) const {
    return {focal.x() * seen.x() / seen.z() + principal_point.x(),
            focal.y() * seen.y() / seen.z() + principal_point.y()};
  }

  /// The index of the pixel of a picture [size, size] that shows a point of the world; nothing if none does.
  [[nodiscard]] std::optional<std::size_t> index_of(const Vector3& point, int size) const {
    const Vector3 seen = cam_from_world(point);
    return seen.z() > 0 ? pixel_index(pixel_of(seen), size) : std::nullopt;
  }

  /// From the camera through a continuous pixel, in its frame: of length 1 along the optical axis.
  [[nodiscard]] Vector3 ray_in_cam(Scalar column, Scalar row) const {
    return {(column - principal_point.x()) / focal.x(), (row - principal_point.y()) / focal.y(), 1};
  }
  /// The same in the world.
  [[nodiscard]] Vector3 ray(Scalar column, Scalar row) const { return rotation.transpose() * ray_in_cam(column, row); }

  void set_pose(const Matrix3& cam_from_world, const Vector3& at) {
    rotation = cam_from_world;
    centre = at;
    translation = -(rotation * centre);
  }

  template <typename Other>
  [[nodiscard]] Pinhole<Other> cast() const {
    return {rotation.template cast<Other>(), translation.template cast<Other>(), centre.template cast<Other>(),
            focal.template cast<Other>(), principal_point.template cast<Other>()};
  }
};

/// The pinhole of a Camera, for an image of `size` pixels a side.
[[nodiscard]] inline Pinhole<double> pinhole_of(const Camera& camera, int size) {
  const double scale = size / kImageSize;
  const Intrinsics& seen = camera.intrinsics;
  Pinhole<double> pinhole;
  pinhole.set_pose(flip_y_and_z(camera.rotation), camera.origin);
  pinhole.focal = {scale * seen.fx, scale * seen.fy};
  pinhole.principal_point = {scale * seen.cx, scale * seen.cy};
  return pinhole;
}

/// The Camera of a pinhole with an image of `size` pixels a side.
[[nodiscard]] inline Camera camera_of(const Pinhole<double>& pinhole, int size) {
  const auto scaled = [&](double pixels) { return pixels * kImageSize / size; };
  return {flip_y_and_z(pinhole.rotation),
          pinhole.centre,
          {scaled(pinhole.focal.x()), scaled(pinhole.focal.y()), scaled(pinhole.principal_point.x()),
           scaled(pinhole.principal_point.y())}};
}

}  // namespace p2mpp
