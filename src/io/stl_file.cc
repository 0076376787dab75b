#include "io/stl_file.h"

#include <Eigen/Geometry>

#include "io/little_endian.h"

namespace p2mpp {
namespace {

constexpr std::size_t kHeaderBytes = 80, kTriangleBytes = 50;

void append(std::string& bytes, const Eigen::Vector3f& vector) {
  for (const float component : vector) append_little_endian(bytes, component);
}

}  // namespace

std::string format_stl(const TriangleMesh& mesh) {
  std::string bytes = "binary STL by p2mpp";  // "solid" at the front would make it a text
  bytes.reserve(kHeaderBytes + 4 + kTriangleBytes * mesh.triangles.size());
  bytes.resize(kHeaderBytes, ' ');
  append_little_endian(bytes, static_cast<std::uint32_t>(mesh.triangles.size()));
  for (const Triangle& triangle : mesh.triangles) {
    const auto corner = [&](std::size_t i) { return mesh.vertices[static_cast<std::size_t>(triangle[i])]; };
    const Eigen::Vector3d along = (corner(1) - corner(0)).cast<double>(),
                          across = (corner(2) - corner(0)).cast<double>();
    append(bytes, along.cross(across).stableNormalized().cast<float>());
    for (std::size_t i = 0; i < 3; ++i) append(bytes, corner(i));
    append_little_endian(bytes, std::uint16_t{0});
  }
  return bytes;
}

}  // namespace p2mpp
