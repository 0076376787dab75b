#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <set>

#include "base/text.h"
#include "cameras/parsing/json_node.h"
#include "cameras/parsing/left_out.h"
#include "cameras/parsing/pose_matrix.h"
#include "cameras/programs/camera_files.h"
#include "p2mpp/error.h"

/// Source of everything here: AliceVision, src/aliceVision/sfmDataIO/jsonIO.cpp (loadIntrinsic) and its
/// compatibilityData for the versions 1.2.0 to 1.2.14; src/aliceVision/camera for the lenses.
namespace p2mpp {
namespace {

using Version = std::array<double, 3>;

/// A file without a version is as the newest.
Version read_version(const JsonNode& root) {
  const std::optional<JsonNode> node = root.find("version");
  if (!node) return {99, 0, 0};
  const std::vector<double> numbers = node->numbers(3);
  return {numbers[0], numbers[1], numbers[2]};
}

/// Pixels, since 1.2.2 millimetres of a sensor as wide as the image. pixelRatio was fx / fy before 1.2.5, and is fy /
/// fx since. Since 1.2.11 the focal length is the vertical one.
void set_focal_lengths(const JsonNode& node, const Version& version, const ListedCamera& camera, Lens& lens) {
  if (const std::optional<JsonNode> pixels = node.find("pxFocalLength")) {
    const bool both = pixels->is_array();
    lens.fx = both ? pixels->numbers(2)[0] : pixels->number();
    lens.fy = both ? pixels->numbers(2)[1] : lens.fx;
    return;
  }
  const double focal = node["focalLength"].number() / node.number_or("sensorWidth", 36) * camera.width;
  const double ratio = node.number_or("pixelRatio", 1);
  lens.fx = version < Version{1, 2, 11} ? focal : focal / ratio;
  lens.fy = version < Version{1, 2, 5} ? focal / ratio : lens.fx * ratio;
}

/// From the image's corner, since 1.2.1 from its middle. Scripts that write newer files count from the corner, too.
void set_principal_point(const JsonNode& node, const Version& version, const ListedCamera& camera, Lens& lens) {
  const std::vector<double> centre = node["principalPoint"].numbers(2);
  const bool from_middle = version >= Version{1, 2, 1} && std::fabs(centre[0]) < 0.25 * camera.width &&
                           std::fabs(centre[1]) < 0.25 * camera.height;
  lens.cx = centre[0] + (from_middle ? camera.width / 2.0 : 0);
  lens.cy = centre[1] + (from_middle ? camera.height / 2.0 : 0);
}

/// A fisheye whose angles are divided by half the field of view of the sensor's shorter side, and then distorted.
void set_equidistant(const JsonNode& node, const std::array<double, 8>& k, ListedCamera& camera) {
  Lens& lens = camera.lens;
  const double sensor_width = node.number_or("sensorWidth", 36);
  const double focal = lens.fx * sensor_width / std::max(camera.width, camera.height);
  const double half_view = std::min(sensor_width, node.number_or("sensorHeight", 24)) / focal / 2;
  const double at_the_rim = 1 + k[0] + k[1] + k[2];
  lens.fx = lens.fy = node["fisheyeCircleRadius"].number() / half_view / at_the_rim;
  lens.model = LensModel::kFisheye;
  lens.coefficients = {k[0] / std::pow(half_view, 2), k[1] / std::pow(half_view, 4), k[2] / std::pow(half_view, 6)};
}

/// The kind of the lens: since 1.2.8 its distortion's, and "equidistant" for a fisheye without one.
std::string lens_kind(const JsonNode& node) {
  const std::string type = lower_case(node.text_or("type", "pinhole"));
  return type == "pinhole" ? lower_case(node.text_or("distortionType", type)) : type;
}

void set_distortion(const JsonNode& node, ListedCamera& camera) {
  const std::optional<JsonNode> parameters = node.find("distortionParams");
  const std::vector<JsonNode> values = parameters ? parameters->items() : std::vector<JsonNode>();
  std::array<double, 8> k{};
  for (std::size_t i = 0; i < std::min(values.size(), k.size()); ++i) k[i] = values[i].number();
  Lens& lens = camera.lens;
  const std::string kind = lens_kind(node);
  if (kind == "radial1" || kind == "radialk1" || kind == "radial3" || kind == "radialk3") {
    lens.coefficients = {k[0], k[1], 0, 0, k[2]};
  } else if (kind == "brown") {
    lens.coefficients = {k[0], k[1], k[3], k[4], k[2]};
  } else if (kind == "3deradial4") {  // c2 c4 u1 v1 u3 v3 of aliceVision/camera/Distortion3DE.cpp
    lens.coefficients = {k[0], k[1], k[3], k[2]};
    lens.extras.tangential_growth = {k[5], k[4]};
  } else if (kind == "fisheye4" || kind == "fisheye") {
    lens.model = LensModel::kFisheye;
    lens.coefficients = {k[0], k[1], k[2], k[3]};
  } else if (kind == "fisheye1" && k[0] != 0) {
    camera.undistorted = [angle = k[0]](double radius) { return std::tan(radius * angle) / (2 * std::tan(angle / 2)); };
  } else if (kind.starts_with("equidistant")) {
    set_equidistant(node, k, camera);
  } else if (std::ranges::any_of(k, [](double value) { return value != 0; })) {
    node.refuse(
        fmt::format("its distortion is of the type '{}'; expected radialk1, radialk3, brown, 3deradial4, fisheye, "
                    "fisheye1 or equidistant",
                    printable(kind, 40)));
  }
}

ListedCamera meshroom_intrinsic(const JsonNode& node, const Version& version) {
  ListedCamera camera{.file = {}, .where = node.where()};
  camera.width = node["width"].side();
  camera.height = node["height"].side();
  set_focal_lengths(node, version, camera, camera.lens);
  set_principal_point(node, version, camera, camera.lens);
  const std::string undistortion = lower_case(node.text_or("undistortionType", "none"));
  if (undistortion != "none") {
    node.refuse(fmt::format("its undistortion is of the type '{}'; expected none", printable(undistortion, 40)));
  }
  set_distortion(node, camera);
  camera.lens_name = lens_kind(node);
  return camera;
}

/// Rotations are cam_from_source, column by column.
Rigid3 meshroom_pose(const JsonNode& transform) {
  const Eigen::Matrix3d rotation =
      nearest_rotation(matrix3(transform["rotation"].numbers(9)).transpose(), transform.where() + ".rotation").rotation;
  return rigid_from_centre(rotation, vector3(transform["center"].numbers(3)));
}

using Nodes = std::map<std::string, JsonNode>;

/// The entries of a list by their id. A file without the list has none.
Nodes index_nodes(const JsonNode& root, const char* list, const char* id) {
  Nodes nodes;
  if (const std::optional<JsonNode> found = root.find(list)) {
    for (const JsonNode& node : found->items()) nodes.emplace(node.text_or(id, ""), node);
  }
  return nodes;
}

class Scene {
 public:
  explicit Scene(const JsonNode& root)
      : version_(read_version(root)),
        intrinsics_(index_nodes(root, "intrinsics", "intrinsicId")),
        poses_(index_nodes(root, "poses", "poseId")),
        rigs_(index_nodes(root, "rigs", "rigId")),
        views_(root["views"].items()) {
    for (const JsonNode& view : views_) {
      if (view.find("rigId") && !seen_.insert(pose_id(view)).second) shared_.insert(pose_id(view));
    }
  }

