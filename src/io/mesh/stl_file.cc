#include <fmt/format.h>

#include <Eigen/Geometry>
#include <bit>
#include <map>
#include <tuple>

#include "base/little_endian.h"
#include "io/mesh/mesh_formats.h"
#include "p2mpp/error.h"

namespace p2mpp {
namespace {

constexpr std::size_t kHeaderBytes = 80, kTriangleBytes = 50;

Eigen::Vector3f vector_at(std::string_view bytes, std::size_t place) {
  Eigen::Vector3f vector;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    const auto word = static_cast<std::uint32_t>(little_endian(bytes.substr(place + 4 * axis, 4)));
    vector[static_cast<int>(axis)] = std::bit_cast<float>(word);
  }
  return vector;
}

// Compares the header with the number of bytes.
std::size_t checked_triangle_count(std::string_view bytes, const std::string& name) {
  const auto refuse = [&](std::string_view what) {
    throw InputError(fmt::format("{}: {}; expected a binary STL with triangles", name, what));
  };
  const std::size_t head = kHeaderBytes + 4;
  const std::size_t count = bytes.size() < head ? 0 : little_endian(bytes.substr(kHeaderBytes, 4));
  if (bytes.size() == head + count * kTriangleBytes && count > 0) return count;
  if (bytes.starts_with("solid")) refuse("is a text");
  if (bytes.size() < head) refuse("is cut off");
  if (count == 0) refuse("has no triangle");
  refuse(fmt::format("has {} bytes where {} triangles take {}", bytes.size(), count, head + count * kTriangleBytes));
  return 0;
}

}  // namespace

TriangleMesh parse_stl(std::string_view bytes, const std::string& name) {
  const std::size_t count = checked_triangle_count(bytes, name);
  TriangleMesh mesh;
  std::map<std::tuple<float, float, float>, std::int32_t> vertices;
  for (std::size_t t = 0; t < count; ++t) {
    Triangle& triangle = mesh.triangles.emplace_back();
    for (std::size_t corner = 0; corner < 3; ++corner) {
      const Eigen::Vector3f place = vector_at(bytes, kHeaderBytes + 4 + t * kTriangleBytes + 12 * (corner + 1));
      if (!place.allFinite()) {
        throw InputError(fmt::format("{}: triangle {} is not finite; expected finite coordinates", name, t));
      }
      const auto [known, is_new] = vertices.emplace(std::tuple(place.x(), place.y(), place.z()),
                                                    static_cast<std::int32_t>(mesh.vertices.size()));
      if (is_new) mesh.vertices.push_back(place);
      triangle[corner] = known->second;
    }
  }
  return mesh;
}

std::string format_stl(const TriangleMesh& mesh, const std::string& comment) {
  std::string bytes = "binary STL by p2mpp";  // must not begin with "solid", which marks a text STL
  if (const std::size_t frame = comment.rfind(", frame "); frame != std::string::npos) bytes += comment.substr(frame);
  bytes.reserve(kHeaderBytes + 4 + kTriangleBytes * mesh.triangles.size());
  bytes.resize(kHeaderBytes, ' ');
  append_little_endian(bytes, static_cast<std::uint32_t>(mesh.triangles.size()));
  for (const Triangle& triangle : mesh.triangles) {
    const auto corner = [&](std::size_t i) { return mesh.vertices[static_cast<std::size_t>(triangle[i])]; };
    const Eigen::Vector3d along = (corner(1) - corner(0)).cast<double>(),
                          across = (corner(2) - corner(0)).cast<double>();
    append_little_endian(bytes, along.cross(across).stableNormalized().cast<float>().eval());
    for (std::size_t i = 0; i < 3; ++i) append_little_endian(bytes, corner(i));
    append_little_endian(bytes, std::uint16_t{0});
  }
  return bytes;
}

}  // namespace p2mpp
