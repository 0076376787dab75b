#include "cameras/colmap/colmap_model.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/text.h"
#include "base/thread_scopes.h"
#include "cameras/colmap/camera_models.h"
#include "cameras/parsing/binary_fields.h"
#include "cameras/parsing/text_rows.h"
#include "p2mpp/error.h"

namespace p2mpp {

int checked_side(std::uint64_t pixels, const std::string& where) {
  constexpr std::uint64_t kMaxSide = 1'000'000;
  if (pixels >= 1 && pixels <= kMaxSide) return static_cast<int>(pixels);
  throw InputError(fmt::format("{}: the image has {} pixels a side; expected 1 to {}", where, pixels, kMaxSide));
}

void add_camera(std::int64_t id, const ColmapCamera& camera, const std::string& where, ColmapCameras& cameras) {
  const auto [known, is_new] = cameras.try_emplace(id, camera);
  ColmapCamera& other = known->second;
  if (is_new || !other.refusal.empty()) return;
  if (other.lens == camera.lens && other.width == camera.width && other.height == camera.height) return;
  other.refusal = fmt::format("{}: camera {} appears twice with different values; expected it once", where, id);
}

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

namespace {

ColmapCamera parse_camera(Columns& columns) {
  const CameraModel& model = camera_model(columns.word("camera model"), columns.where());
  ColmapCamera camera{.lens = {}, .model = model.name};
  camera.width = checked_side(columns.whole("width"), columns.where());
  camera.height = checked_side(columns.whole("height"), columns.where());
  const std::size_t count = columns.count();
  if (count != model.parameters.size()) {
    throw InputError(fmt::format("{}: {} has {} parameters; expected {}", columns.where(), model.name, count,
                                 model.parameters.size()));
  }
  std::vector<double> parameters(count);
  for (double& parameter : parameters) parameter = columns.number("parameter");
  camera.lens = make_lens(model, parameters, camera.width, camera.height, columns.where());
  return camera;
}

ColmapImage parse_image(Columns& columns) {
  static_cast<void>(columns.whole("image's id"));
  std::array<double, 4> q{};
  for (double& value : q) value = columns.number("quaternion");
  ColmapImage image;
  image.where = columns.where();
  image.cam_from_source.rotation = rotation_of_quaternion(q[0], q[1], q[2], q[3], columns.where());
  for (double& value : image.cam_from_source.translation) value = columns.number("translation");
  // An id that no camera can have is found where ids are looked up.
  image.camera = static_cast<std::int64_t>(std::min<std::uint64_t>(columns.whole("camera's id"), INT64_MAX));
  image.name = columns.rest();
  if (image.name.empty()) {
    throw InputError(fmt::format("{}: has no name; expected the file's name in the last column", columns.where()));
  }
  return image;
}

/// The second line of an image: X Y POINT3D_ID of each of its points, or nothing. Files written by hand without it
/// would lose every second image silently.
void check_points_line(const Columns& columns) {
  const std::size_t count = columns.count();
  if (count % 3 == 0) return;
  throw InputError(fmt::format(
      "{}: has {} columns; expected X, Y, POINT3D_ID of an image's points, or an empty line after each image",
      columns.where(), count));
}

}  // namespace

ColmapCameras parse_cameras_txt(std::string_view text, const std::string& name) {
  ColmapCameras cameras;
  for_each_row(text, name, [&](Columns columns, LineReader&) {
    const auto id = static_cast<std::int64_t>(std::min<std::uint64_t>(columns.whole("camera's id"), INT64_MAX - 1));
    const std::string where = columns.where();
    ColmapCamera camera;
    try {
      camera = parse_camera(columns);
    } catch (const InputError& error) {
      camera.refusal = error.what();
    }
    add_camera(id, camera, where, cameras);
  });
  return cameras;
}

std::vector<ColmapImage> parse_images_txt(std::string_view text, const std::string& name) {
  std::vector<ColmapImage> images;
  for_each_row(text, name, [&](Columns columns, LineReader& lines) {
    ColmapImage image;
    try {
      image = parse_image(columns);
    } catch (const InputError& error) {
      image.refusal = error.what();
    }
    images.push_back(std::move(image));
    std::string_view points;
    if (lines.next(points)) check_points_line(Columns(points, fmt::format("{}:{}", name, lines.number())));
  });
  return images;
}

std::vector<Eigen::Vector3d> parse_points3d_txt(std::string_view text, const std::string& name) {
  std::vector<Eigen::Vector3d> points;
  for_each_row(text, name, [&](Columns columns, LineReader&) {
    // Programs write -1 for every id. A number with decimals is a coordinate of a file without ids.
    const std::string_view id = columns.word("point's id");
    const std::optional<double> number = parse_finite(id);
    if (!number || id.find('.') != std::string_view::npos) {
      throw InputError(
          fmt::format("{}: the point's id is '{}'; expected a whole number", columns.where(), printable(id, 40)));
    }
    Eigen::Vector3d point;
    bool finite = true;
    const auto next = [&](const char* what) {  // a point that is not finite is as good as none
      const std::optional<double> value = parse_finite(columns.word(what));
      finite &= value.has_value();
      return value.value_or(0);
    };
    for (double& value : point) value = next("point");
    for (const char* channel : {"red", "green", "blue"}) static_cast<void>(columns.word(channel));
    const double error = next("reprojection error");
    const std::size_t track = columns.count();
    if (track % 2 != 0) {
      throw InputError(fmt::format("{}: the track has {} columns; expected pairs of IMAGE_ID and POINT2D_IDX",
                                   columns.where(), track));
    }
    if (finite && track / 2 >= kMinTrackLength && error <= kMaxReprojectionError) points.push_back(point);
  });
  return points;
}

}  // namespace p2mpp