  CameraList cameras(const std::string& name) {
    CameraList list;
    LeftOut left_out;
    for (const JsonNode& view : views_) {
      if (!poses_.contains(pose_id(view)) || !intrinsics_.contains(intrinsic_id(view))) {
        left_out.without_pose();
      } else {
        left_out.read([&] { list.cameras.push_back(camera(view)); });
      }
    }
    list.notes = left_out.notes(name, list.cameras.size());
    constexpr double kNone = 99;
    if (version_[0] != kNone) list.version = fmt::format("{:.0f}.{:.0f}.{:.0f}", version_[0], version_[1], version_[2]);
    return list;
  }

 private:
  static std::string pose_id(const JsonNode& view) { return view.text_or("poseId", view.text_or("viewId", "")); }
  static std::string intrinsic_id(const JsonNode& view) { return view.text_or("intrinsicId", ""); }

  ListedCamera camera(const JsonNode& view) {
    const std::string id = intrinsic_id(view);
    ListedCamera camera = parsed_.get(id, [&] { return meshroom_intrinsic(intrinsics_.at(id), version_); });
    camera.file = view["path"].text();
    camera.cam_from_source = meshroom_pose(poses_.at(pose_id(view))["pose"]["transform"]);
    if (is_of_rig(view)) camera.cam_from_source = sub_pose(view) * camera.cam_from_source;
    return camera;
  }

  /// Whether the view's pose is that of its rig. Scripts leave out the flag; then, views that share a pose tell.
  [[nodiscard]] bool is_of_rig(const JsonNode& view) const {
    if (!view.find("rigId")) return false;
    if (const std::optional<JsonNode> flag = view.find("isPoseIndependant")) return !flag->flag();
    return shared_.contains(pose_id(view));
  }

  Rigid3 sub_pose(const JsonNode& view) {
    const auto rig = rigs_.find(view["rigId"].text());
    if (rig == rigs_.end()) view.refuse("its rig is not in the file; expected it in rigs");
    const std::vector<JsonNode>& sub_poses =
        sub_poses_.get(rig->first, [&] { return rig->second["subPoses"].items(); });
    const double place = view["subPoseId"].number();
    if (!(place >= 0 && place < static_cast<double>(sub_poses.size()))) {
      view.refuse(fmt::format("subPoseId is {}; expected one of the rig's {}", place, sub_poses.size()));
    }
    const JsonNode& found = sub_poses[static_cast<std::size_t>(place)];
    if (found.text_or("status", "") == "uninitialized") found.refuse("is not calibrated; expected a sub-pose");
    return meshroom_pose(found["pose"]);
  }

  Version version_;
  Nodes intrinsics_, poses_, rigs_;
  std::vector<JsonNode> views_;
  std::set<std::string> seen_, shared_;  ///< poses of rigs' views; those of several
  ParsedOnce<ListedCamera> parsed_;
  ParsedOnce<std::vector<JsonNode>> sub_poses_;
};

}  // namespace

/// Meshroom's (AliceVision's) cameras.sfm, or the same as .json.
CameraList parse_meshroom(std::string_view json, const std::string& name) {
  const nlohmann::json document = parse_foreign_json(json, name, "Meshroom's cameras (.sfm)");
  return Scene(JsonNode(document, name)).cameras(name);
}

}  // namespace p2mpp
