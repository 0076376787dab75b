#include <fmt/format.h>

#include "cameras/parsing/json_node.h"
#include "cameras/parsing/left_out.h"
#include "cameras/parsing/pose_matrix.h"
#include "cameras/programs/camera_files.h"
#include "cameras/programs/projection_matrix.h"
#include "geometry/rigid3.h"
#include "p2mpp/error.h"

/// Apps that save what ARKit knows: poses are source_from_cam, cameras look along -z with y up, and gravity is -y. The
/// sensor's pictures are landscapes, however the phone was held.
namespace p2mpp {
namespace {

Rigid3 pose_of_arkit(std::span<const double> rows, const std::string& where) {
  return flip_y_and_z(pose_from_rows(rows, where));
}

}  // namespace

ListedCamera parse_polycam(std::string_view json, const std::string& name, const std::string& file) {
  const nlohmann::json document = parse_foreign_json(json, name, "a camera of Polycam");
  const JsonNode root(document, name);
  ListedCamera camera{.file = file, .where = name};
  camera.width = root["width"].side();
  camera.height = root["height"].side();
  camera.lens = {
      .fx = root["fx"].number(), .fy = root["fy"].number(), .cx = root["cx"].number(), .cy = root["cy"].number()};
  std::vector<double> rows;
  for (int i = 0; i < 12; ++i) rows.push_back(root[fmt::format("t_{}{}", i / 4, i % 4)].number());
  camera.cam_from_source = pose_of_arkit(rows, name);
  return camera;
}

/// 3D Scanner App's frame_N.json beside frame_N.jpg.
ListedCamera parse_scanner_app(std::string_view json, const std::string& name, const std::string& file) {
  const nlohmann::json document = parse_foreign_json(json, name, "a frame of 3D Scanner App");
  const JsonNode root(document, name);
  ListedCamera camera{.file = file, .where = name};
  const std::vector<double> k = root["intrinsics"].numbers(9);
  camera.lens = {.fx = k[0], .fy = k[4], .cx = k[2], .cy = k[5]};
  camera.cam_from_source = pose_of_arkit(root["cameraPoseARFrame"].numbers(16), name);
  return camera;
}

namespace {

/// Record3D's lens of a frame: [fx, fy, cx, cy], because image stabilisation moves the principal point. Its own viewer
/// takes whole numbers for the centres of pixels.
Lens record3d_lens(const JsonNode& root, const std::vector<JsonNode>& of_frames, std::size_t frame) {
  if (frame < of_frames.size()) {
    const std::vector<double> n = of_frames[frame].numbers(4);
    return {.fx = n[0], .fy = n[1], .cx = n[2] + kFirstPixelCentre, .cy = n[3] + kFirstPixelCentre};
  }
  const std::vector<double> k = root["K"].numbers(9);  // column by column
  return {.fx = k[0], .fy = k[4], .cx = k[6] + kFirstPixelCentre, .cy = k[7] + kFirstPixelCentre};
}

}  // namespace

/// Record3D's metadata.json, or "metadata" of an unzipped .r3d: K and perFrameIntrinsicCoeffs for pictures of w x h,
/// and a pose (qx qy qz qw, centre) for each photograph, 0.jpg, 1.jpg and so on. Source: Record3D's manual and
/// github.com/marek-simonik/record3d, issues 27, 83 and 99; js/app/pointcloud-material.js of its web viewer.
CameraList parse_record3d(std::string_view json, const std::string& name, const std::vector<std::string>& photographs) {
  const nlohmann::json document = parse_foreign_json(json, name, "Record3D's metadata");
  const JsonNode root(document, name);
  CameraList list;
  list.up = Eigen::Vector3d::UnitY();
  list.up_is_measured = true;
  list.metres_per_unit = 1;
  const std::vector<JsonNode> poses = root["poses"].items();
  if (poses.size() != photographs.size()) {
    throw InputError(fmt::format("{}: has {} poses for {} photographs; expected one for each", name, poses.size(),
                                 photographs.size()));
  }
  const std::optional<JsonNode> lenses = root.find("perFrameIntrinsicCoeffs");
  const std::vector<JsonNode> of_frames = lenses ? lenses->items() : std::vector<JsonNode>();
  LeftOut left_out;
  for (std::size_t i = 0; i < poses.size(); ++i) {
    left_out.read([&] {
      const std::vector<double> n = poses[i].numbers(7);
      ListedCamera camera{.file = photographs[i], .where = poses[i].where()};
      camera.width = root["w"].side();
      camera.height = root["h"].side();
      camera.lens = record3d_lens(root, of_frames, i);
      const Eigen::Matrix3d axes = rotation_of_quaternion(n[3], n[0], n[1], n[2], poses[i].where());
      camera.cam_from_source = flip_y_and_z(rigid_from_centre(axes.transpose(), {n[4], n[5], n[6]}));
      list.cameras.push_back(std::move(camera));
    });
  }
  list.notes = left_out.notes(name, list.cameras.size());
  // Older versions count from the first camera, so that nothing says what is up.
  if (list.cameras.empty()) return list;
  const Eigen::Matrix3d first = flip_y_and_z(list.cameras.front().cam_from_source).rotation;
  if (list.cameras.front().file == photographs.front() && first.isIdentity(1e-6)) {
    list.up.reset();
    list.up_is_measured = false;
  }
  return list;
}

}  // namespace p2mpp
