#include <fmt/format.h>

#include "cameras/parsing/json_node.h"
#include "cameras/parsing/left_out.h"
#include "cameras/parsing/pose_matrix.h"
#include "cameras/programs/camera_files.h"

namespace p2mpp {

/// The cameras.json that 3D Gaussian splatting writes beside its points: a list of cameras with their axes and places
/// in COLMAP's world, OpenCV's axes, and the principal point in the middle.
/// Source: graphdeco-inria/gaussian-splatting, utils/camera_utils.py, camera_to_JSON.
CameraList parse_gaussian_splatting(std::string_view json, const std::string& name) {
  const nlohmann::json document = parse_foreign_json(json, name, "a list of cameras");
  CameraList list;
  LeftOut left_out;
  for (const JsonNode& camera : JsonNode(document, name).items()) {
    left_out.read([&] {
      ListedCamera listed{.file = camera["img_name"].text(), .where = camera.where()};
      listed.width = camera["width"].side();
      listed.height = camera["height"].side();
      listed.lens.fx = camera["fx"].number();
      listed.lens.fy = camera["fy"].number();
      listed.lens.cx = listed.width / 2.0;
      listed.lens.cy = listed.height / 2.0;
      listed.cam_from_source = pose_from_axes(matrix3(camera["rotation"].numbers(9)),
                                              vector3(camera["position"].numbers(3)), camera.where() + ".rotation");
      list.cameras.push_back(std::move(listed));
    });
  }
  list.notes = left_out.notes(name, list.cameras.size());
  return list;
}

}  // namespace p2mpp
