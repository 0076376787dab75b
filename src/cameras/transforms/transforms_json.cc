#include "cameras/transforms/transforms_json.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <nlohmann/json.hpp>
#include <numbers>
#include <utility>

#include "base/text.h"
#include "base/with_prefix.h"
#include "cameras/colmap/camera_models.h"
#include "cameras/parsing/json_node.h"
#include "cameras/parsing/left_out.h"
#include "cameras/parsing/pose_matrix.h"
#include "p2mpp/error.h"

namespace p2mpp {
namespace {

/// A key's value in a frame, or else in the file, with the place for messages.
class Keys {
 public:
  Keys(const nlohmann::json& file, const nlohmann::json& frame, std::string name, std::size_t index)
      : file_(file), frame_(frame), name_(std::move(name)), frame_name_(fmt::format("frames[{}].", index)) {}

  [[nodiscard]] const nlohmann::json* find(const char* key) const {
    for (const nlohmann::json* object : {&frame_, &file_}) {
      const auto found = object->find(key);
      if (found != object->end() && !found->is_null()) return &*found;
    }
    return nullptr;
  }

  [[noreturn]] void refuse(const char* key, const std::string& what) const {
    throw InputError(fmt::format("{}: {}{}: {}", name_, frame_.contains(key) ? frame_name_ : "", key, what));
  }

  [[nodiscard]] std::optional<double> number(const char* key) const {
    const nlohmann::json* const value = find(key);
    if (value == nullptr) return std::nullopt;
    if (value->is_string() && !parse_finite(value->get_ref<const std::string&>())) {
      refuse(key, fmt::format("is '{}'; expected a finite number", printable(value->get<std::string>(), 40)));
    }
    if (!value->is_number()) refuse(key, fmt::format("is {}; expected a number", value->type_name()));
    const double number = value->get<double>();
    if (!std::isfinite(number)) refuse(key, "is not finite; expected a finite number");
    return number;
  }

  [[nodiscard]] std::optional<double> number_in(const char* key, double low, double high) const {
    const std::optional<double> value = number(key);
    if (value && !(*value > low && *value < high)) {
      refuse(key, fmt::format("is {}; expected a number above {} and below {:.6}", *value, low, high));
    }
    return value;
  }

  [[nodiscard]] std::optional<int> side(const char* key) const {
    const std::optional<double> value = number_in(key, 0, 1e6);
    if (!value) return std::nullopt;
    // instant-ngp writes 1080.0.
    if (*value != std::floor(*value)) refuse(key, fmt::format("is {}; expected a whole number of pixels", *value));
    return static_cast<int>(*value);
  }

  [[nodiscard]] bool flag(const char* key) const {
    const nlohmann::json* const value = find(key);
    if (value == nullptr) return false;
    if (!value->is_boolean()) refuse(key, fmt::format("is {}; expected true or false", value->type_name()));
    return value->get<bool>();
  }

  [[nodiscard]] std::string text(const char* key) const {
    const nlohmann::json* const value = find(key);
    if (value == nullptr) return {};
    if (!value->is_string()) refuse(key, fmt::format("is {}; expected a text", value->type_name()));
    auto text = value->get<std::string>();
    if (text.find('\0') != std::string::npos) refuse(key, "has a NUL in it");
    return text;
  }

  [[nodiscard]] std::string where(const char* key) const { return fmt::format("{}: {}{}", name_, frame_name_, key); }

