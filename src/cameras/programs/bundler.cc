#include <fmt/format.h>

#include <cmath>
#include <utility>

#include "base/text.h"
#include "cameras/colmap/colmap_model.h"
#include "cameras/parsing/pose_matrix.h"
#include "cameras/parsing/text_rows.h"
#include "cameras/programs/camera_files.h"
#include "p2mpp/error.h"

namespace p2mpp {
namespace {

/// Whole numbers and numbers of a text without structure, one after the other.
class Words {
 public:
  Words(std::string_view text, std::string name) : lines_(text), name_(std::move(name)) {}

  [[nodiscard]] double number(const char* what) {
    skip_to_word();
    return Columns(take_column(line_), fmt::format("{}:{}", name_, lines_.number())).number(what);
  }
  [[nodiscard]] std::vector<double> numbers(const char* what, std::size_t count) {
    std::vector<double> values(count);
    for (double& value : values) value = number(what);
    return values;
  }
  [[nodiscard]] std::size_t count(const char* what) {
    const double value = number(what);
    constexpr double kMost = 1e8;
    if (value >= 0 && value <= kMost && value == std::floor(value)) return static_cast<std::size_t>(value);
    throw InputError(fmt::format("{}:{}: the {} is {}; expected a whole number", name_, lines_.number(), what, value));
  }
  /// The rest of the line, and the whole next one if nothing is left of it.
  [[nodiscard]] Columns line() {
    skip_to_word();
    return {std::exchange(line_, std::string_view()), fmt::format("{}:{}", name_, lines_.number())};
  }
  [[nodiscard]] bool at_end() {
    while (trimmed(line_).empty() || trimmed(line_).starts_with('#')) {
      if (!lines_.next(line_)) return true;
    }
    return false;
  }

 private:
  void skip_to_word() {
    if (at_end())
      throw InputError(fmt::format("{}: ends too early; expected more numbers (an incomplete file?)", name_));
  }

  LineReader lines_;
  std::string_view line_;
  std::string name_;
};

}  // namespace

/// Bundler's bundle.out, version 0.3. Cameras look along -z with y up. Source: Bundler's manual, "Output format".
CameraList parse_bundler(std::string_view text, const std::string& name, const std::vector<std::string>& photographs) {
  if (!without_byte_order_mark(text).starts_with("# Bundle file")) {
    throw InputError(name + ": expected '# Bundle file v0.3' at the start");
  }
  Words words(text, name);
  const std::size_t count = words.count("number of cameras"), points = words.count("number of points");
  if (count > photographs.size()) {
    throw InputError(fmt::format("{}: has {} cameras for {} photographs; expected a name for each in list.txt", name,
                                 count, photographs.size()));
  }
  CameraList list;
  std::size_t unknown = 0;
  for (std::size_t i = 0; i < count; ++i) {
    const std::vector<double> numbers = words.numbers("camera", 15);
    if (numbers[0] == 0) {
      ++unknown;
      continue;
    }
    ListedCamera camera{.file = photographs[i], .where = fmt::format("{}: camera {}", name, i)};
    camera.unit = LensUnit::kFromCentre;
    camera.lens = {.fx = numbers[0], .fy = numbers[0], .coefficients = {numbers[1], numbers[2]}};
    const std::span<const double> all = numbers;
    const ScaledRotation rotation = rotation_of(matrix3(all.subspan(3, 9)), camera.where);
    camera.cam_from_source = flip_y_and_z(Rigid3{rotation.rotation, vector3(all.subspan(12))});
    list.cameras.push_back(std::move(camera));
  }
  for (std::size_t i = 0; i < points; ++i) {
    const std::vector<double> point = words.numbers("point", 3);
    static_cast<void>(words.numbers("colour", 3));
    const std::size_t views = words.count("number of views");
    for (std::size_t view = 0; view < 4 * views; ++view) static_cast<void>(words.number("view"));
    if (views >= kMinTrackLength) list.points.push_back(vector3(point));
  }
  if (unknown > 0) list.notes.push_back(fmt::format("{} photographs have no camera and are left out", unknown));
  return list;
}

/// VisualSFM's NVM_V3: its first model. The radial distortion takes the measured point to the ideal one: x (1 + r d^2),
/// d in focal lengths. Source: http://ccwu.me/vsfm/doc.html#nvm.
CameraList parse_visualsfm(std::string_view text, const std::string& name) {
  if (!without_byte_order_mark(text).starts_with("NVM_V3")) throw InputError(name + ": expected 'NVM_V3' at the start");
  Words words(text, name);
  static_cast<void>(words.line());
  CameraList list;
  const std::size_t count = words.count("number of cameras");
  for (std::size_t i = 0; i < count; ++i) {
    Columns columns = words.line();
    ListedCamera camera{.file = std::string(columns.word("photograph's name")), .where = columns.where()};
    const std::vector<double> n = columns.numbers("camera", 9);
    camera.unit = LensUnit::kFromCentre;
    camera.lens = {.fx = n[0], .fy = n[0]};
    if (const double radial = n[8]; radial != 0) {
      camera.undistorted = [radial](double radius) { return radius * (1 + radial * radius * radius); };
    }
    camera.cam_from_source =
        rigid_from_centre(rotation_of_quaternion(n[1], n[2], n[3], n[4], columns.where()), {n[5], n[6], n[7]});
    list.cameras.push_back(std::move(camera));
  }
  const std::size_t points = words.at_end() ? 0 : words.count("number of points");
  for (std::size_t i = 0; i < points; ++i) {
    Columns columns = words.line();
    const std::vector<double> point = columns.numbers("point", 3);
    static_cast<void>(columns.numbers("colour", 3));
    if (columns.whole("number of measurements") >= kMinTrackLength) list.points.push_back(vector3(point));
  }
  return list;
}

}  // namespace p2mpp
