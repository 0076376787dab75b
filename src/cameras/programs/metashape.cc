#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <pugixml.hpp>
#include <set>

#include "base/text.h"
#include "base/thread_scopes.h"
#include "cameras/parsing/left_out.h"
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

std::vector<double> read_numbers(const xml_node& node, std::size_t count, const std::string& where) {
  const std::optional<std::vector<double>> values = numbers_in(node.child_value());
  if (values && values->size() == count) return *values;
  throw InputError(fmt::format("{}: <{}> is '{}'; expected {} numbers", where, node.name(),
                               printable(node.child_value(), 40), count));
}

double read_number(const xml_node& parent, const char* key, double otherwise, const std::string& where) {
  const xml_node node = parent.child(key);
  return node ? read_numbers(node, 1, where)[0] : otherwise;
}

/// Adjusted by the program rather than initial.
xml_node read_calibration(const xml_node& sensor) {
  xml_node found = sensor.find_child_by_attribute("calibration", "class", "adjusted");
  return found ? found : sensor.child("calibration");
}

/// Source: Agisoft Metashape's manual, appendix D (camera models). Its tangential coefficients are OpenCV's in the
/// other order, and its principal point counts from the image's middle.
void set_lens(const xml_node& calibration, bool fisheye, const std::string& where, ListedCamera& camera) {
  const auto value = [&](const char* key) { return read_number(calibration, key, 0, where); };
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
  if (lens.fx > 0) lens.extras.shear = (value("b2") + value("skew")) / lens.fx;
  // The tangential distortion is multiplied by 1 + p3 r^2 + p4 r^4.
  const double p1 = value("p2"), p2 = value("p1"), p3 = value("p3"), p4 = value("p4");
  lens.extras.tangential_growth = {p1 * p3, p2 * p3, p1 * p4, p2 * p4};
  const double k1 = value("k1"), k2 = value("k2"), k3 = value("k3"), k4 = value("k4");
  if (fisheye) {
    lens.model = LensModel::kFisheye;
    lens.coefficients = {k1, k2, k3, k4};
    lens.extras.tangential = {p1, p2};
    return;
  }
  lens.coefficients = {k1, k2, p1, p2, k3};
  lens.extras.radial[0] = k4;
}

/// A camera without a photograph and a pose.
ListedCamera parse_sensor(const xml_node& node, const std::string& where) {
  ListedCamera camera;
  const std::string type = node.attribute("type").as_string("frame");
  const xml_node calibration = read_calibration(node);
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
  camera.lens_name = type;
  return camera;
}

std::optional<Placement> read_placement(const xml_node& transform, const std::string& where) {
  if (!transform.child("rotation")) return std::nullopt;
  Placement placement;
  placement.rotation = nearest_rotation(matrix3(read_numbers(transform.child("rotation"), 9, where)), where).rotation;
  placement.scale = read_number(transform, "scale", 1, where);
  if (transform.child("translation")) {
    placement.translation = vector3(read_numbers(transform.child("translation"), 3, where));
  }
  return placement;
}

/// Calls `use(camera, group)` for the cameras of a chunk; `group` is the label of the camera's group, or empty.
template <typename Use>
void for_each_camera(const xml_node& cameras, const Use& use) {
  for (const xml_node& node : cameras.children()) {
    if (std::string_view(node.name()) == "camera") use(node, "");
    if (std::string_view(node.name()) != "group") continue;
    for (const xml_node& grouped : node.children("camera")) use(grouped, node.attribute("label").as_string());
  }
}

/// The cameras that were aligned with each other.
struct Component {
  std::vector<ListedCamera> cameras;
  std::optional<Eigen::Vector3d> up;
};

class Chunk {
 public:
  Chunk(const xml_node& node, std::string name) : name_(std::move(name)) {
    for (const xml_node& sensor : node.child("sensors").children("sensor")) {
      sensors_[sensor.attribute("id").as_string()] = sensor;
    }
    for (const xml_node& component : node.child("components").children("component")) {
      transforms_[component.attribute("id").as_string()] = component.child("transform");
    }
    std::set<std::string> labels;
    whole_ = node.child("transform");
    for_each_camera(node.child("cameras"), [&](const xml_node& camera, const char*) {
      masters_.emplace(camera.attribute("id").as_string(), Master{camera, camera.child("transform")});
      const std::string label = camera.attribute("label").as_string();
      if (!labels.insert(label).second) common_labels_.insert(label);
    });
    for_each_camera(node.child("cameras"), [&](const xml_node& camera, const char* group) {
      const Master master = find_master(camera);
      if (master.transform) {
        left_out_.read([&] { add(camera, master, group); });
      } else {
        left_out_.without_pose();
      }
    });
  }

  /// Of the largest component.
  CameraList cameras() {
    CameraList list;
    const auto largest = std::ranges::max_element(
        components_, {}, [](const auto& component) { return component.second.cameras.size(); });
    if (largest != components_.end()) {
      list.cameras = largest->second.cameras;
      list.up = largest->second.up;
    }
    std::size_t all = 0;
    for (const auto& [id, component] : components_) all += component.cameras.size();
    list.notes = left_out_.notes(name_, all);
    if (components_.size() > 1) {
      list.notes.push_back(
          fmt::format("this is the largest of {} components, which were not aligned with each other; {} "
                      "photographs of others are left out",
                      components_.size(), all - list.cameras.size()));
    }
    return list;
  }

  [[nodiscard]] std::size_t size() const {
    std::size_t most = 0;
    for (const auto& [id, component] : components_) most = std::max(most, component.cameras.size());
    return most;
  }

 private:
  /// The camera that has the pose of a camera: itself, or that of its rig.
  struct Master {
    xml_node camera, transform;
  };

