#include "colours/tangents.h"

#include <Eigen/Geometry>
#include <cmath>

namespace p2mpp {
namespace {

/// Directions on the surface, along the picture's rows and up its columns.
struct PictureAxes {
  Eigen::Vector3f right = Eigen::Vector3f::Zero(), up = Eigen::Vector3f::Zero();
};

/// Of a triangle, times its area; zero if it has none in the picture.
PictureAxes axes_of(const SeamedMesh& mesh, const Triangle& triangle) {
  const auto place = [&](std::size_t i) { return mesh.mesh.vertices[static_cast<std::size_t>(triangle[i])]; };
  const auto uv = [&](std::size_t i) { return mesh.uvs[static_cast<std::size_t>(triangle[i])]; };
  const Eigen::Vector3f one = place(1) - place(0), two = place(2) - place(0);
  const Eigen::Vector2f a = uv(1) - uv(0), b = uv(2) - uv(0);
  const float area = a.x() * b.y() - a.y() * b.x();
  if (area == 0 || !std::isfinite(area)) return {};
  const float weight = one.cross(two).norm();
  const Eigen::Vector3f right = (one * b.y() - two * a.y()) / area, down = (two * a.x() - one * b.x()) / area;
  return {right.normalized() * weight, -down.normalized() * weight};
}

}  // namespace

std::vector<Eigen::Vector4f> tangents_of(const SeamedMesh& mesh) {
  std::vector<PictureAxes> sums(mesh.uvs.size());
  for (const Triangle& triangle : mesh.mesh.triangles) {
    const PictureAxes axes = axes_of(mesh, triangle);
    if (!axes.right.allFinite() || !axes.up.allFinite()) continue;
    for (const std::int32_t corner : triangle) {
      sums[static_cast<std::size_t>(corner)].right += axes.right;
      sums[static_cast<std::size_t>(corner)].up += axes.up;
    }
  }
  std::vector<Eigen::Vector4f> tangents;
  tangents.reserve(sums.size());
  for (std::size_t i = 0; i < sums.size(); ++i) {
    const Eigen::Vector3f& normal = mesh.mesh.normals[i];
    Eigen::Vector3f along = sums[i].right - normal * normal.dot(sums[i].right);
    if (!(along.squaredNorm() > 0)) along = normal.unitOrthogonal();
    along.stableNormalize();
    const float side = normal.cross(along).dot(sums[i].up) < 0 ? -1.0F : 1.0F;
    tangents.emplace_back(along.x(), along.y(), along.z(), side);
  }
  return tangents;
}

Eigen::Vector3f bitangent_of(const Eigen::Vector3f& normal, const Eigen::Vector4f& tangent) {
  return normal.cross(tangent.head<3>()) * tangent.w();
}

}  // namespace p2mpp
