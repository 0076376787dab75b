#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <optional>

#include "base/text.h"
#include "geometry/foreign/placed_points.h"
#include "io/mesh/mesh_formats.h"
#include "io/pickle/pickle.h"
#include "p2mpp/error.h"

namespace p2mpp {
namespace {

constexpr int kSignificantDigits = 9;            ///< enough to get the same float back
constexpr std::size_t kMaxFloatCharacters = 16;  ///< -1.23456789e-38
constexpr std::size_t kMaxDoubleCharacters = 32;
constexpr std::size_t kTypicalPointBytes = 40;
constexpr float kUnitTolerance = 0.1F;  ///< normals are written with few digits

/// Columns 4 to 6 are normals if they are a unit vector for every point. Otherwise they are something else, such as
/// colours.
void keep_only_normals(TriangleMesh& mesh) {
  const auto is_unit = [](const Eigen::Vector3f& v) { return std::abs(v.norm() - 1) <= kUnitTolerance; };
  if (mesh.normals.size() != mesh.vertices.size() || !std::ranges::all_of(mesh.normals, is_unit)) {
    mesh.normals = {};
  }
  for (Eigen::Vector3f& normal : mesh.normals) normal.normalize();
}

std::optional<Eigen::Vector3f> parse_vector(std::string_view& line) {
  Eigen::Vector3f vector;
  for (float& component : vector) {
    component = static_cast<float>(parse_finite(take_column(line)).value_or(NAN));
    if (!std::isfinite(component)) return std::nullopt;
  }
  return vector;
}

Eigen::Vector3d parse_point(std::string_view& line, const std::string& name, std::size_t number) {
  Eigen::Vector3d point;
  for (double& coordinate : point) {
    const std::string_view column = take_column(line);
    coordinate = parse_finite(column).value_or(NAN);
    if (!std::isfinite(static_cast<float>(coordinate))) {
      throw InputError(fmt::format("{}:{}: '{}' where a coordinate should be; expected three finite numbers", name,
                                   number, printable(column, 40)));
    }
  }
  return point;
}

/// Whether a line names the columns: three words ("x y z", "//X Y Z") before the first point.
bool is_heading(std::string_view line) {
  for (int i = 0; i < 3; ++i) {
    const std::string_view word = take_column(line);
    const bool is_word = std::ranges::any_of(word, [](char c) { return (c | 0x20) >= 'a' && (c | 0x20) <= 'z'; });
    if (!is_word || parse_any_number(word)) return false;
  }
  return true;
}

Eigen::Vector3f vector_at(const PickledArray& array, std::size_t index) {
  return {static_cast<float>(array.values[index]), static_cast<float>(array.values[index + 1]),
          static_cast<float>(array.values[index + 2])};
}

/// Columns of an [N,>=3] array: points and, if present, normals.
TriangleMesh cloud_of_array(const PickledArray& array, const std::string& name) {
  if (array.shape.size() != 2 || array.shape[0] < 1 || array.shape[1] < 3) {
    throw InputError(fmt::format("{}: holds an array of shape [{}]; expected [N,3] or more columns", name,
                                 fmt::join(array.shape, ",")));
  }
  TriangleMesh cloud;
  const auto columns = static_cast<std::size_t>(array.shape[1]);
  for (std::size_t at = 0; at < array.values.size(); at += columns) {
    cloud.vertices.push_back(vector_at(array, at));
    if (!cloud.vertices.back().allFinite()) {
      throw InputError(
          fmt::format("{}: point {} is not finite; expected finite coordinates", name, cloud.vertices.size() - 1));
    }
    if (columns >= 6) cloud.normals.push_back(vector_at(array, at + 3));
  }
  keep_only_normals(cloud);
  return cloud;
}

void append_float(std::string& text, float value) {
  char buffer[kMaxFloatCharacters];
  const auto result =
      std::to_chars(std::begin(buffer), std::end(buffer), value, std::chars_format::general, kSignificantDigits);
  text.append(buffer, result.ptr);
}

/// As few digits as give the same double back.
void append_double(std::string& text, double value) {
  char buffer[kMaxDoubleCharacters];
  text.append(buffer, std::to_chars(std::begin(buffer), std::end(buffer), value).ptr);
}

}  // namespace

TriangleMesh parse_xyz(std::string_view text, const std::string& name, MeshReading* /*reading*/) {
  TriangleMesh cloud;
  std::vector<Eigen::Vector3d> points;
  LineReader lines(text);
  for (std::string_view line; lines.next(line);) {
    line = trimmed(without_comment(line));
    if (line.empty() || (points.empty() && is_heading(line))) continue;
    points.push_back(parse_point(line, name, lines.number()));
    if (const auto normal = parse_vector(line)) cloud.normals.push_back(*normal);
  }
  if (points.empty()) throw InputError(fmt::format("{}: has no point; expected lines of x y z", name));
  PlacedPoints placed_points = placed(points);
  cloud.vertices = std::move(placed_points.points);
  cloud.origin = placed_points.origin;
  keep_only_normals(cloud);
  return cloud;
}

TriangleMesh parse_dat(std::string_view bytes, const std::string& name, MeshReading* /*reading*/) {
  const std::vector<PickledArray> arrays = parse_pickled_arrays(bytes, name);
  if (arrays.size() > 2) {
    throw InputError(fmt::format("{}: holds {} arrays; expected the points or a pair of which they are the second",
                                 name, arrays.size()));
  }
  return cloud_of_array(arrays.back(), name);
}

void append_coordinates(std::string& text, const Eigen::Vector3f& point) {
  append_float(text, point.x());
  append_float(text += ' ', point.y());
  append_float(text += ' ', point.z());
}

void append_vertex(std::string& text, const TriangleMesh& mesh, std::size_t i) {
  if (mesh.origin.isZero(0)) return append_coordinates(text, mesh.vertices[i]);
  const Eigen::Vector3d vertex = placed_vertex(mesh, i);
  append_double(text, vertex.x());
  append_double(text += ' ', vertex.y());
  append_double(text += ' ', vertex.z());
}

std::string format_xyz(const TriangleMesh& mesh) {
  std::string text;
  text.reserve(mesh.vertices.size() * kTypicalPointBytes);
  for (std::size_t i = 0; i < mesh.vertices.size(); ++i) {
    append_vertex(text, mesh, i);
    text += '\n';
  }
  return text;
}

}  // namespace p2mpp
