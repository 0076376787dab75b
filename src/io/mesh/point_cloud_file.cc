#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <optional>

#include "base/text.h"
#include "io/mesh/mesh_formats.h"
#include "io/pickle/pickle.h"
#include "p2mpp/error.h"

namespace p2mpp {
namespace {

constexpr int kSignificantDigits = 9;            ///< enough to get the same float back
constexpr std::size_t kMaxFloatCharacters = 16;  ///< -1.23456789e-38
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

Eigen::Vector3f parse_point(std::string_view& line, const std::string& name, std::size_t number) {
  Eigen::Vector3f point;
  for (float& coordinate : point) {
    const std::string_view column = take_column(line);
    coordinate = static_cast<float>(parse_finite(column).value_or(NAN));
    if (!std::isfinite(coordinate)) {
      throw InputError(fmt::format("{}:{}: '{}' where a coordinate should be; expected three finite numbers", name,
                                   number, printable(column, 40)));
    }
  }
  return point;
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

void append(std::string& text, float value) {
  char buffer[kMaxFloatCharacters];
  const auto result =
      std::to_chars(std::begin(buffer), std::end(buffer), value, std::chars_format::general, kSignificantDigits);
  text.append(buffer, result.ptr);
}

}  // namespace

TriangleMesh parse_xyz(std::string_view text, const std::string& name) {
  TriangleMesh cloud;
  LineReader lines(text);
  for (std::string_view line; lines.next(line);) {
    line = trimmed(without_comment(line));
    if (line.empty()) continue;
    cloud.vertices.push_back(parse_point(line, name, lines.number()));
    if (const auto normal = parse_vector(line)) cloud.normals.push_back(*normal);
  }
  if (cloud.vertices.empty()) throw InputError(fmt::format("{}: has no point; expected x y z a line", name));
  keep_only_normals(cloud);
  return cloud;
}

TriangleMesh parse_dat(std::string_view bytes, const std::string& name) {
  const std::vector<PickledArray> arrays = parse_pickled_arrays(bytes, name);
  if (arrays.size() > 2) {
    throw InputError(fmt::format("{}: holds {} arrays; expected the points or a pair of which they are the second",
                                 name, arrays.size()));
  }
  return cloud_of_array(arrays.back(), name);
}

void append_coordinates(std::string& text, const Eigen::Vector3f& point) {
  append(text, point.x());
  text += ' ';
  append(text, point.y());
  text += ' ';
  append(text, point.z());
  text += '\n';
}

std::string format_xyz(const Points& points) {
  std::string text;
  text.reserve(points.size() * kTypicalPointBytes);
  for (const Eigen::Vector3f& point : points) append_coordinates(text, point);
  return text;
}

}  // namespace p2mpp
