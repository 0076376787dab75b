#include <fmt/format.h>

#include <Eigen/Geometry>
#include <cmath>
#include <functional>
#include <limits>
#include <numbers>
#include <utility>

#include "cameras/parsing/json_node.h"
#include "cameras/parsing/left_out.h"
#include "cameras/parsing/pose_matrix.h"
#include "cameras/programs/camera_files.h"
#include "p2mpp/error.h"

namespace p2mpp {
namespace {

/// Where a function reaches a value for the first time: 0..pi/2, or NaN if it stops growing before.
double first_reaching(const std::function<double(double)>& function, double value) {
  constexpr double kStep = 0.01, kEnd = std::numbers::pi / 2 - 1e-9;
  double low = 0, high = 0, before = 0;
  for (double reached = function(0); reached < value; reached = function(high)) {
    if (high == kEnd || reached < before) return std::numeric_limits<double>::quiet_NaN();
    before = reached;
    low = std::exchange(high, std::min(high + kStep, kEnd));
  }
  for (int i = 0; i < 60; ++i) {
    const double middle = (low + high) / 2;
    (function(middle) < value ? low : high) = middle;
  }
  return low;
}

/// "dual": at an angle a from the axis the radius r is t tan(a) + (1 - t) a, which k1 and k2 distort.
std::function<double(double)> undistorted_dual(double transition, double k1, double k2) {
  return [=](double radius) {
    return std::tan(first_reaching(
        [=](double angle) {
          const double r = transition * std::tan(angle) + (1 - transition) * angle, s = r * r;
          return r * (1 + s * (k1 + s * k2));
        },
        radius));
  };
}

/// Focal lengths and the principal point are shares of the longer side, from the image's middle.
/// Source: OpenSfM's manual, "Camera models", and opensfm/src/geometry/camera_distortions_functions.h.
ListedCamera opensfm_camera(const JsonNode& node) {
  ListedCamera camera{.file = {}, .where = node.where()};
  camera.unit = LensUnit::kLongerSide;
  camera.width = node["width"].side();
  camera.height = node["height"].side();
  Lens& lens = camera.lens;
  const auto k = [&](const char* key) { return node.number_or(key, 0); };
  const std::string type = node["projection_type"].text();
  if (type == "perspective" || type == "fisheye" || type == "dual" || type == "simple_radial") {
    lens.fx = lens.fy = type == "simple_radial" ? node["focal_x"].number() : node["focal"].number();
    if (type == "simple_radial") lens.fy = node["focal_y"].number();
  } else if (type == "brown" || type == "radial" || type == "fisheye_opencv" || type == "fisheye62" ||
             type == "fisheye624") {
    lens.fx = node["focal_x"].number();
    lens.fy = node["focal_y"].number();
  } else {
    node.refuse(fmt::format("its projection_type is '{}'; expected perspective, brown, radial, dual or fisheye", type));
  }
  camera.lens_name = type;
  lens.cx = k("c_x");
  lens.cy = k("c_y");
  if (type == "dual") {
    camera.undistorted = undistorted_dual(k("transition"), k("k1"), k("k2"));
  } else if (type.starts_with("fisheye")) {
    lens.model = LensModel::kFisheye;
    lens.coefficients = {k("k1"), k("k2"), k("k3"), k("k4")};
    lens.extras.radial = {k("k5"), k("k6")};
    lens.extras.tangential = {k("p1"), k("p2")};
    lens.extras.prism = {k("s0"), k("s1"), k("s2"), k("s3")};
  } else {
    lens.coefficients = {k("k1"), k("k2"), k("p1"), k("p2"), k("k3")};
  }
  return camera;
}

}  // namespace

/// OpenSfM's (OpenDroneMap's) reconstruction.json: the reconstruction with the most shots. The world is metric, east,
/// north and up.
CameraList parse_opensfm(std::string_view json, const std::string& name) {
  const nlohmann::json document = parse_foreign_json(json, name, "OpenSfM's reconstruction.json");
  std::optional<JsonNode> largest;
  std::size_t most = 0, count = 0;
  for (const JsonNode& node : JsonNode(document, name).items()) {
    const std::size_t shots = node["shots"].members().size();
    ++count;
    if (largest && shots <= most) continue;
    largest = node;
    most = shots;
  }
  if (!largest) throw InputError(name + ": is an empty list; expected a reconstruction");
  CameraList list;
  list.up = Eigen::Vector3d::UnitZ();
  const JsonNode cameras = (*largest)["cameras"];
  ParsedOnce<ListedCamera> parsed;
  LeftOut left_out;
  for (const auto& [file, shot] : (*largest)["shots"].members()) {
    left_out.read([&, &file = file, &shot = shot] {
      const std::string id = shot["camera"].text();
      ListedCamera camera = parsed.get(id, [&] { return opensfm_camera(cameras[id]); });
      camera.file = file;
      camera.where = shot.where();
      const Eigen::Vector3d turn = vector3(shot["rotation"].numbers(3));  // its length is the angle
      camera.cam_from_source.rotation =
          Eigen::AngleAxisd(turn.norm(), turn.norm() > 0 ? turn.normalized() : Eigen::Vector3d::UnitX().eval())
              .toRotationMatrix();
      camera.cam_from_source.translation = vector3(shot["translation"].numbers(3));
      list.cameras.push_back(std::move(camera));
    });
  }
  list.notes = left_out.notes(name, list.cameras.size());
  if (count > 1) list.notes.push_back(fmt::format("this is the largest of {} reconstructions", count));
  return list;
}

}  // namespace p2mpp
