#include <map>

#include "cameras/parsing/json_node.h"
#include "cameras/parsing/left_out.h"
#include "cameras/parsing/pose_matrix.h"
#include "cameras/programs/camera_files.h"
#include "p2mpp/error.h"

namespace p2mpp {
namespace {

/// cereal wraps each object in {"key", "value": {"ptr_wrapper": {"data"}}}. Some intrinsics have a base class as
/// "value0".
JsonNode unwrap_data(const JsonNode& value) {
  const std::optional<JsonNode> pointer = value.find("ptr_wrapper");
  return pointer ? (*pointer)["data"] : value;
}

std::optional<JsonNode> of_either(const JsonNode& data, const char* key) {
  if (std::optional<JsonNode> found = data.find(key)) return found;
  const std::optional<JsonNode> base = data.find("value0");
  return base ? base->find(key) : std::nullopt;
}

ListedCamera parse_intrinsic(const JsonNode& data) {
  ListedCamera camera{.file = {}, .where = data.where()};
  const auto needed = [&](const char* key) {
    const std::optional<JsonNode> found = of_either(data, key);
    return found ? *found : data[key];
  };
  camera.width = needed("width").side();
  camera.height = needed("height").side();
  Lens& lens = camera.lens;
  lens.fx = lens.fy = needed("focal_length").number();
  const std::vector<double> centre = needed("principal_point").numbers(2);
  lens.cx = centre[0];
  lens.cy = centre[1];
  for (const char* kind : {"disto_k1", "disto_k3", "disto_t2", "fisheye"}) {
    if (of_either(data, kind)) camera.lens_name = kind;
  }
  if (const auto k1 = of_either(data, "disto_k1")) lens.coefficients = {k1->numbers(1)[0]};
  if (const auto k3 = of_either(data, "disto_k3")) {
    const std::vector<double> k = k3->numbers(3);
    lens.coefficients = {k[0], k[1], 0, 0, k[2]};
  }
  if (const auto t2 = of_either(data, "disto_t2")) {  // Camera_Pinhole_Brown.hpp: k1 k2 k3 t1 t2
    const std::vector<double> k = t2->numbers(5);
    lens.coefficients = {k[0], k[1], k[3], k[4], k[2]};
  }
  if (const auto fisheye = of_either(data, "fisheye")) {
    const std::vector<double> k = fisheye->numbers(4);
    lens.model = LensModel::kFisheye;
    lens.coefficients = {k[0], k[1], k[2], k[3]};
  }
  return camera;
}

Rigid3 parse_pose(const JsonNode& value) {
  const Eigen::Matrix3d rotation =
      nearest_rotation(matrix3(value["rotation"].numbers(9)), value.where() + ".rotation").rotation;
  return rigid_from_centre(rotation, vector3(value["center"].numbers(3)));
}

}  // namespace

/// OpenMVG's sfm_data.json: views, intrinsics, and extrinsics with x_cam = R (x - centre).
CameraList parse_openmvg(std::string_view json, const std::string& name) {
  const nlohmann::json document = parse_foreign_json(json, name, "OpenMVG's sfm_data.json");
  const JsonNode root(document, name);
  const auto list_values = [&root](const char* list) {
    std::map<std::string, JsonNode> values;
    for (const JsonNode& entry : root[list].items()) values.emplace(entry["key"].text(), entry["value"]);
    return values;
  };
  const std::map<std::string, JsonNode> intrinsics = list_values("intrinsics"), poses = list_values("extrinsics");
  ParsedOnce<ListedCamera> parsed;
  CameraList list;
  LeftOut left_out;
  for (const JsonNode& entry : root["views"].items()) {
    left_out.read([&] {
      const JsonNode view = unwrap_data(entry["value"]);
      const auto pose = poses.find(view["id_pose"].text());
      const auto intrinsic = intrinsics.find(view["id_intrinsic"].text());
      if (pose == poses.end() || intrinsic == intrinsics.end()) return left_out.without_pose();
      ListedCamera camera =
          parsed.get(intrinsic->first, [&] { return parse_intrinsic(unwrap_data(intrinsic->second)); });
      const std::filesystem::path folder =
          std::filesystem::path(root.text_or("root_path", "")) / view.text_or("local_path", "");
      camera.file = (folder / view["filename"].text()).string();
      camera.cam_from_source = parse_pose(pose->second);
      list.cameras.push_back(std::move(camera));
    });
  }
  list.notes = left_out.notes(name, list.cameras.size());
  list.version = root.text_or("sfm_data_version", "");
  return list;
}

}  // namespace p2mpp