 private:
  const nlohmann::json& file_;
  const nlohmann::json& frame_;
  std::string name_;
  std::string frame_name_;
};

/// The model: nerfstudio writes a name of COLMAP's, instant-ngp is_fisheye, NeRF nothing.
struct NamedModel {
  LensModel lens = LensModel::kRadialTangential;
  bool rational = false;  ///< k4 to k6 divide
};

NamedModel parse_model(const Keys& keys) {
  for (const char* key : {"equirectangular", "latlong", "orthographic"}) {
    if (keys.flag(key)) keys.refuse(key, "is true; expected a perspective or a fisheye camera");
  }
  if (keys.find("ftheta_p0") != nullptr)
    keys.refuse("ftheta_p0", "an f-theta lens; expected a perspective or a fisheye");
  const std::string name = keys.text("camera_model");
  if (name.empty()) return {keys.flag("is_fisheye") ? LensModel::kFisheye : LensModel::kRadialTangential, false};
  const CameraModel& model = camera_model(name, keys.where("camera_model"));
  const bool has_other_keys =
      std::ranges::any_of(model.parameters, [](LensSlot slot) { return slot >= LensSlot::kFirstRadial; });
  if (model.undistorted != nullptr || has_other_keys) {
    keys.refuse("camera_model",
                fmt::format("is {}; expected a model of OpenCV's (colmap image_undistorter converts the photographs)",
                            model.name));
  }
  return {model.lens, name == "FULL_OPENCV"};
}

TransformsIntrinsics parse_intrinsics(const Keys& keys) {
  const NamedModel model = parse_model(keys);
  TransformsIntrinsics result;
  result.model = model.lens;
  result.name = keys.text("camera_model");
  constexpr double kMaxFocalLength = 1e9;
  result.fl_x = keys.number_in("fl_x", 0, kMaxFocalLength);
  result.fl_y = keys.number_in("fl_y", 0, kMaxFocalLength);
  result.cx = keys.number("cx");
  result.cy = keys.number("cy");
  result.camera_angle_x = keys.number_in("camera_angle_x", 0, std::numbers::pi);
  result.camera_angle_y = keys.number_in("camera_angle_y", 0, std::numbers::pi);
  result.w = keys.side("w");
  result.h = keys.side("h");
  constexpr std::array kRadialKeys{"k1", "k2", "p1", "p2", "k3", "k4", "k5", "k6"};
  constexpr std::array kFisheyeKeys{"k1", "k2", "k3", "k4"};
  if (model.lens == LensModel::kFisheye) {
    for (std::size_t i = 0; i < kFisheyeKeys.size(); ++i)
      result.coefficients[i] = keys.number(kFisheyeKeys[i]).value_or(0);
    return result;
  }
  for (std::size_t i = 0; i < kRadialKeys.size(); ++i) {
    result.coefficients[i] = keys.number(kRadialKeys[i]).value_or(0);
  }
  // nerfstudio's k4 is the coefficient of r^8; OpenCV's divides, as k5 and k6 do, which nerfstudio does not know.
  double& k4 = result.coefficients[5];
  if (!model.rational && result.coefficients[6] == 0 && result.coefficients[7] == 0) {
    result.extras.radial[0] = std::exchange(k4, 0);
  }
  return result;
}

double element(const Keys& keys, const nlohmann::json& row, std::size_t column) {
  constexpr const char* kKey = "transform_matrix";
  const bool is_number = row[column].is_number() && std::isfinite(row[column].get<double>());
  if (!is_number) keys.refuse(kKey, "holds something that is not a finite number; expected 4 rows of 4 numbers");
  return row[column].get<double>();
}

/// world_from_cam, the camera's frame being OpenGL's: x right, y up, looking along -z.
Eigen::Matrix4d parse_transform(const Keys& keys) {
  constexpr const char* kKey = "transform_matrix";
  const nlohmann::json* const rows = keys.find(kKey);
  if (rows == nullptr) throw InputError(fmt::format("{}: is missing; expected 4 rows of 4 numbers", keys.where(kKey)));
  if (!rows->is_array() || (rows->size() != 3 && rows->size() != 4)) keys.refuse(kKey, "expected 4 rows of 4 numbers");
  Eigen::Matrix4d matrix = Eigen::Matrix4d::Identity();
  for (std::size_t row = 0; row < rows->size(); ++row) {
    if (!(*rows)[row].is_array() || (*rows)[row].size() != 4) keys.refuse(kKey, "expected 4 rows of 4 numbers");
    for (std::size_t column = 0; column < 4; ++column) {
      matrix(static_cast<Eigen::Index>(row), static_cast<Eigen::Index>(column)) = element(keys, (*rows)[row], column);
    }
  }
  if (!matrix.row(3).isApprox(Eigen::RowVector4d(0, 0, 0, 1), 1e-6)) keys.refuse(kKey, "its last row is not 0 0 0 1");
  return matrix;
}

void set_pose(const Keys& keys, TransformsFrame& frame) {
  const Eigen::Matrix4d world_from_cam = parse_transform(keys);
  const ScaledRotation found = nearest_rotation(world_from_cam.topLeftCorner<3, 3>(), keys.where("transform_matrix"));
  frame.scale = found.scale;
  frame.cam_from_source =
      rigid_from_centre(flip_y_and_z(found.rotation.transpose().eval()), world_from_cam.topRightCorner<3, 1>());
}

TransformsFrame parse_frame(const nlohmann::json& file, const nlohmann::json& json, std::size_t index,
                            const std::string& name) {
  if (!json.is_object()) {
    throw InputError(fmt::format("{}: frames[{}]: is {}; expected an object", name, index, json.type_name()));
  }
  const Keys keys(file, json, name, index);
  TransformsFrame frame;
  frame.file_path = keys.text("file_path");
  if (frame.file_path.empty()) {
    throw InputError(fmt::format("{}: is missing; expected an image's name", keys.where("file_path")));
  }
  frame.mask_path = keys.text("mask_path");
  frame.intrinsics = parse_intrinsics(keys);
  set_pose(keys, frame);
  return frame;
}

}  // namespace

Lens TransformsIntrinsics::lens_for(int width, int height, const std::string& where) const {
  const auto from_angle = [](double angle, int side) { return side / (2 * std::tan(angle / 2)); };
  std::optional<double> fx = fl_x, fy = fl_y;
  if (!fx && camera_angle_x) fx = from_angle(*camera_angle_x, width);
  if (!fy && camera_angle_y) fy = from_angle(*camera_angle_y, height);
  if (!fx) fx = fy;  // square pixels
  if (!fy) fy = fx;
  if (!fx) {
    throw InputError(fmt::format("{}: has no focal length; expected fl_x, or camera_angle_x in radians", where));
  }
  Lens lens{model, *fx, *fy, cx.value_or(width / 2.0), cy.value_or(height / 2.0), coefficients, extras};
  with_prefix(where + ": ", [&] { check_lens(lens); });
  return lens;
}

Transforms parse_transforms(std::string_view text, const std::string& name) {
  const nlohmann::json json = parse_foreign_json(text, name, "a transforms.json");
  const auto frames = json.is_object() ? json.find("frames") : json.end();
  if (!json.is_object() || frames == json.end() || !frames->is_array() || frames->empty()) {
    throw InputError(fmt::format("{}: frames: missing or empty; expected a list with an object for each image", name));
  }
  Transforms result;
  LeftOut left_out;
  for (std::size_t i = 0; i < frames->size(); ++i) {
    left_out.read([&] { result.frames.push_back(parse_frame(json, (*frames)[i], i, name)); });
  }
  result.notes = left_out.notes(name, result.frames.size());
  result.points_path = Keys(json, nlohmann::json::object(), name, 0).text("ply_file_path");
  return result;
}

}  // namespace p2mpp
