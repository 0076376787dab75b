#include <fmt/format.h>

#include <Eigen/Geometry>
#include <cmath>
#include <map>
#include <pugixml.hpp>

#include "base/text.h"
#include "cameras/parsing/left_out.h"
#include "cameras/parsing/pose_matrix.h"
#include "cameras/parsing/text_rows.h"
#include "cameras/programs/camera_files.h"
#include "cameras/programs/xml_text.h"
#include "geometry/angles.h"
#include "p2mpp/error.h"

namespace p2mpp {
namespace {

constexpr double kFilmWidth = 36;  ///< mm, to which focal lengths refer; the image's longer side

std::vector<std::string_view> split(std::string_view line, char separator) {
  std::vector<std::string_view> cells;
  for (std::size_t start = 0; start <= line.size();) {
    const std::size_t end = std::min(line.find(separator, start), line.size());
    cells.push_back(trimmed(line.substr(start, end - start)));
    start = end + 1;
  }
  return cells;
}

/// The first row of a table: the names of its columns.
class Header {
 public:
  Header() = default;

  /// RealityScan's names are taken for RealityCapture's. Throws InputError, "{where}: ...", unless all are there that a
  /// camera needs.
  Header(const std::vector<std::string_view>& cells, const std::string& where) {
    const std::map<std::string, std::string> renamed = {
        {"yaw", "heading"}, {"f_35mm", "f"}, {"px_norm", "px"}, {"py_norm", "py"}};
    for (std::size_t i = 0; i < cells.size(); ++i) {
      const auto other = renamed.find(std::string(cells[i]));
      places_.emplace(other == renamed.end() ? std::string(cells[i]) : other->second, i);
    }
    for (const char* needed : {"x", "y", "heading", "pitch", "roll", "f"}) {
      if (has(needed)) continue;
      throw InputError(
          fmt::format("{}: has no column '{}'; expected RealityCapture's export \"Internal/External camera "
                      "parameters\"",
                      where, needed));
    }
  }

  [[nodiscard]] bool has(const std::string& column) const { return places_.contains(column); }
  [[nodiscard]] bool empty() const { return places_.empty(); }
  [[nodiscard]] std::string_view cell(const std::vector<std::string_view>& cells, const std::string& column) const {
    const auto found = places_.find(column);
    return found == places_.end() || found->second >= cells.size() ? "" : cells[found->second];
  }

 private:
  std::map<std::string, std::size_t> places_;
};

class CsvRow {
 public:
  CsvRow(const Header& header, std::vector<std::string_view> cells, std::string where)
      : header_(header), cells_(std::move(cells)), where_(std::move(where)) {}

  [[nodiscard]] double number(const std::string& column) const {
    const std::string_view cell = header_.cell(cells_, column);
    if (const std::optional<double> value = parse_finite(cell)) return *value;
    throw InputError(fmt::format("{}: {} is '{}'; expected a finite number", where_, column, printable(cell, 40)));
  }
  [[nodiscard]] double number_or_0(const std::string& column) const { return header_.has(column) ? number(column) : 0; }
  [[nodiscard]] double height() const { return number(header_.has("alt") ? "alt" : "z"); }
  [[nodiscard]] std::string_view first() const { return cells_.front(); }
  [[nodiscard]] const std::string& where() const { return where_; }

