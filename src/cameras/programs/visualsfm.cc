#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"
#include "cameras/colmap/colmap_model.h"
#include "cameras/parsing/left_out.h"
#include "cameras/parsing/pose_matrix.h"
#include "cameras/programs/camera_files.h"
#include "cameras/programs/words.h"
#include "p2mpp/error.h"

/// VisualSFM's .nvm. Source: http://ccwu.me/vsfm/doc.html#nvm.
namespace p2mpp {
namespace {

/// "NVM_V3", or "NVM_V3_R9T": its rows have a rotation and a translation where others have a quaternion and a centre.
/// "FixedK fx cx fy cy r" after it is the calibration of all photographs.
struct NvmHeader {
  bool has_matrices = false;
  std::optional<Lens> fixed;
  double fixed_radial = 0;
};

NvmHeader parse_header(std::string_view line, const std::string& name) {
  Columns columns(line, name + ":1");
  const std::string_view version = columns.word("version");
  if (version != "NVM_V3" && version != "NVM_V3_R9T") {
    throw InputError(
        fmt::format("{}:1: is of the version '{}'; expected NVM_V3 or NVM_V3_R9T", name, printable(version, 40)));
  }
  NvmHeader header{.has_matrices = version == "NVM_V3_R9T", .fixed = {}};
  if (columns.count() == 0 || columns.word("calibration") != "FixedK") return header;
  const std::vector<double> k = columns.numbers("calibration", 5);
  header.fixed = Lens{.fx = k[0], .fy = k[2], .cx = k[1], .cy = k[3]};
  header.fixed_radial = k[4];
  return header;
}

/// The numbers at the end of a row, and the name before them, which may have blanks. VisualSFM writes '"' for a blank.
struct NvmRow {
  std::string photograph;
  std::vector<double> numbers;
};

NvmRow split_row(std::string_view line, std::size_t count, const std::string& where) {
  std::string_view name = line;
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t end = name.find_last_not_of(" \t\r");
    const std::size_t blank = end == std::string_view::npos ? end : name.find_last_of(" \t", end);
    if (blank == std::string_view::npos) {
      throw InputError(
          fmt::format("{}: has too few columns; expected a photograph's name and {} numbers", where, count));
    }
    name = name.substr(0, blank);
  }
  NvmRow row{.photograph = std::string(trimmed(name)), .numbers = {}};
  std::ranges::replace(row.photograph, '"', ' ');
  row.numbers = Columns(line.substr(name.size()), where).numbers("camera", count);
  return row;
}

/// The radial distortion takes the measured point to the ideal one: x (1 + r d^2), d in focal lengths.
ListedCamera nvm_camera(std::string_view line, const NvmHeader& header, const std::string& where) {
  const NvmRow row = split_row(line, header.has_matrices ? 15 : 10, where);
  const std::span<const double> n = row.numbers;
  ListedCamera camera{.file = row.photograph, .where = where};
  double radial = n[n.size() - 2];
  if (header.fixed) {
    camera.lens = *header.fixed;
    camera.lens_name = "FixedK";
    if (radial == 0) radial = header.fixed_radial;
  } else {
    camera.unit = LensUnit::kFromCentre;
    camera.lens = {.fx = n[0], .fy = n[0]};
  }
  if (radial != 0) {
    camera.undistorted = [radial](double radius) { return radius * (1 + radial * radius * radius); };
  }
  if (header.has_matrices) {
    camera.cam_from_source = {nearest_rotation(matrix3(n.subspan(1, 9)), where).rotation, vector3(n.subspan(10, 3))};
  } else {
    camera.cam_from_source =
        rigid_from_centre(rotation_of_quaternion(n[1], n[2], n[3], n[4], where), vector3(n.subspan(5, 3)));
  }
  return camera;
}

std::vector<Eigen::Vector3d> nvm_points(Words& words) {
  std::vector<Eigen::Vector3d> points;
  const std::size_t count = words.at_end() ? 0 : words.count("number of points");
  for (std::size_t i = 0; i < count; ++i) {
    const std::string_view line = words.line();
    Columns columns(line, words.where());
    const std::vector<double> point = columns.numbers("point", 3);
    static_cast<void>(columns.numbers("colour", 3));
    if (columns.whole("number of measurements") >= kMinTrackLength) points.push_back(vector3(point));
  }
  return points;
}

/// The cameras of the next model, without its points.
CameraList next_model(Words& words, std::size_t count, const NvmHeader& header, const std::string& name) {
  CameraList model;
  LeftOut left_out;
  for (std::size_t i = 0; i < count; ++i) {
    const std::string_view line = words.line();
    left_out.read([&] { model.cameras.push_back(nvm_camera(line, header, words.where())); });
  }
  model.notes = left_out.notes(name, model.cameras.size());
  return model;
}

}  // namespace

/// The model with the most photographs: VisualSFM writes one for each part that it could not connect to the others.
CameraList parse_visualsfm(std::string_view text, const std::string& name) {
  if (!without_byte_order_mark(text).starts_with("NVM_V3")) throw InputError(name + ": expected 'NVM_V3' at the start");
  Words words(text, name);
  const NvmHeader header = parse_header(words.line(), name);
  CameraList largest;
  std::size_t models = 0;
  while (!words.at_end()) {
    const std::size_t count = words.count("number of cameras");
    if (count == 0) break;
    CameraList model = next_model(words, count, header, name);
    const bool is_whole = read_optional_points([&] { return nvm_points(words); }, model);
    if (models++ == 0 || model.cameras.size() > largest.cameras.size()) largest = std::move(model);
    if (!is_whole) break;
  }
  largest.version = header.has_matrices ? "NVM_V3_R9T" : "NVM_V3";
  if (models > 1) {
    largest.notes.push_back(fmt::format("this is the largest of {} models, which were not connected", models));
  }
  return largest;
}

}  // namespace p2mpp
