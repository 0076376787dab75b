#include <vector>

#include "cameras/parsing/json_node.h"
#include "cameras/parsing/left_out.h"
#include "cameras/parsing/pose_matrix.h"
#include "cameras/programs/camera_files.h"
#include "p2mpp/error.h"

namespace p2mpp {
namespace {

ListedCamera sdfstudio_frame(const JsonNode& root, const JsonNode& frame) {
  ListedCamera camera{.file = frame["rgb_path"].text(), .where = frame.where()};
  camera.mask = frame.text_or("foreground_mask", "");
  camera.width = root["width"].side();
  camera.height = root["height"].side();
  const std::vector<double> k = frame["intrinsics"].numbers(16);
  camera.lens = {.fx = k[0], .fy = k[5], .cx = k[2], .cy = k[6]};
  camera.cam_from_source = pose_from_rows(frame["camtoworld"].numbers(16), frame.where() + ".camtoworld");
  return camera;
}

}  // namespace

/// sdfstudio's meta_data.json: poses have OpenCV's axes, each frame its own intrinsics of 4x4. Source: sdfstudio,
/// nerfstudio/data/dataparsers/sdfstudio_dataparser.py.
CameraList parse_sdfstudio(std::string_view json, const std::string& name) {
  const nlohmann::json document = parse_foreign_json(json, name, "sdfstudio's meta_data.json");
  const JsonNode root(document, name);
  CameraList list;
  LeftOut left_out;
  for (const JsonNode& frame : root["frames"].items()) {
    left_out.read([&] { list.cameras.push_back(sdfstudio_frame(root, frame)); });
  }
  list.notes = left_out.notes(name, list.cameras.size());
  return list;
}

}  // namespace p2mpp