  [[nodiscard]] Master find_master(const xml_node& camera) const {
    const Master own{camera, camera.child("transform")};
    const auto master = masters_.find(camera.attribute("master_id").as_string());
    return own.transform || master == masters_.end() ? own : master->second;
  }

  void add(const xml_node& camera, const Master& master, const std::string& group) {
    const std::string label = camera.attribute("label").as_string();
    const std::string where = fmt::format("{}: camera '{}'", name_, printable(label, 80));
    if (!camera.attribute("enabled").as_bool(true)) throw InputError(where + " is disabled");
    const std::string sensor_id = camera.attribute("sensor_id").as_string();
    ListedCamera listed = sensor(sensor_id, where);
    listed.file = common_labels_.contains(label) && !group.empty() ? group + "/" + label : label;
    listed.where = where;
    Rigid3 pose;  // in the component
    if (master.camera == camera) {
      pose = read_pose(master, where);
    } else {
      const Rigid3& of_master =
          master_poses_.get(camera.attribute("master_id").as_string(), [&] { return read_pose(master, where); });
      pose = slave_poses_.get(sensor_id, [&] { return slave_from_master(sensors_.at(sensor_id), where); }) * of_master;
    }
    const std::string id = master.camera.attribute("component_id").as_string();
    const Placed& placed = placed_.get(id, [&] { return placement(id); });
    const Eigen::Vector3d centre = placed.scale * placed.rotation * inverse(pose).translation + placed.translation;
    listed.cam_from_source = rigid_from_centre(pose.rotation * placed.rotation.transpose(), centre);
    Component& component = components_[placed.shared ? "" : id];
    component.up = placed.up;
    component.cameras.push_back(std::move(listed));
  }

  /// Columns: the camera's axes, OpenCV's, and its centre.
  static Rigid3 read_pose(const Master& master, const std::string& where) {
    return pose_from_rows(read_numbers(master.transform, 16, where), where + ": transform");
  }

  /// The sensor of a rig's other camera says where it is in the master's frame. Without that, it is at the master.
  static Rigid3 slave_from_master(const xml_node& sensor, const std::string& where) {
    Eigen::Matrix3d rotation = Eigen::Matrix3d::Identity();
    Eigen::Vector3d centre = Eigen::Vector3d::Zero();
    if (sensor.child("rotation")) rotation = matrix3(read_numbers(sensor.child("rotation"), 9, where));
    if (sensor.child("location")) centre = vector3(read_numbers(sensor.child("location"), 3, where));
    return pose_from_axes(rotation, centre, where + ": the sensor's rotation");
  }

  /// Sensors without a photograph do not matter, so that they are parsed for their first one.
  const ListedCamera& sensor(const std::string& id, const std::string& camera) {
    end_if_stopped();
    const auto node = sensors_.find(id);
    if (node == sensors_.end()) throw InputError(camera + ": names no sensor; expected a sensor_id");
    return parsed_.get(
        id, [&] { return parse_sensor(node->second, fmt::format("{}: sensor {}", name_, printable(id, 20))); });
  }

  struct Placed : Placement {
    bool shared = false;  ///< the frame is that of all components that were placed
    std::optional<Eigen::Vector3d> up = {};
  };

  /// A component that was placed locally has z up. One placed on the globe stays in its own frame, where the globe's
  /// centre says what is up: in globe coordinates a float has steps of half a metre.
  [[nodiscard]] Placed placement(const std::string& component) const {
    const auto own = transforms_.find(component);
    std::optional<Placement> found;
    if (own != transforms_.end()) found = read_placement(own->second, name_ + ": component");
    const bool is_own = found.has_value();
    if (!is_own) found = read_placement(whole_, name_ + ": transform");
    if (!found) return {};
    constexpr double kGlobe = 1e6;  // metres
    if (found->translation.norm() < kGlobe) return {*found, is_own, Eigen::Vector3d::UnitZ()};
    return {{}, false, found->rotation.transpose() * found->translation.normalized()};
  }

  std::string name_;
  xml_node whole_;                              ///< the chunk's transform
  std::map<std::string, xml_node> transforms_;  ///< those of components
  std::map<std::string, xml_node> sensors_;
  std::map<std::string, Master> masters_;          ///< all cameras
  std::set<std::string> common_labels_;            ///< of several cameras
  ParsedOnce<ListedCamera> parsed_;                ///< sensors
  ParsedOnce<Rigid3> master_poses_, slave_poses_;  ///< by camera; by sensor
  ParsedOnce<Placed> placed_;                      ///< by component
  std::map<std::string, Component> components_;
  LeftOut left_out_;
};

}  // namespace

/// Metashape's (and PhotoScan's) File > Export > Export Cameras. Of several chunks, the one with the most cameras.
CameraList parse_metashape(std::string_view xml, const std::string& name) {
  pugi::xml_document document;
  parse_xml(xml, name, "Metashape's cameras (Export Cameras, Agisoft XML)", document);
  std::vector<Chunk> chunks;
  for (const xml_node& node : document.child("document").children("chunk")) {
    if (node.attribute("enabled").as_bool(true)) chunks.emplace_back(node, name);
  }
  const auto largest = std::ranges::max_element(chunks, {}, &Chunk::size);
  CameraList list = largest == chunks.end() ? CameraList() : largest->cameras();
  if (list.cameras.empty()) {
    throw InputError(
        fmt::format("{}: has no aligned camera; expected a <camera> with a <transform> in an enabled <chunk>", name));
  }
  list.version = document.child("document").attribute("version").as_string();
  const auto count = std::ranges::count_if(chunks, [](const Chunk& chunk) { return chunk.size() > 0; });
  if (count > 1) list.notes.push_back(fmt::format("this is the largest of {} chunks; the others are left out", count));
  return list;
}

}  // namespace p2mpp
