#include <fmt/format.h>

#include "base/text.h"
#include "cameras/parsing/json_node.h"
#include "cameras/parsing/left_out.h"
#include "cameras/parsing/pose_matrix.h"
#include "cameras/programs/camera_files.h"
#include "cameras/programs/projection_matrix.h"
#include "p2mpp/error.h"

namespace p2mpp {
namespace {

ListedCamera camera_of_frame(const JsonNode& node, const JsonNode& object, const std::string& file) {
  const Eigen::Matrix3d rotation =
      nearest_rotation(matrix3(object["cam_R_m2c"].numbers(9)), object.where() + ".cam_R_m2c").rotation;
  const ProjectionCamera camera =
      camera_of_k(node["cam_K"].numbers(9), {rotation, vector3(object["cam_t_m2c"].numbers(3))}, node.where());
  ListedCamera listed{.file = file, .where = node.where()};
  listed.lens = camera.lens;
  listed.cam_from_source = camera.cam_from_source;
  return listed;
}

}  // namespace

/// A scene of BOP's datasets: scene_camera.json has K, and scene_gt.json where the first object is for the camera. The
/// object is the world, in millimetres.
CameraList parse_bop(std::string_view cameras_json, std::string_view poses_json, const std::string& name) {
  const nlohmann::json cameras = parse_foreign_json(cameras_json, name, "BOP's scene_camera.json");
  const nlohmann::json poses = parse_foreign_json(poses_json, "scene_gt.json", "BOP's scene_gt.json");
  const JsonNode pose_root(poses, "scene_gt.json");
  CameraList list;
  list.metres_per_unit = 0.001;
  std::size_t several = 0;
  LeftOut left_out;
  for (const auto& [key, node] : JsonNode(cameras, name).members()) {
    left_out.read([&, frame = key, camera = node] {
      const std::vector<JsonNode> objects = pose_root[frame].items();
      if (objects.empty()) return left_out.without_pose();
      several += objects.size() > 1 ? 1 : 0;
      list.cameras.push_back(camera_of_frame(camera, objects.front(), frame));
    });
  }
  list.notes = left_out.notes(name, list.cameras.size());
  std::ranges::sort(list.cameras, [](const auto& a, const auto& b) { return natural_less(a.file, b.file); });
  if (several > 0)
    list.notes.push_back(fmt::format("{} frames show several objects; the first of each is taken", several));
  return list;
}

}  // namespace p2mpp
