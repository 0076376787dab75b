#include "io/cameras_json.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <initializer_list>
#include <nlohmann/json.hpp>
#include <span>
#include <type_traits>
#include <utility>

#include "base/input_file.h"
#include "base/json_text.h"
#include "base/text.h"
#include "base/with_prefix.h"
#include "geometry/similarity.h"
#include "io/image/image_file.h"
#include "p2mpp/error.h"
#include "p2mpp/sample.h"

namespace p2mpp {
namespace {

using Names = std::span<const char* const>;

constexpr std::array kFileKeys = {"p2mpp_cameras", "views", "source_from_world", "metres_per_unit"};
constexpr std::array kViewKeys = {"image",      "mask",           "width",   "height", "intrinsics",
                                  "distortion", "cam_from_world", "upright", "use",    "background"};
constexpr std::array kIntrinsicsKeys = {"fx", "fy", "cx", "cy"};
constexpr std::array kOpenCvKeys = {"k1", "k2", "p1", "p2", "k3", "k4", "k5", "k6"};
constexpr std::array kFisheyeKeys = {"k1", "k2", "k3", "k4"};
constexpr std::array kSimilarityKeys = {"scale", "rotation", "translation"};
constexpr std::uintmax_t kMaxFileBytes = 64u << 20;

/// A value and its path in the file, for messages.
class JsonValue {
 public:
  JsonValue(const nlohmann::json& json, std::string file, std::string path)
      : json_(json), file_(std::move(file)), path_(std::move(path)) {}

  [[nodiscard]] std::string where() const { return fmt::format("{}: {}: ", file_, path_); }
  [[noreturn]] void refuse(std::string_view problem) const { throw InputError(fmt::format("{}{}", where(), problem)); }

  [[nodiscard]] std::optional<JsonValue> find(const char* key) const {
    const auto found = json_.find(key);
    if (found == json_.end()) return std::nullopt;
    return JsonValue(*found, file_, path_.empty() ? key : path_ + "." + key);
  }
  [[nodiscard]] JsonValue at(const char* key) const {
    std::optional<JsonValue> found = find(key);
    if (!found) {
      throw InputError(
          fmt::format("{}: {}: is missing; expected this key", file_, path_.empty() ? key : path_ + "." + key));
    }
    return *std::move(found);
  }
  [[nodiscard]] JsonValue at(std::size_t index) const {
    return {json_[index], file_, fmt::format("{}[{}]", path_, index)};
  }

  /// Refuses what is not an object and keys that are not among those known.
  void check_keys(Names known) const {
    if (!json_.is_object()) refuse("is not an object; expected one");
    for (const auto& [key, value] : json_.items()) {
      if (std::ranges::find(known, key) != known.end()) continue;
      const std::string name = printable(key, 40);
      throw InputError(fmt::format("{}: {}: is not a known key; expected {}", file_,
                                   path_.empty() ? name : path_ + "." + name, fmt::join(known, ", ")));
    }
  }

  [[nodiscard]] double number() const {
    if (!json_.is_number() || !std::isfinite(json_.get<double>())) refuse("is not a finite number; expected one");
    return json_.get<double>();
  }
  [[nodiscard]] int whole(int low, int high) const {
    if (!json_.is_number_integer() || json_.get<double>() < low || json_.get<double>() > high) {
      refuse(fmt::format("expected a whole number from {} to {}", low, high));
    }
    return json_.get<int>();
  }
  [[nodiscard]] bool truth() const {
    if (!json_.is_boolean()) refuse("expected true or false");
    return json_.get<bool>();
  }
  [[nodiscard]] std::string text() const {
    if (!json_.is_string()) refuse("expected a text");
    return json_.get<std::string>();
  }
  [[nodiscard]] std::string file_below() const {
    std::string name = text();
    try {
      check_name_below(name);
    } catch (const InputError& error) {
      refuse(
          fmt::format("'{}' {}; expected a file's name below the folder of this file", printable(name), error.what()));
    }
    return name;
  }
  [[nodiscard]] std::size_t array_size() const {
    if (!json_.is_array()) refuse("is not a list; expected one");
    return json_.size();
  }
  void check_array(std::size_t size) const {
    if (array_size() != size) refuse(fmt::format("has {} entries; expected {}", json_.size(), size));
  }

