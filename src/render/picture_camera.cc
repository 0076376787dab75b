#include "render/picture_camera.h"

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <numbers>

#include "image/viewpoint.h"

namespace p2mpp {
namespace {

constexpr double kObjectShare = 0.86;  ///< of the picture that the object takes

Eigen::AlignedBox3d centred_box(const Points& points) {
  Eigen::AlignedBox3d box;
  for (const Eigen::Vector3f& point : points) box.extend(point.cast<double>().eval());
  return box;
}

Camera pose_around(const Eigen::Vector3d& target, const Framing& framing, double azimuth_deg, double distance) {
  CameraRow row;
  row.azimuth_deg = static_cast<float>(azimuth_deg);
  row.elevation_deg = static_cast<float>(framing.elevation_deg);
  row.distance = 1;
  Camera pose = camera_from_row(row);
  pose.origin = target + distance * pose.origin;
  return pose;
}

PictureCamera camera_at(const Camera& pose, const Framing& framing, double aspect) {
  const double focal = 0.5 / std::tan(framing.field_of_view_deg * std::numbers::pi / 360);
  return {.pose = pose, .focal_x = focal / aspect, .focal_y = focal};
}

/// The distance along the pose's z axis through `target` from which all points are in the picture.
double fitting_distance(const Points& points, const Eigen::Vector3d& target, const PictureCamera& camera) {
  double distance = object_size(points);
  for (const Eigen::Vector3f& point : points) {
    const Eigen::Vector3d p = camera.pose.rotation * (point.cast<double>() - target);
    const double side = 2 / kObjectShare * std::max(std::abs(p.x()) * camera.focal_x, std::abs(p.y()) * camera.focal_y);
    distance = std::max(distance, p.z() + side);
  }
  return distance;
}

/// The target for which the points' outline is centred, seen from that distance.
Eigen::Vector3d recentred(const Points& points, const Eigen::Vector3d& target, const PictureCamera& camera,
                          double distance) {
  Eigen::AlignedBox2d seen;
  for (const Eigen::Vector3f& point : points) {
    const PictureCamera::Place place = camera.place(point);
    seen.extend(Eigen::Vector2d(place.x - 0.5, 0.5 - place.y));
  }
  const Eigen::Vector2d middle = seen.center();
  return target + camera.pose.rotation.transpose() * Eigen::Vector3d(distance * middle.x() / camera.focal_x,
                                                                     distance * middle.y() / camera.focal_y, 0);
}

}  // namespace

bool is_in_front_of_camera(const Points& points) {
  constexpr float kLargestTangent = 0.25F;  // 14 degrees; half of the network's field of view is 24
  Eigen::AlignedBox3f box;
  for (const Eigen::Vector3f& point : points) box.extend(point);
  const Eigen::Vector3f middle = box.center();
  return box.max().z() < 0 && middle.head<2>().norm() <= kLargestTangent * -middle.z();
}

float object_size(const Points& points) {
  constexpr float kLeastShare = 1e-6F, kShareOfPoint = 1e-3F, kLeast = 1e-6F;
  Eigen::AlignedBox3f box;
  for (const Eigen::Vector3f& point : points) box.extend(point);
  const float farthest = std::max(box.min().cwiseAbs().maxCoeff(), box.max().cwiseAbs().maxCoeff());
  const float diagonal = box.diagonal().norm();
  return std::max({diagonal, (diagonal > 0 ? kLeastShare : kShareOfPoint) * farthest, kLeast});
}

float point_radius(const TriangleMesh& mesh) {
  constexpr float kShare = 0.008F;
  return mesh.triangles.empty() ? kShare * object_size(mesh.vertices) : 0;
}

Points world_from_camera(const Points& points, const Camera& camera) {
  Points world;
  world.reserve(points.size());
  for (const Eigen::Vector3f& point : points)
    world.push_back(camera.world_from_cam(point.cast<double>()).cast<float>());
  return world;
}

Eigen::Vector3f PictureCamera::direction(double x, double y) const {
  return (pose.rotation.transpose() * Eigen::Vector3d((x - centre_x) / focal_x, (centre_y - y) / focal_y, -1))
      .cast<float>();
}

PictureCamera::Place PictureCamera::place(const Eigen::Vector3f& point) const {
  const Eigen::Vector3d p = pose.cam_from_world(point.cast<double>());
  return {centre_x + focal_x * p.x() / -p.z(), centre_y - focal_y * p.y() / -p.z(), -p.z()};
}

PictureCamera view_camera(const Camera& camera) {
  const Intrinsics& intrinsics = camera.intrinsics;
  return {.pose = camera,
          .focal_x = intrinsics.fx / kImageSize,
          .focal_y = intrinsics.fy / kImageSize,
          .centre_x = intrinsics.cx / kImageSize,
          .centre_y = intrinsics.cy / kImageSize};
}

Framing frame_view(const View& view) {
  const Viewpoint viewpoint = find_viewpoint(view);
  return {.azimuth_deg = viewpoint.azimuth_deg, .elevation_deg = viewpoint.elevation_deg};
}

PictureCamera framing_camera(const Points& points, const Framing& framing, double aspect) {
  constexpr int kRounds = 4;  // the outline's centre moves little after the first round
  Eigen::Vector3d target = centred_box(points).center();
  double distance = framing.distance;
  for (int round = 0; round < kRounds && framing.distance == 0; ++round) {
    PictureCamera camera = camera_at(pose_around(target, framing, framing.azimuth_deg, 0), framing, aspect);
    distance = fitting_distance(points, target, camera);
    camera.pose = pose_around(target, framing, framing.azimuth_deg, distance);
    target = recentred(points, target, camera, distance);
  }
  return camera_at(pose_around(target, framing, framing.azimuth_deg, distance), framing, aspect);
}

std::vector<PictureCamera> turntable_cameras(const Points& points, const Framing& framing, double aspect, int count) {
  const Eigen::Vector3d target = centred_box(points).center();
  std::vector<PictureCamera> cameras;
  double distance = framing.distance;
  for (int i = 0; i < count; ++i) {
    const double azimuth_deg = framing.azimuth_deg + 360.0 * i / count;
    cameras.push_back(camera_at(pose_around(target, framing, azimuth_deg, 0), framing, aspect));
    if (framing.distance == 0) distance = std::max(distance, fitting_distance(points, target, cameras.back()));
  }
  for (PictureCamera& camera : cameras)
    camera.pose.origin = target + distance * camera.pose.rotation.row(2).transpose();
  return cameras;
}

namespace {

/// Positions evenly distributed over a pixel; a single one is its centre.
/// Source: M. Roberts, "The Unreasonable Effectiveness of Quasirandom Sequences", 2018 (the sequence R2).
std::vector<Eigen::Vector2f> spread_offsets(std::size_t count) {
  constexpr double kPlastic = 1.32471795724474602596;
  std::vector<Eigen::Vector2f> offsets;
  for (std::size_t i = 0; i < count; ++i) {
    const auto n = static_cast<double>(i);
    const auto fraction = [](double value) { return static_cast<float>(value - std::floor(value)); };
    offsets.emplace_back(fraction(0.5 + n / kPlastic), fraction(0.5 + n / (kPlastic * kPlastic)));
  }
  return offsets;
}

}  // namespace

PixelSamples::PixelSamples(int width, int height, int count, std::span<const Eigen::Vector3f> points, float radius,
                           const PictureCamera& camera)
    : width_(width),
      height_(height),
      count_(static_cast<std::size_t>(count)),
      offsets_(spread_offsets(count_)),
      origin_(camera.pose.origin.cast<float>()),
      corner_(camera.direction(0, 0)),
      across_(camera.direction(1, 0) - corner_),
      down_(camera.direction(0, 1) - corner_) {
  double least_x = 1, least_y = 1, most_x = 0, most_y = 0;
  for (const Eigen::Vector3f& point : points) {
    const PictureCamera::Place place = camera.place(point);
    if (!(place.depth > 2.0 * radius)) {  // beside or behind the camera: it may be visible anywhere
      least_x = least_y = 0;
      most_x = most_y = 1;
      break;
    }
    // Twice the radius: a sphere's outline is a little wider than the sphere.
    const double side_x = 2 * radius * camera.focal_x / place.depth, side_y = 2 * radius * camera.focal_y / place.depth;
    least_x = std::min(least_x, place.x - side_x);
    most_x = std::max(most_x, place.x + side_x);
    least_y = std::min(least_y, place.y - side_y);
    most_y = std::max(most_y, place.y + side_y);
  }
  const auto pixel = [](double place, int size) { return static_cast<int>(std::clamp(place, 0.0, 1.0) * size); };
  left_ = std::max(0, pixel(least_x, width) - 1);
  top_ = std::max(0, pixel(least_y, height) - 1);
  right_ = std::min(width, pixel(most_x, width) + 2);
  bottom_ = std::min(height, pixel(most_y, height) + 2);
}

void PixelSamples::cast_row(int row, std::vector<Ray>& rays) const {
  rays.clear();
  if (row < top_ || row >= bottom_) return;
  for (int column = left_; column < right_; ++column) {
    for (const Eigen::Vector2f& offset : offsets_) {
      const float x = (static_cast<float>(column) + offset.x()) / static_cast<float>(width_);
      const float y = (static_cast<float>(row) + offset.y()) / static_cast<float>(height_);
      rays.push_back({origin_, corner_ + x * across_ + y * down_});
    }
  }
}

}  // namespace p2mpp
