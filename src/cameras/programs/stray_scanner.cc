#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <utility>

#include "base/text.h"
#include "cameras/parsing/left_out.h"
#include "cameras/parsing/pose_matrix.h"
#include "cameras/parsing/text_rows.h"
#include "cameras/programs/camera_files.h"
#include "cameras/programs/projection_matrix.h"
#include "p2mpp/error.h"

namespace p2mpp {
namespace {

/// Commas separate columns, with blanks or without.
std::string with_blanks(std::string_view csv) {
  std::string text(csv);
  std::ranges::replace(text, ',', ' ');
  return text;
}

}  // namespace

/// Stray Scanner's odometry.csv: timestamp, frame, x, y, z, qx, qy, qz, qw, with OpenCV's axes; gravity is -y. Frames
/// are those of rgb.mp4, which their names count. camera_matrix.csv is K. Source: strayrobots/scanner, docs/format.md
/// and OdometryEncoder.swift.
CameraList parse_stray_scanner(std::string_view odometry, std::string_view matrix, const std::string& name) {
  const std::optional<std::vector<double>> k = numbers_in(with_blanks(matrix));
  if (!k || k->size() != 9) throw InputError(name + ": camera_matrix.csv beside it: expected 3 rows of 3 numbers");
  const Lens lens = camera_of_k(*k, {}, name + ": camera_matrix.csv beside it").lens;
  CameraList list;
  list.up = Eigen::Vector3d::UnitY();
  list.up_is_measured = true;
  list.metres_per_unit = 1;
  LeftOut left_out;
  bool is_head = true;
  const std::string rows = with_blanks(odometry);
  for_each_row(rows, name, [&](Columns columns, LineReader&) {
    if (std::exchange(is_head, false)) return;
    left_out.read([&] {
      static_cast<void>(columns.number("timestamp"));
      ListedCamera camera{.file = std::string(columns.word("frame")), .where = columns.where()};
      const std::vector<double> centre = columns.numbers("place", 3), q = columns.numbers("quaternion", 4);
      camera.lens = lens;
      const Eigen::Matrix3d axes = rotation_of_quaternion(q[3], q[0], q[1], q[2], columns.where());
      camera.cam_from_source = rigid_from_centre(axes.transpose(), vector3(centre));
      list.cameras.push_back(std::move(camera));
    });
  });
  list.notes = left_out.notes(name, list.cameras.size());
  return list;
}

}  // namespace p2mpp