 private:
  const nlohmann::json& json_;
  std::string file_, path_;
};

Eigen::Vector3d parse_vector(const JsonValue& value) {
  value.check_array(3);
  return {value.at(std::size_t{0}).number(), value.at(1).number(), value.at(2).number()};
}

Eigen::MatrixXd parse_matrix(const JsonValue& value, Eigen::Index columns) {
  Eigen::MatrixXd matrix(3, columns);
  value.check_array(3);
  for (Eigen::Index row = 0; row < 3; ++row) {
    const JsonValue line = value.at(static_cast<std::size_t>(row));
    line.check_array(static_cast<std::size_t>(columns));
    for (Eigen::Index column = 0; column < columns; ++column) {
      matrix(row, column) = line.at(static_cast<std::size_t>(column)).number();
    }
  }
  return matrix;
}

/// The lists of LensExtras by their keys: those of a lens, or of one that is changed.
template <typename Extras>
auto extra_lists(Extras& extras) {
  using Numbers = std::span<std::conditional_t<std::is_const_v<Extras>, const double, double>>;
  return std::array<std::pair<const char*, Numbers>, 4>{{{"more_radial", Numbers(extras.radial)},
                                                         {"fisheye_tangential", Numbers(extras.tangential)},
                                                         {"tangential_growth", Numbers(extras.tangential_growth)},
                                                         {"prism", Numbers(extras.prism)}}};
}

void parse_extras(const JsonValue& value, LensExtras& extras) {
  for (const auto& [key, numbers] : extra_lists(extras)) {
    const std::optional<JsonValue> found = value.find(key);
    if (!found) continue;
    found->check_array(numbers.size());
    for (std::size_t i = 0; i < numbers.size(); ++i) numbers[i] = found->at(i).number();
  }
  if (const std::optional<JsonValue> after = value.find("after_radial")) extras.after_radial = after->truth();
  if (const std::optional<JsonValue> shear = value.find("shear")) extras.shear = shear->number();
}

void parse_distortion(const JsonValue& value, Lens& lens) {
  static constexpr std::array kAll = {"model",
                                      "k1",
                                      "k2",
                                      "p1",
                                      "p2",
                                      "k3",
                                      "k4",
                                      "k5",
                                      "k6",
                                      "more_radial",
                                      "fisheye_tangential",
                                      "tangential_growth",
                                      "prism",
                                      "after_radial",
                                      "shear"};
  value.check_keys(kAll);
  const JsonValue model = value.at("model");
  const std::string name = model.text();
  if (name != "opencv" && name != "fisheye") model.refuse("expected opencv or fisheye");
  lens.model = name == "fisheye" ? LensModel::kFisheye : LensModel::kRadialTangential;
  const Names names = name == "fisheye" ? Names(kFisheyeKeys) : Names(kOpenCvKeys);
  for (const char* key : kOpenCvKeys) {
    const std::optional<JsonValue> found = value.find(key);
    if (!found) continue;
    const auto known = std::ranges::find_if(names, [&](const char* n) { return std::string_view(n) == key; });
    if (known == names.end()) found->refuse("is not a coefficient of this model; expected k1 to k4");
    lens.coefficients[static_cast<std::size_t>(known - names.begin())] = found->number();
  }
  parse_extras(value, lens.extras);
  with_prefix(value.where(), [&] { check_lens(lens); });
}

Lens parse_lens(const JsonValue& view) {
  const JsonValue intrinsics = view.at("intrinsics");
  intrinsics.check_keys(kIntrinsicsKeys);
  Lens lens;
  lens.fx = intrinsics.at("fx").number();
  lens.fy = intrinsics.at("fy").number();
  lens.cx = intrinsics.at("cx").number();
  lens.cy = intrinsics.at("cy").number();
  with_prefix(intrinsics.where(), [&] { check_lens(lens); });
  if (const std::optional<JsonValue> distortion = view.find("distortion")) parse_distortion(*distortion, lens);
  return lens;
}

std::array<std::uint8_t, 3> parse_colour(const JsonValue& value) {
  constexpr int kMost = 255;
  value.check_array(3);
  std::array<std::uint8_t, 3> colour{};
  for (std::size_t i = 0; i < colour.size(); ++i) colour[i] = static_cast<std::uint8_t>(value.at(i).whole(0, kMost));
  return colour;
}

CamerasJsonView parse_view(const JsonValue& value) {
  value.check_keys(kViewKeys);
  CamerasJsonView view;
  view.image = value.at("image").file_below();
  if (const std::optional<JsonValue> mask = value.find("mask")) view.mask = mask->file_below();
  if (const std::optional<JsonValue> colour = value.find("background")) view.background = parse_colour(*colour);
  view.width = value.at("width").whole(kMinImageSide, kMaxImageSide);
  view.height = value.at("height").whole(kMinImageSide, kMaxImageSide);
  view.lens = parse_lens(value);
  const JsonValue pose = value.at("cam_from_world");
  const Eigen::MatrixXd matrix = parse_matrix(pose, 4);
  view.cam_from_world = {matrix.leftCols<3>(), matrix.col(3)};
  with_prefix(pose.where() + "its rotation ", [&] { check_rotation(view.cam_from_world.rotation); });
  if (const std::optional<JsonValue> upright = value.find("upright")) view.upright = upright->truth();
  if (const std::optional<JsonValue> use = value.find("use")) view.use = use->truth();
  return view;
}

// Before the keys: those of another version are not known.
void check_version(const JsonValue& file) {
  constexpr int kVersion = 1, kMost = 1'000'000;
  const JsonValue version = file.at("p2mpp_cameras");
  if (const int number = version.whole(0, kMost); number != kVersion) {
    version.refuse(fmt::format("version {} is not known; this p2mpp reads version {}", number, kVersion));
  }
}

Similarity parse_similarity(const JsonValue& value) {
  value.check_keys(kSimilarityKeys);
  Similarity similarity{value.at("scale").number(), parse_matrix(value.at("rotation"), 3),
                        parse_vector(value.at("translation"))};
  with_prefix(value.where(), [&] { check_similarity(similarity); });
  return similarity;
}

nlohmann::json parse_root(std::string_view text, const std::string& name) {
  try {
    return parse_json(text);
  } catch (const InputError& error) {
    throw InputError(fmt::format("{}: {}; expected a cameras.json", name, error.what()));
  }
}

using Ordered = Json;

Ordered matrix_json(const Eigen::MatrixXd& matrix) {
  Ordered rows = Ordered::array();
  for (Eigen::Index row = 0; row < matrix.rows(); ++row) {
    Ordered line = Ordered::array();
    for (Eigen::Index column = 0; column < matrix.cols(); ++column) line.push_back(matrix(row, column));
    rows.push_back(line);
  }
  return rows;
}

void write_extras(const LensExtras& extras, Ordered& json) {
  for (const auto& [key, numbers] : extra_lists(extras)) {
    if (std::ranges::any_of(numbers, [](double number) { return number != 0; })) {
      json[key] = std::vector<double>(numbers.begin(), numbers.end());
    }
  }
  if (extras.after_radial) json["after_radial"] = true;
  if (extras.shear != 0) json["shear"] = extras.shear;
}

Ordered view_json(const CamerasJsonView& view) {
  Ordered json = {{"image", view.image}};
  if (!view.mask.empty()) json["mask"] = view.mask;
  if (view.background) json["background"] = *view.background;
  json["width"] = view.width;
  json["height"] = view.height;
  json["intrinsics"] = {{"fx", view.lens.fx}, {"fy", view.lens.fy}, {"cx", view.lens.cx}, {"cy", view.lens.cy}};
  const bool fisheye = view.lens.model == LensModel::kFisheye;
  const bool distorted =
      std::ranges::any_of(view.lens.coefficients, [](double k) { return k != 0; }) || view.lens.extras != LensExtras{};
  if (fisheye || distorted) {
    Ordered& distortion = json["distortion"] = {{"model", fisheye ? "fisheye" : "opencv"}};
    const Names names = fisheye ? Names(kFisheyeKeys) : Names(kOpenCvKeys);
    for (std::size_t i = 0; i < names.size(); ++i) {
      if (view.lens.coefficients[i] != 0) distortion[names[i]] = view.lens.coefficients[i];
    }
    write_extras(view.lens.extras, distortion);
  }
  Eigen::MatrixXd pose(3, 4);
  pose << view.cam_from_world.rotation, view.cam_from_world.translation;
  json["cam_from_world"] = matrix_json(pose);
  if (view.upright) json["upright"] = true;
  json["use"] = view.use;
  return json;
}

}  // namespace

CamerasJson parse_cameras_json(std::string_view text, const std::string& name) {
  const nlohmann::json json = parse_root(text, name);
  if (!json.is_object()) throw InputError(fmt::format("{}: is not a JSON object; expected one", name));
  const JsonValue file(json, name, "");
  check_version(file);
  file.check_keys(kFileKeys);
  const JsonValue views = file.at("views");
  const std::size_t count = views.array_size();
  if (count < kMinViews || count > kMaxCameraViews) {
    views.refuse(fmt::format("has {} entries; expected {} to {}", count, kMinViews, kMaxCameraViews));
  }
  CamerasJson cameras;
  bool any_use = false;
  for (std::size_t i = 0; i < count; ++i) {
    any_use |= views.at(i).find("use").has_value();
    cameras.views.push_back(parse_view(views.at(i)));
  }
  if (!any_use && count <= kMaxViewsUnasked) {
    for (CamerasJsonView& view : cameras.views) view.use = true;
  }
  const auto used = std::ranges::count_if(cameras.views, [](const CamerasJsonView& view) { return view.use; });
  if (used < static_cast<std::ptrdiff_t>(kMinViews) || used > static_cast<std::ptrdiff_t>(kMaxViews)) {
    views.refuse(fmt::format("{} have \"use\": true; expected {} to {}", used, kMinViews, kMaxViews));
  }
  if (const std::optional<JsonValue> similarity = file.find("source_from_world")) {
    cameras.source_from_world = parse_similarity(*similarity);
  }
  if (const std::optional<JsonValue> unit = file.find("metres_per_unit")) {
    cameras.metres_per_unit = unit->number();
    if (*cameras.metres_per_unit <= 0) unit->refuse("is not above zero; expected the length of a unit in metres");
  }
  return cameras;
}

CamerasJson read_cameras_json(const std::filesystem::path& path) {
  return parse_cameras_json(read_file(path, kMaxFileBytes), display(path));
}

std::string cameras_json_text(const CamerasJson& cameras) {
  Ordered json = {{"p2mpp_cameras", 1}, {"views", Ordered::array()}};
  for (const CamerasJsonView& view : cameras.views) json["views"].push_back(view_json(view));
  const Similarity& similarity = cameras.source_from_world;
  Ordered& back =
      json["source_from_world"] = {{"scale", similarity.scale}, {"rotation", matrix_json(similarity.rotation)}};
  back["translation"] = {similarity.translation.x(), similarity.translation.y(), similarity.translation.z()};
  if (cameras.metres_per_unit) json["metres_per_unit"] = *cameras.metres_per_unit;
  return json_text(json);
}

}  // namespace p2mpp