 private:
  const Header& header_;
  std::vector<std::string_view> cells_;
  std::string where_;
};

/// k1 to k4, t1 and t2.
void set_distortion(const std::array<double, 4>& k, double t1, double t2, Lens& lens) {
  lens.coefficients = {k[0], k[1], t1, t2, k[2]};
  lens.extras.radial[0] = k[3];
}

/// Columns: the camera's x (right), y (up) and z (backwards) in a world of east, north and up. With all angles 0, the
/// camera looks down and the picture's upper side is north. Source: FromYPR() in Capturing Reality's article
/// "Registration export and camera orientations". A project that users exported both as CSV and as XMP agrees.
Eigen::Matrix3d axes_of_angles(double heading, double pitch, double roll) {
  const auto about = [](double degrees, const Eigen::Vector3d& axis) {
    return Eigen::AngleAxisd(degrees * kRadiansPerDegree, axis).toRotationMatrix();
  };
  return about(-heading, Eigen::Vector3d::UnitZ()) * about(pitch, Eigen::Vector3d::UnitX()) *
         about(roll, Eigen::Vector3d::UnitY());
}

ListedCamera parse_camera_row(const CsvRow& row) {
  ListedCamera camera{.file = std::string(row.first()), .where = row.where()};
  camera.unit = LensUnit::kLongerSide;
  camera.lens.fx = camera.lens.fy = row.number("f") / kFilmWidth;
  camera.lens.cx = row.number_or_0("px");
  camera.lens.cy = row.number_or_0("py");
  set_distortion({row.number_or_0("k1"), row.number_or_0("k2"), row.number_or_0("k3"), row.number_or_0("k4")},
                 row.number_or_0("t1"), row.number_or_0("t2"), camera.lens);
  const Eigen::Matrix3d axes = axes_of_angles(row.number("heading"), row.number("pitch"), row.number("roll"));
  camera.cam_from_source =
      rigid_from_centre(flip_y_and_z(axes.transpose().eval()), {row.number("x"), row.number("y"), row.height()});
  return camera;
}

/// Longitude and latitude make no shape with heights in metres.
void check_metres(const CameraList& list, const std::string& name) {
  Eigen::AlignedBox3d box;
  for (const ListedCamera& camera : list.cameras) box.extend(inverse(camera.cam_from_source).translation);
  if (list.cameras.size() < 2) return;
  constexpr double kDegrees = 0.02;  // two kilometres
  const double across = box.sizes().head<2>().maxCoeff();
  const bool on_globe = std::abs(box.center().x()) <= 180 && std::abs(box.center().y()) <= 90;
  const bool far_from_zero = box.center().head<2>().norm() > 100 * across;
  if (!on_globe || !far_from_zero || across > kDegrees || box.sizes().z() < 100 * across) return;
  throw InputError(
      fmt::format("{}: x and y look like longitude and latitude ({:.4f}, {:.4f}); expected metres: export in a "
                  "coordinate system of "
                  "metres, such as UTM or a local one",
                  name, box.center().x(), box.center().y()));
}

double attribute(const pugi::xml_node& node, const char* name, double otherwise, const std::string& where) {
  const pugi::xml_attribute found = node.attribute(name);
  if (!found) return otherwise;
  if (const std::optional<double> value = parse_finite(found.value())) return *value;
  throw InputError(fmt::format("{}: {} is '{}'; expected a finite number", where, name, printable(found.value(), 40)));
}

/// RealityCapture writes these as elements, and some programs as attributes.
std::vector<double> numbers(const pugi::xml_node& node, const char* name, std::size_t count, const std::string& where) {
  const char* const text = node.child(name) ? node.child(name).child_value() : node.attribute(name).value();
  const std::optional<std::vector<double>> values = numbers_in(text);
  if (values && values->size() == count) return *values;
  throw InputError(fmt::format("{}: {} is '{}'; expected {} numbers", where, name, printable(text, 40), count));
}

}  // namespace

/// RealityCapture's (RealityScan's) export "Internal/External camera parameters": a row for each photograph. Columns
/// are separated by commas, or by semicolons.
CameraList parse_realitycapture_csv(std::string_view csv, const std::string& name) {
  Header header;
  char separator = ',';
  CameraList list;
  list.up = Eigen::Vector3d::UnitZ();
  LeftOut left_out;
  LineReader lines(csv);
  for (std::string_view line; lines.next(line);) {
    if (trimmed(line).empty()) continue;
    const std::string where = fmt::format("{}:{}", name, lines.number());
    if (trimmed(line).starts_with('#')) {
      separator = line.find(';') != std::string_view::npos ? ';' : ',';
      const std::vector<std::string_view> cells = split(line, separator);
      if (cells.size() > 1) header = Header(cells, where);  // else "#cameras 24"
      continue;
    }
    if (header.empty()) {
      throw InputError(where + ": comes before the columns' names; expected #name,x,y,alt,heading,...");
    }
    left_out.read([&] { list.cameras.push_back(parse_camera_row(CsvRow(header, split(line, separator), where))); });
  }
  list.notes = left_out.notes(name, list.cameras.size());
  check_metres(list, name);
  return list;
}

/// An XMP beside a photograph. The rotation is cam_from_source with OpenCV's axes, and the position the camera's.
CameraList parse_realitycapture_xmp(std::string_view xmp, const std::string& name) {
  pugi::xml_document document;
  parse_xml(xmp, name, "an XMP of RealityCapture", document);
  const pugi::xml_node found = document.find_node([](const pugi::xml_node& node) {
    return std::string_view(node.name()) == "rdf:Description" && node.attribute("xcr:FocalLength35mm");
  });
  if (!found || (!found.child("xcr:Rotation") && !found.attribute("xcr:Rotation"))) return {};  // another program's
  ListedCamera camera{.file = name, .where = name};
  camera.unit = LensUnit::kLongerSide;
  camera.lens.fx = attribute(found, "xcr:FocalLength35mm", 0, name) / kFilmWidth;
  camera.lens.fy = camera.lens.fx * attribute(found, "xcr:AspectRatio", 1, name);
  camera.lens.cx = attribute(found, "xcr:PrincipalPointU", 0, name);
  camera.lens.cy = attribute(found, "xcr:PrincipalPointV", 0, name);
  if (std::abs(attribute(found, "xcr:Skew", 0, name)) > 1e-3) {
    throw InputError(name + ": has a skew; expected none: export undistorted images");
  }
  camera.lens_name = found.attribute("xcr:DistortionModel").as_string();
  const char* const kDistortion = "xcr:DistortionCoeficients";  // RealityCapture's spelling
  if (found.child(kDistortion) || found.attribute(kDistortion)) {
    const std::vector<double> k = numbers(found, kDistortion, 6, name);
    if (std::string_view(found.attribute("xcr:DistortionModel").value()).starts_with("division")) {
      const double divisor = k[0], second = k[1];
      camera.undistorted = [divisor, second](double radius) {
        const double s = radius * radius;
        return radius / (1 + divisor * s + second * s * s);
      };
    } else {
      set_distortion({k[0], k[1], k[2], k[3]}, k[4], k[5], camera.lens);
    }
  }
  camera.cam_from_source = rigid_from_centre(
      nearest_rotation(matrix3(numbers(found, "xcr:Rotation", 9, name)), name + ": xcr:Rotation").rotation,
      vector3(numbers(found, "xcr:Position", 3, name)));
  CameraList list;
  list.up = Eigen::Vector3d::UnitZ();
  list.version = found.attribute("xcr:Version").as_string();
  list.cameras.push_back(std::move(camera));
  return list;
}

}  // namespace p2mpp
