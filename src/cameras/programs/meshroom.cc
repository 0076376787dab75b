#include <fmt/format.h>

#include <cmath>
#include <map>

#include "cameras/parsing/json_node.h"
#include "cameras/parsing/pose_matrix.h"
#include "cameras/programs/camera_files.h"
#include "p2mpp/error.h"

namespace p2mpp {
namespace {

/// Newer files have the focal length in millimetres of a sensor, older ones in pixels; newer ones the principal point
/// from the image's middle, older ones from its corner.
ListedCamera meshroom_intrinsic(const JsonNode& node) {
  ListedCamera camera{.file = {}, .where = node.where()};
  camera.width = node["width"].side();
  camera.height = node["height"].side();
  Lens& lens = camera.lens;
  if (const auto pixels = node.find("pxFocalLength")) {
    const bool both = pixels->is_array();
    lens.fx = both ? pixels->numbers(2)[0] : pixels->number();
    lens.fy = both ? pixels->numbers(2)[1] : lens.fx;
  } else {
    lens.fx = node["focalLength"].number() / node["sensorWidth"].number() * camera.width;
    lens.fy = lens.fx / node.number_or("pixelRatio", 1);
  }
  const std::vector<double> centre = node["principalPoint"].numbers(2);
  const bool from_middle = std::fabs(centre[0]) < 0.25 * camera.width && std::fabs(centre[1]) < 0.25 * camera.height;
  lens.cx = centre[0] + (from_middle ? camera.width / 2.0 : 0);
  lens.cy = centre[1] + (from_middle ? camera.height / 2.0 : 0);

  const std::string type = node.text_or("type", node.text_or("distortionType", "pinhole"));
  const auto distortion = node.find("distortionParams");
  const std::vector<JsonNode> values = distortion ? distortion->items() : std::vector<JsonNode>();
  std::array<double, 8> k{};
  for (std::size_t i = 0; i < std::min(values.size(), k.size()); ++i) k[i] = values[i].number();
  if (type == "radial1" || type == "radialk1" || type == "radial3" || type == "radialk3") {
    lens.coefficients = {k[0], k[1], 0, 0, k[2]};
  } else if (type == "brown") {
    lens.coefficients = {k[0], k[1], k[4], k[3], k[2]};
  } else if (type == "fisheye4") {
    lens.model = LensModel::kFisheye;
    lens.coefficients = {k[0], k[1], k[2], k[3]};
  } else if (std::ranges::any_of(k, [](double value) { return value != 0; })) {
    node.refuse(fmt::format("its distortion is of the type '{}'; expected radial1, radial3, brown or fisheye4", type));
  }
  return camera;
}

}  // namespace

/// Meshroom's (AliceVision's) cameras.sfm. Rotations are cam_from_source, column by column.
CameraList parse_meshroom(std::string_view json, const std::string& name) {
  const nlohmann::json document = parse_foreign_json(json, name, "Meshroom's cameras (.sfm)");
  const JsonNode root(document, name);
  std::map<std::string, ListedCamera> intrinsics;
  for (const JsonNode& node : root["intrinsics"].items()) {
    intrinsics.emplace(node["intrinsicId"].text(), meshroom_intrinsic(node));
  }
  std::map<std::string, Rigid3> poses;
  for (const JsonNode& node : root["poses"].items()) {
    const JsonNode transform = node["pose"]["transform"];
    const Eigen::Matrix3d rotation =
        rotation_of(matrix3(transform["rotation"].numbers(9)).transpose(), transform.where() + ".rotation").rotation;
    poses.emplace(node["poseId"].text(), rigid_from_centre(rotation, vector3(transform["center"].numbers(3))));
  }
  CameraList list;
  std::size_t without = 0;
  for (const JsonNode& view : root["views"].items()) {
    const auto pose = poses.find(view.text_or("poseId", view["viewId"].text()));
    const auto intrinsic = intrinsics.find(view["intrinsicId"].text());
    if (pose == poses.end() || intrinsic == intrinsics.end()) {
      ++without;
      continue;
    }
    ListedCamera camera = intrinsic->second;
    camera.file = view["path"].text();
    camera.cam_from_source = pose->second;
    list.cameras.push_back(std::move(camera));
  }
  if (without > 0) list.notes.push_back(fmt::format("{} views have no pose and are left out", without));
  return list;
}

}  // namespace p2mpp
