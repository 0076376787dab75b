#pragma once

#include <Eigen/Core>

#include "p2mpp/export.h"

namespace p2mpp {

inline constexpr double kImageSize = 224;       ///< pixels: the side of the network's square input
inline constexpr double kFocalLength = 248;     ///< pixels, at kImageSize: of every camera row
inline constexpr double kPrincipalPoint = 112;  ///< pixels, at kImageSize, both axes: of every camera row

/// A pinhole's inner geometry, in pixels of the 224x224 image, whose upper left corner is (0, 0). The centre of its
/// first pixel is (0.5, 0.5).
struct Intrinsics {
  double fx = kFocalLength;     ///< focal length along a row, > 0
  double fy = kFocalLength;     ///< along a column, > 0
  double cx = kPrincipalPoint;  ///< the principal point's column
  double cy = kPrincipalPoint;  ///< its row
};

/// One row of rendering_metadata.txt or cameras.txt, in the file's order and units. The in-plane rotation and the field
/// of view are stored but not used: the focal length is fixed (the defaults of Intrinsics).
struct CameraRow {
  float azimuth_deg = 0;
  float elevation_deg = 0;
  float in_plane_rotation_deg = 0;
  float distance = 0;  ///< from the object's centre, > 0, in ShapeNet's unit times 0.57
  float field_of_view_deg = 0;
};

/// Throws InputError if a row is not a valid camera ("distance is 0; expected a positive number").
P2MPP_EXPORT void check_camera(const CameraRow& row);

/// A pinhole camera that looks along its own -z, x to the right, y up.
struct Camera {
  Eigen::Matrix3d rotation = Eigen::Matrix3d::Identity();  ///< rows: the camera's unit axes in the world
  Eigen::Vector3d origin = Eigen::Vector3d::Zero();        ///< the camera's centre in the world
  Intrinsics intrinsics = {};

  [[nodiscard]] Eigen::Vector3d cam_from_world(const Eigen::Vector3d& point) const {
    return rotation * (point - origin);
  }
  [[nodiscard]] Eigen::Vector3d world_from_cam(const Eigen::Vector3d& point) const {
    return rotation.transpose() * point + origin;
  }
};

/// Throws InputError if a camera cannot be used ("fx is 0; expected a positive number"), unless all numbers are finite,
/// the rotation is orthonormal with determinant 1, and the focal lengths are positive.
P2MPP_EXPORT void check_camera(const Camera& camera);

/// The camera of a row, for every elevation including the poles. It looks at the world's origin, without roll. Throws
/// InputError as check_camera().
/// Source: Pixel2Mesh++ (Wen et al., ICCV 2019), `camera_mat` of the reference code.
[[nodiscard]] P2MPP_EXPORT Camera camera_from_row(const CameraRow& row);

/// A position in an image of 224x224, in pixels: row grows downwards, column to the right.
struct Pixel {
  double row = 0;
  double column = 0;
};

/// Pinhole projection of a point in the camera's frame (z < 0 in front), clamped to [0, 223]; 0 if undefined (0/0).
[[nodiscard]] P2MPP_EXPORT Pixel project(const Eigen::Vector3d& point_in_cam, const Intrinsics& intrinsics);

}  // namespace p2mpp
