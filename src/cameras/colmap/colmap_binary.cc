#include <fmt/format.h>

#include <array>

#include "base/stop_token.h"
#include "base/text.h"
#include "cameras/colmap/camera_models.h"
#include "cameras/colmap/colmap_model.h"
#include "cameras/parsing/binary_fields.h"
#include "p2mpp/error.h"

namespace p2mpp {
namespace {

constexpr std::uint64_t kCameraBytes = 24;  ///< without the parameters
constexpr std::uint64_t kImageBytes = 73;   ///< with an empty name and no points
constexpr std::uint64_t kPoint2dBytes = 24;
constexpr std::uint64_t kPoint3dBytes = 51;  ///< without its track
constexpr std::uint64_t kTrackBytes = 8;

/// A record that cannot be used is read to its end, so that the next one is found.
ColmapCamera next_camera(BinaryFields& fields, const std::string& where) {
  end_if_stopped();
  const CameraModel& model = camera_model(std::int64_t{fields.i32()}, where);
  const std::uint64_t width = fields.u64(), height = fields.u64();
  std::vector<double> parameters(model.parameter_count);
  for (double& parameter : parameters) parameter = fields.number();
  ColmapCamera camera{.lens = {}, .model = model.name};
  try {
    check_supported(model, where);
    camera.width = checked_side(width, where);
    camera.height = checked_side(height, where);
    camera.lens = make_lens(model, parameters, camera.width, camera.height, where);
  } catch (const InputError& error) {
    camera.refusal = error.what();
  }
  return camera;
}

ColmapImage next_image(BinaryFields& fields) {
  end_if_stopped();
  const std::string where = fields.where();
  ColmapImage image;
  image.where = where;
  fields.skip(4);  // the image's id
  std::array<double, 4> q{};
  for (double& value : q) value = fields.number();
  for (double& value : image.cam_from_source.translation) value = fields.number();
  image.camera = fields.u32();
  image.name = fields.text();
  fields.skip(kPoint2dBytes * fields.count("points of an image", kPoint2dBytes));
  try {
    image.cam_from_source.rotation = rotation_of_quaternion(q[0], q[1], q[2], q[3], where);
    if (!image.cam_from_source.translation.allFinite()) {
      throw InputError(where + ": the translation is not finite; expected three finite numbers");
    }
  } catch (const InputError& error) {
    image.refusal = error.what();
  }
  return image;
}

}  // namespace

ColmapCameras parse_cameras_bin(std::string_view bytes, const std::string& name) {
  BinaryFields fields(bytes, name);
  ColmapCameras cameras;
  for (std::uint64_t left = fields.count("cameras", kCameraBytes); left > 0; --left) {
    const std::string where = fields.where();
    const std::uint32_t id = fields.u32();
    add_camera(id, next_camera(fields, where), where, cameras);
  }
  fields.expect_end();
  return cameras;
}

std::vector<ColmapImage> parse_images_bin(std::string_view bytes, const std::string& name) {
  BinaryFields fields(bytes, name);
  std::vector<ColmapImage> images;
  for (std::uint64_t left = fields.count("images", kImageBytes); left > 0; --left) images.push_back(next_image(fields));
  fields.expect_end();
  return images;
}

std::vector<Eigen::Vector3d> parse_points3d_bin(std::string_view bytes, const std::string& name) {
  BinaryFields fields(bytes, name);
  std::vector<Eigen::Vector3d> points;
  for (std::uint64_t left = fields.count("points", kPoint3dBytes); left > 0; --left) {
    end_if_stopped();
    fields.skip(8);  // the point's id
    Eigen::Vector3d point;
    for (double& value : point) value = fields.number();
    fields.skip(3);  // its colour
    const double error = fields.number();
    const std::uint64_t track = fields.count("photographs of a point", kTrackBytes);
    fields.skip(kTrackBytes * track);
    // A point or an error that is not finite is as good as none.
    if (point.allFinite() && track >= kMinTrackLength && error <= kMaxReprojectionError) points.push_back(point);
  }
  fields.expect_end();
  return points;
}

}  // namespace p2mpp
