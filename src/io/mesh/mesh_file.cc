#include "io/mesh/mesh_file.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <optional>

#include "base/input_file.h"
#include "base/text.h"
#include "io/mesh/glb_file.h"
#include "io/mesh/obj_file.h"
#include "io/mesh/ply_file.h"
#include "io/mesh/stl_file.h"
#include "io/pickle/pickle.h"
#include "p2mpp/error.h"

namespace p2mpp {
namespace {

constexpr int kSignificantDigits = 9;             ///< enough to get the same float back
constexpr std::size_t kMaxNumberCharacters = 16;  ///< -1.23456789e-38
constexpr std::size_t kTypicalLineBytes = 40;

constexpr float kUnitTolerance = 0.1F;  ///< normals are written with few digits

/// Further columns are normals where every point has three of them that make a unit vector; else they are something
/// else, colours say.
void keep_only_normals(TriangleMesh& mesh) {
  const auto is_unit = [](const Eigen::Vector3f& v) { return std::abs(v.norm() - 1) <= kUnitTolerance; };
  if (mesh.normals.size() != mesh.vertices.size() || !std::ranges::all_of(mesh.normals, is_unit)) {
    mesh.normals = {};
  }
  for (Eigen::Vector3f& normal : mesh.normals) normal.normalize();
}

std::optional<Eigen::Vector3f> take_vector(std::string_view& line) {
  Eigen::Vector3f vector;
  for (float& component : vector) {
    component = static_cast<float>(parse_finite(take_column(line)).value_or(NAN));
    if (!std::isfinite(component)) return std::nullopt;
  }
  return vector;
}

Eigen::Vector3f take_point(std::string_view& line, const std::string& name, std::size_t number) {
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

TriangleMesh parse_xyz(std::string_view text, const std::string& name) {
  TriangleMesh cloud;
  LineReader lines(text);
  for (std::string_view line; lines.next(line);) {
    line = trimmed(without_comment(line));
    if (line.empty()) continue;
    cloud.vertices.push_back(take_point(line, name, lines.number()));
    if (const auto normal = take_vector(line)) cloud.normals.push_back(*normal);
  }
  if (cloud.vertices.empty()) throw InputError(fmt::format("{}: has no point; expected x y z a line", name));
  keep_only_normals(cloud);
  return cloud;
}

Eigen::Vector3f vector_at(const PickledArray& array, std::size_t index) {
  return {static_cast<float>(array.values[index]), static_cast<float>(array.values[index + 1]),
          static_cast<float>(array.values[index + 2])};
}

/// Columns of an [N,>=3] array: points, then perhaps normals.
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

TriangleMesh parse_dat(std::string_view bytes, const std::string& name) {
  const std::vector<PickledArray> arrays = parse_pickled_arrays(bytes, name);
  if (arrays.size() > 2) {
    throw InputError(fmt::format("{}: holds {} arrays; expected the points or a pair of which they are the second",
                                 name, arrays.size()));
  }
  return cloud_of_array(arrays.back(), name);
}

[[noreturn]] void refuse_extension(const std::filesystem::path& path, const char* expected) {
  throw InputError(
      fmt::format("{}: '{}' is not a known format; expected {}", display(path), lower_extension(path), expected));
}

void append(std::string& text, float value) {
  char buffer[kMaxNumberCharacters];
  const auto result =
      std::to_chars(std::begin(buffer), std::end(buffer), value, std::chars_format::general, kSignificantDigits);
  text.append(buffer, result.ptr);
}

void append(std::string& text, const Eigen::Vector3f& point) {
  append(text, point.x());
  text += ' ';
  append(text, point.y());
  text += ' ';
  append(text, point.z());
  text += '\n';
}

void append(std::string& text, const Triangle& triangle, bool with_normals) {
  text += 'f';
  for (const std::int32_t vertex : triangle) {
    char buffer[kMaxNumberCharacters];
    const std::string_view number(buffer,
                                  std::to_chars(std::begin(buffer), std::end(buffer), vertex + std::int64_t{1}).ptr);
    text.append(" ").append(number);
    if (with_normals) text.append("//").append(number);
  }
  text += '\n';
}

}  // namespace

TriangleMesh read_obj(const std::filesystem::path& path) { return parse_obj(read_file(path), display(path)); }

Points read_points(const std::filesystem::path& path) {
  const std::string extension = lower_extension(path);
  if (extension == ".ply") return parse_ply_points(read_file(path), display(path));
  return read_mesh(path).vertices;
}

TriangleMesh read_mesh(const std::filesystem::path& path) {
  const std::string extension = lower_extension(path);
  if (extension == ".obj") return read_obj(path);
  if (extension == ".ply") return parse_ply(read_file(path), display(path));
  if (extension == ".glb") return parse_glb(read_file(path), display(path));
  if (extension == ".stl") return parse_stl(read_file(path), display(path));
  if (extension == ".xyz") return parse_xyz(read_file(path), display(path));
  if (extension == ".dat") return parse_dat(read_file(path), display(path));
  refuse_extension(path, ".obj, .ply, .glb, .stl, .xyz or .dat");
}

std::string format_obj(const TriangleMesh& mesh, const std::string& comment) {
  std::string text;
  text.reserve((mesh.vertices.size() + mesh.triangles.size()) * kTypicalLineBytes);
  LineReader lines(comment);
  for (std::string_view line; lines.next(line);) text.append("# ").append(line).append("\n");
  for (const Eigen::Vector3f& vertex : mesh.vertices) {
    text += "v ";
    append(text, vertex);
  }
  for (const Eigen::Vector3f& normal : mesh.normals) {
    text += "vn ";
    append(text, normal);
  }
  for (const Triangle& triangle : mesh.triangles) append(text, triangle, !mesh.normals.empty());
  return text;
}

std::string format_xyz(const Points& points) {
  std::string text;
  text.reserve(points.size() * kTypicalLineBytes);
  for (const Eigen::Vector3f& point : points) append(text, point);
  return text;
}

}  // namespace p2mpp
