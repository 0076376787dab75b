#include <fmt/format.h>

#include <cmath>
#include <map>
#include <pugixml.hpp>

#include "base/stop_token.h"
#include "base/text.h"
#include "cameras/parsing/pose_matrix.h"
#include "cameras/parsing/text_rows.h"
#include "cameras/programs/camera_files.h"
#include "cameras/programs/xml_text.h"
#include "p2mpp/error.h"

namespace p2mpp {
namespace {

using pugi::xml_node;

/// source_from_chunk: where a chunk has been placed.
struct Placement {
  Eigen::Matrix3d rotation = Eigen::Matrix3d::Identity();
  double scale = 1;
  Eigen::Vector3d translation = Eigen::Vector3d::Zero();
};

std::vector<double> numbers_of(const xml_node& node, std::size_t count, const std::string& where) {
  const std::optional<std::vector<double>> values = numbers_in(node.child_value());
  if (values && values->size() == count) return *values;
  throw InputError(fmt::format("{}: <{}> is '{}'; expected {} numbers", where, node.name(),
                               printable(node.child_value(), 40), count));
}

double number_of(const xml_node& parent, const char* key, double otherwise, const std::string& where) {
  const xml_node node = parent.child(key);
  return node ? numbers_of(node, 1, where)[0] : otherwise;
}

/// Adjusted by the program rather than initial.
xml_node calibration_of(const xml_node& sensor) {
  xml_node found = sensor.find_child_by_attribute("calibration", "class", "adjusted");
  return found ? found : sensor.child("calibration");
}

/// Source: Agisoft Metashape's manual, appendix D (camera models). Its tangential coefficients are OpenCV's in the
/// other order, and its principal point counts from the image's middle.
void set_lens(const xml_node& calibration, bool fisheye, const std::string& where, ListedCamera& camera) {
  const auto value = [&](const char* key) { return number_of(calibration, key, 0, where); };
  const double f = value("f");
  if (f == 0 && !calibration.child("fx")) {
    throw InputError(where + " has no focal length <f>; expected a calibration");
  }
  Lens& lens = camera.lens;
  if (calibration.child("fx")) {  // PhotoScan
    lens.fx = value("fx");
    lens.fy = value("fy");
    lens.cx = value("cx");
    lens.cy = value("cy");
  } else {
    lens.fx = f + value("b1");
    lens.fy = f;
    lens.cx = value("cx") + camera.width / 2.0;
    lens.cy = value("cy") + camera.height / 2.0;
  }
  if (std::fabs(value("b2")) > 1e-3 * lens.fy || std::fabs(value("skew")) > 1e-3 * lens.fy) {
    throw InputError(where + " has a skew (b2); expected none: export undistorted photographs");
  }
  const double k1 = value("k1"), k2 = value("k2"), k3 = value("k3"), k4 = value("k4");
  if (fisheye) {
    lens.model = LensModel::kFisheye;
    lens.coefficients = {k1, k2, k3, k4};
    if (value("p1") != 0 || value("p2") != 0) {
      throw InputError(where +
                       " is a fisheye with tangential distortion; expected none: export undistorted photographs");
    }
    return;
  }
  lens.coefficients = {k1, k2, value("p2"), value("p1"), k3};
  if (std::fabs(k4) > 1e-12) {
    throw InputError(where + " has a k4; expected none: export undistorted photographs");
  }
}

/// A camera without a photograph and a pose.
ListedCamera parse_sensor(const xml_node& node, const std::string& where) {
  ListedCamera camera;
  const std::string type = node.attribute("type").as_string("frame");
  const xml_node calibration = calibration_of(node);
  const xml_node resolution = node.child("resolution") ? node.child("resolution") : calibration.child("resolution");
  camera.width = resolution.attribute("width").as_int();
  camera.height = resolution.attribute("height").as_int();
  if (camera.width < 1 || camera.height < 1) {
    throw InputError(where + " has no <resolution>; expected width and height");
  }
  if (type != "frame" && type != "fisheye") {
    throw InputError(fmt::format("{} is of the type '{}'; expected frame or fisheye: export undistorted photographs",
                                 where, printable(type, 40)));
  }
  set_lens(calibration, type == "fisheye", where, camera);
  return camera;
}

std::optional<Placement> placement_of(const xml_node& transform, const std::string& where) {
  if (!transform.child("rotation")) return std::nullopt;
  Placement placement;
  placement.rotation = rotation_of(matrix3(numbers_of(transform.child("rotation"), 9, where)), where).rotation;
  placement.scale = number_of(transform, "scale", 1, where);
  if (transform.child("translation")) {
    placement.translation = vector3(numbers_of(transform.child("translation"), 3, where));
  }
  return placement;
}

/// Calls `use` for the cameras of a chunk, also of those in groups.
template <typename Use>
void for_each_camera(const xml_node& cameras, const Use& use) {
  for (const xml_node& node : cameras.children()) {
    if (std::string_view(node.name()) == "camera") use(node);
    if (std::string_view(node.name()) != "group") continue;
    for (const xml_node& grouped : node.children("camera")) use(grouped);
  }
}

class Chunk {
 public:
  Chunk(const xml_node& node, std::string name) : node_(node), name_(std::move(name)) {
    for (const xml_node& sensor : node.child("sensors").children("sensor")) {
      sensors_[sensor.attribute("id").as_string()] = sensor;
    }
    for (const xml_node& component : node.child("components").children("component")) {
      if (auto found = placement_of(component.child("transform"), name_ + ": component")) {
        components_[component.attribute("id").as_string()] = *found;
      }
    }
    whole_ = placement_of(node.child("transform"), name_ + ": transform");
  }

