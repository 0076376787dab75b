#include "colours/uv_seams.h"

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

namespace p2mpp {
namespace {

/// Copies of vertices by their place in the picture: a chain from each given vertex.
class SeamSplitter {
 public:
  explicit SeamSplitter(const TriangleMesh& mesh)
      : next_(mesh.vertices.size(), kNone), is_placed_(mesh.vertices.size(), false) {
    result_.mesh = mesh;
    result_.mesh.texture = nullptr;
    result_.uvs.resize(mesh.vertices.size(), Eigen::Vector2f::Zero());
  }

  SeamedMesh split(const MeshTexture& texture) {
    for (std::size_t t = 0; t < result_.mesh.triangles.size(); ++t) {
      for (std::size_t corner = 0; corner < 3; ++corner) {
        const auto vertex = static_cast<std::size_t>(result_.mesh.triangles[t][corner]);
        result_.mesh.triangles[t][corner] = static_cast<std::int32_t>(vertex_at(vertex, texture.corners[t][corner]));
      }
    }
    return std::move(result_);
  }

 private:
  static constexpr std::size_t kNone = static_cast<std::size_t>(-1);

  std::size_t vertex_at(std::size_t vertex, const Eigen::Vector2f& uv) {
    if (!is_placed_[vertex]) {
      is_placed_[vertex] = true;
      result_.uvs[vertex] = uv;
      return vertex;
    }
    while (result_.uvs[vertex] != uv) {
      if (next_[vertex] == kNone) return append_copy(vertex, uv);
      vertex = next_[vertex];
    }
    return vertex;
  }

  std::size_t append_copy(std::size_t vertex, const Eigen::Vector2f& uv) {
    TriangleMesh& mesh = result_.mesh;
    const std::size_t copy = mesh.vertices.size();
    next_[vertex] = copy;
    next_.push_back(kNone);
    is_placed_.push_back(true);
    result_.uvs.push_back(uv);
    mesh.vertices.push_back(Eigen::Vector3f(mesh.vertices[vertex]));
    if (!mesh.normals.empty()) mesh.normals.push_back(Eigen::Vector3f(mesh.normals[vertex]));
    if (!mesh.colours.empty()) mesh.colours.push_back(Colour(mesh.colours[vertex]));
    return copy;
  }

  SeamedMesh result_;
  std::vector<std::size_t> next_;
  std::vector<bool> is_placed_;
};

/// The pixel at a place of the picture, which repeats.
Colour colour_at(const Image& image, const Eigen::Vector2f& uv) {
  const auto pixel = [](float at, int size) {
    const float inside = std::isfinite(at) ? (at == 1 ? 1 : at - std::floor(at)) : 0;
    return std::clamp(static_cast<int>(inside * static_cast<float>(size)), 0, size - 1);
  };
  const auto column = static_cast<std::size_t>(pixel(uv.x(), image.width));
  const auto row = static_cast<std::size_t>(pixel(uv.y(), image.height));
  const std::uint8_t* rgba = &image.rgba[4 * (row * static_cast<std::size_t>(image.width) + column)];
  return {rgba[0], rgba[1], rgba[2]};
}

}  // namespace

SeamedMesh split_at_seams(const TriangleMesh& mesh) { return SeamSplitter(mesh).split(*mesh.texture); }

UniqueUvs unique_uvs(const MeshTexture& texture) {
  UniqueUvs unique;
  std::map<std::pair<float, float>, std::int32_t> numbers;
  unique.corners.reserve(texture.corners.size());
  for (const std::array<Eigen::Vector2f, 3>& corners : texture.corners) {
    Triangle& of = unique.corners.emplace_back();
    for (std::size_t i = 0; i < 3; ++i) {
      const auto next = static_cast<std::int32_t>(unique.uvs.size());
      const auto [known, is_new] = numbers.try_emplace({corners[i].x(), corners[i].y()}, next);
      if (is_new) unique.uvs.push_back(corners[i]);
      of[i] = known->second;
    }
  }
  return unique;
}

std::vector<Colour> colours_of_texture(const TriangleMesh& mesh) {
  struct Sum {
    std::array<unsigned, 3> channels = {};
    unsigned count = 0;
  };
  std::vector<Sum> sums(mesh.vertices.size());
  for (std::size_t t = 0; t < mesh.triangles.size(); ++t) {
    for (std::size_t corner = 0; corner < 3; ++corner) {
      const Colour colour = colour_at(mesh.texture->image, mesh.texture->corners[t][corner]);
      Sum& sum = sums[static_cast<std::size_t>(mesh.triangles[t][corner])];
      for (std::size_t i = 0; i < 3; ++i) sum.channels[i] += colour[i];
      ++sum.count;
    }
  }
  std::vector<Colour> colours(sums.size(), Colour{});
  for (std::size_t v = 0; v < sums.size(); ++v) {
    const unsigned count = std::max(sums[v].count, 1U);
    for (std::size_t i = 0; i < 3; ++i) {
      colours[v][i] = static_cast<std::uint8_t>((sums[v].channels[i] + count / 2) / count);
    }
  }
  return colours;
}

namespace {

/// Directions on the surface, along the picture's rows and up its columns.
struct PictureAxes {
  Eigen::Vector3f right = Eigen::Vector3f::Zero(), up = Eigen::Vector3f::Zero();
};

/// Of a triangle, times its area; zero if it has none in the picture.
PictureAxes texture_axes(const SeamedMesh& mesh, const Triangle& triangle) {
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

std::vector<Eigen::Vector4f> make_tangents(const SeamedMesh& mesh) {
  std::vector<PictureAxes> sums(mesh.uvs.size());
  for (const Triangle& triangle : mesh.mesh.triangles) {
    const PictureAxes axes = texture_axes(mesh, triangle);
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

Eigen::Vector3f make_bitangent(const Eigen::Vector3f& normal, const Eigen::Vector4f& tangent) {
  return normal.cross(tangent.head<3>()) * tangent.w();
}

}  // namespace p2mpp
