#include <fmt/format.h>

#include <vector>

#include "cameras/parsing/json_node.h"
#include "cameras/parsing/left_out.h"
#include "cameras/parsing/pose_matrix.h"
#include "cameras/programs/camera_files.h"
#include "cameras/programs/projection_matrix.h"
#include "cameras/programs/words.h"
#include "p2mpp/error.h"

/// Trajectories of Open3D, for photographs by their names. Matrices in JSON are column by column.
/// Source: Open3D, cpp/open3d/camera and cpp/open3d/io/file_format/FileLOG.cpp.
namespace p2mpp {
namespace {

std::vector<double> transposed(const std::vector<double>& columns, std::size_t side) {
  std::vector<double> rows(columns.size());
  for (std::size_t i = 0; i < columns.size(); ++i) rows[i % side * side + i / side] = columns[i];
  return rows;
}

/// A lens without a photograph and a pose.
ListedCamera open3d_lens(const JsonNode& intrinsic) {
  ListedCamera camera{.file = {}, .where = intrinsic.where()};
  camera.width = intrinsic["width"].side();
  camera.height = intrinsic["height"].side();
  const std::vector<double> k = transposed(intrinsic["intrinsic_matrix"].numbers(9), 3);
  camera.lens = camera_of_k(k, {}, intrinsic.where()).lens;
  return camera;
}

void check_count(std::size_t poses, std::size_t photographs, const std::string& name) {
  if (poses == photographs) return;
  throw InputError(fmt::format("{}: has {} poses for {} photographs; expected one for each, in the order of names",
                               name, poses, photographs));
}

}  // namespace

CameraList parse_open3d_trajectory(std::string_view json, const std::string& name,
                                   const std::vector<std::string>& photographs) {
  const nlohmann::json document = parse_foreign_json(json, name, "Open3D's PinholeCameraTrajectory");
  const std::vector<JsonNode> parameters = JsonNode(document, name)["parameters"].items();
  check_count(parameters.size(), photographs.size(), name);
  CameraList list;
  LeftOut left_out;
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    left_out.read([&] {
      ListedCamera camera = open3d_lens(parameters[i]["intrinsic"]);
      camera.file = photographs[i];
      const std::vector<double> extrinsic = transposed(parameters[i]["extrinsic"].numbers(16), 4);
      camera.cam_from_source = pose_of_rows(extrinsic, parameters[i].where() + ".extrinsic");
      list.cameras.push_back(std::move(camera));
    });
  }
  list.notes = left_out.notes(name, list.cameras.size());
  return list;
}

/// A .log (Redwood): three numbers, then world_from_cam in four rows, for each photograph. The lens is in a JSON beside
/// it.
CameraList parse_open3d_log(std::string_view log, std::string_view intrinsic_json, const std::string& name,
                            const std::vector<std::string>& photographs) {
  const nlohmann::json document = parse_foreign_json(intrinsic_json, name, "Open3D's intrinsics beside it");
  const ListedCamera lens = open3d_lens(JsonNode(document, name + ", intrinsics"));
  Words words(log, name);
  CameraList list;
  LeftOut left_out;
  std::size_t count = 0;
  for (; !words.at_end(); ++count) {
    static_cast<void>(words.row(3));
    const std::string row = words.row(16), where = fmt::format("{}: pose {}", name, count);
    if (count >= photographs.size()) continue;
    left_out.read([&] {
      ListedCamera camera = lens;
      camera.file = photographs[count];
      camera.where = where;
      camera.cam_from_source = pose_from_rows(Columns(row, where).numbers("pose", 16), where);
      list.cameras.push_back(std::move(camera));
    });
  }
  check_count(count, photographs.size(), name);
  list.notes = left_out.notes(name, list.cameras.size());
  return list;
}

}  // namespace p2mpp
