#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "cameras/colmap/camera_models.h"
#include "cameras/colmap/colmap_model.h"
#include "cameras/parsing/text_rows.h"
#include "p2mpp/error.h"

namespace p2mpp {
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
