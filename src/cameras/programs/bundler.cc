#include <fmt/format.h>

#include "base/text.h"
#include "cameras/colmap/colmap_model.h"
#include "cameras/parsing/left_out.h"
#include "cameras/parsing/pose_matrix.h"
#include "cameras/programs/camera_files.h"
#include "cameras/programs/words.h"
#include "p2mpp/error.h"

namespace p2mpp {
namespace {

ListedCamera bundler_camera(const std::string& row, const std::string& photograph, const std::string& where) {
  const std::vector<double> numbers = Columns(row, where).numbers("camera", 15);
  ListedCamera camera{.file = photograph, .where = where};
  camera.unit = LensUnit::kFromCentre;
  camera.lens = {.fx = numbers[0], .fy = numbers[0], .coefficients = {numbers[1], numbers[2]}};
  const std::span<const double> all = numbers;
  const ScaledRotation rotation = nearest_rotation(matrix3(all.subspan(3, 9)), where);
  camera.cam_from_source = flip_y_and_z(Rigid3{rotation.rotation, vector3(all.subspan(12))});
  return camera;
}

std::vector<Eigen::Vector3d> bundler_points(Words& words, std::size_t count) {
  std::vector<Eigen::Vector3d> points;
  for (; count > 0; --count) {
    const std::vector<double> point = words.numbers("point", 3);
    static_cast<void>(words.numbers("colour", 3));
    const std::size_t views = words.count("number of views");
    for (std::size_t view = 0; view < 4 * views; ++view) static_cast<void>(words.number("view"));
    if (views >= kMinTrackLength) points.push_back(vector3(point));
  }
  return points;
}

}  // namespace

/// Bundler's bundle.out, version 0.3. Cameras look along -z with y up. Source: Bundler's manual, "Output format".
CameraList parse_bundler(std::string_view text, const std::string& name, const std::vector<std::string>& photographs) {
  if (!without_byte_order_mark(text).starts_with("# Bundle file")) {
    throw InputError(name + ": expected '# Bundle file v0.3' at the start");
  }
  Words words(text, name);
  const std::size_t count = words.count("number of cameras"), points = words.count("number of points");
  if (count > photographs.size()) {
    throw InputError(fmt::format("{}: has {} cameras for {} photographs; expected a name for each in list.txt", name,
                                 count, photographs.size()));
  }
  CameraList list;
  const std::string_view head = without_byte_order_mark(text);
  list.version = trimmed(head.substr(0, head.find('\n')).substr(std::string_view("# Bundle file").size()));
  LeftOut left_out;
  for (std::size_t i = 0; i < count; ++i) {
    const std::string row = words.row(15);
    if (parse_finite(row.substr(0, row.find(' '))) == 0.0) {
      left_out.without_pose();
      continue;
    }
    left_out.read(
        [&] { list.cameras.push_back(bundler_camera(row, photographs[i], fmt::format("{}: camera {}", name, i))); });
  }
  list.notes = left_out.notes(name, list.cameras.size());
  read_optional_points([&] { return bundler_points(words, points); }, list);
  return list;
}

}  // namespace p2mpp