  CameraList cameras() {
    std::size_t unaligned = 0;
    for_each_camera(node_.child("cameras"), [&](const xml_node& camera) {
      if (!camera.child("transform")) {
        ++unaligned;
      } else {
        add(camera);
      }
    });
    if (unaligned > 0) list_.notes.push_back(fmt::format("{} cameras are not aligned and are left out", unaligned));
    return std::move(list_);
  }

 private:
  void add(const xml_node& camera) {
    const std::string label = camera.attribute("label").as_string();
    const std::string where = fmt::format("{}: camera '{}'", name_, printable(label, 80));
    ListedCamera listed = sensor(camera.attribute("sensor_id").as_string(), where);
    listed.file = label;
    listed.where = where;
    // Columns: the camera's axes, OpenCV's, and its centre, in the chunk.
    const Rigid3 pose = pose_from_rows(numbers_of(camera.child("transform"), 16, where), where + ": transform");
    const Placement placed = placement(camera.attribute("component_id").as_string());
    const Eigen::Vector3d centre = placed.scale * placed.rotation * inverse(pose).translation + placed.translation;
    listed.cam_from_source = rigid_from_centre(pose.rotation * placed.rotation.transpose(), centre);
    list_.cameras.push_back(std::move(listed));
  }

  /// Sensors without a photograph do not matter, so that they are parsed for their first one.
  const ListedCamera& sensor(const std::string& id, const std::string& camera) {
    end_if_stopped();
    const auto node = sensors_.find(id);
    if (node == sensors_.end()) throw InputError(camera + ": names no sensor; expected a sensor_id");
    const auto known = parsed_.find(id);
    if (known != parsed_.end()) return known->second;
    return parsed_.emplace(id, parse_sensor(node->second, fmt::format("{}: sensor {}", name_, printable(id, 20))))
        .first->second;
  }

  /// A chunk that was placed locally has z up. One placed on the globe stays in its own frame, where the globe's centre
  /// says what is up: in globe coordinates a float has steps of half a metre.
  Placement placement(const std::string& component) {
    const auto found = components_.find(component);
    const std::optional<Placement> placed = found != components_.end() ? std::optional(found->second) : whole_;
    if (!placed) return {};
    constexpr double kGlobe = 1e6;  // metres
    if (placed->translation.norm() < kGlobe) {
      list_.up = Eigen::Vector3d::UnitZ();
      return *placed;
    }
    list_.up = placed->rotation.transpose() * placed->translation.normalized();
    return {};
  }

  xml_node node_;
  std::string name_;
  std::map<std::string, xml_node> sensors_;
  std::map<std::string, ListedCamera> parsed_;  ///< sensors
  std::map<std::string, Placement> components_;
  std::optional<Placement> whole_;
  CameraList list_;
};

}  // namespace

/// Metashape's (and PhotoScan's) File > Export > Export Cameras. Of several chunks, the first with aligned cameras.
CameraList parse_metashape(std::string_view xml, const std::string& name) {
  pugi::xml_document document;
  parse_xml(xml, name, "Metashape's cameras (Export Cameras, Agisoft XML)", document);
  CameraList list;
  for (const xml_node& node : document.child("document").children("chunk")) {
    list = Chunk(node, name).cameras();
    if (!list.cameras.empty()) return list;
  }
  throw InputError(fmt::format("{}: has no aligned camera; expected a <camera> with a <transform>", name));
}

}  // namespace p2mpp
