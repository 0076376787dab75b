#include "colours/mesh_colours.h"

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>

#include "image/srgb.h"
#include "p2mpp/mesh_texture.h"

namespace p2mpp {
namespace {

const std::uint8_t* read_texel(const Image& image, int row, int column) {
  return &image.rgba[4 * (static_cast<std::size_t>(row) * static_cast<std::size_t>(image.width) +
                          static_cast<std::size_t>(column))];
}

Image halve(const Image& image) {
  Image half{std::max(1, image.width / 2), std::max(1, image.height / 2), {}};
  half.rgba.reserve(4 * static_cast<std::size_t>(half.width) * static_cast<std::size_t>(half.height));
  for (int row = 0; row < half.height; ++row) {
    for (int column = 0; column < half.width; ++column) {
      std::array<float, 3> sum{};
      for (int k = 0; k < 4; ++k) {
        const std::uint8_t* texel = read_texel(image, std::min(2 * row + k / 2, image.height - 1),
                                               std::min(2 * column + k % 2, image.width - 1));
        for (std::size_t c = 0; c < 3; ++c) sum[c] += linear_from_srgb(texel[c]) / 4;
      }
      for (const float linear : sum) half.rgba.push_back(srgb_from_linear(linear));
      half.rgba.push_back(255);
    }
  }
  return half;
}

int repeated(int index, int size) { return ((index % size) + size) % size; }

}  // namespace

TextureLookup::TextureLookup(const Image& image) : levels_{image} {
  constexpr int kSmallest = 4;  // below, all charts are mixed
  while (std::min(levels_.back().width, levels_.back().height) > kSmallest) levels_.push_back(halve(levels_.back()));
}

Eigen::Vector3f TextureLookup::at(const Eigen::Vector2f& uv, float texels) const {
  const float level = std::log2(std::max(texels, 1.0F)) + 0.5F;
  const Image& image = levels_[std::min(static_cast<std::size_t>(level), levels_.size() - 1)];
  constexpr float kFarthest = 1e4F;  // repeats
  const Eigen::Vector2f place = uv.cwiseMax(-kFarthest).cwiseMin(kFarthest);
  const float x = place.x() * static_cast<float>(image.width) - 0.5F;
  const float y = place.y() * static_cast<float>(image.height) - 0.5F;
  const float left = std::floor(x), top = std::floor(y), s = x - left, t = y - top;
  Eigen::Vector3f colour = Eigen::Vector3f::Zero();
  for (int k = 0; k < 4; ++k) {
    const std::uint8_t* texel = read_texel(image, repeated(static_cast<int>(top) + k / 2, image.height),
                                           repeated(static_cast<int>(left) + k % 2, image.width));
    const float weight = (k % 2 == 0 ? 1 - s : s) * (k / 2 == 0 ? 1 - t : t);
    for (int c = 0; c < 3; ++c) colour[c] += weight * linear_from_srgb(texel[c]);
  }
  return colour;
}

bool has_normal_map(const TriangleMesh& mesh) { return mesh.texture && mesh.texture->normal_map.width > 0; }

bool has_texture(const TriangleMesh& mesh) {
  return mesh.texture && !mesh.triangles.empty() && mesh.texture->corners.size() == mesh.triangles.size() &&
         !mesh.texture->image.rgba.empty();
}

bool has_colours(const TriangleMesh& mesh) {
  return !mesh.vertices.empty() && mesh.colours.size() == mesh.vertices.size();
}

std::vector<std::array<Eigen::Vector2f, 3>> texture_corners(const TriangleMesh& mesh,
                                                            std::span<const Triangle> triangles) {
  std::vector<std::array<Eigen::Vector2f, 3>> corners = mesh.texture->corners;
  for (std::size_t t = 0; t < corners.size(); ++t) {
    if (triangles[t] == mesh.triangles[t]) continue;
    for (std::size_t i = 0; i < 3; ++i) {
      for (std::size_t k = 0; k < 3; ++k) {
        if (triangles[t][i] == mesh.triangles[t][k]) corners[t][i] = mesh.texture->corners[t][k];
      }
    }
  }
  return corners;
}

MeshColours::MeshColours(const TriangleMesh& mesh, std::span<const Triangle> triangles) {
  if (!has_texture(mesh)) {
    triangles_.assign(triangles.begin(), triangles.end());
    for (const Colour& colour : mesh.colours) {
      vertices_.emplace_back(linear_from_srgb(colour[0]), linear_from_srgb(colour[1]), linear_from_srgb(colour[2]));
    }
    return;
  }
  texture_.emplace(mesh.texture->image);
  corners_ = texture_corners(mesh, triangles);
  const float texels = static_cast<float>(texture_->width()) * static_cast<float>(texture_->height());
  for (std::size_t t = 0; t < triangles.size(); ++t) {
    const auto at = [&](std::size_t i) { return mesh.vertices[static_cast<std::size_t>(triangles[t][i])]; };
    const float area = (at(1) - at(0)).cross(at(2) - at(0)).norm();
    const Eigen::Vector2f b = corners_[t][1] - corners_[t][0], c = corners_[t][2] - corners_[t][0];
    const float covered = std::abs(b.x() * c.y() - b.y() * c.x()) * texels;
    texels_per_unit_.push_back(area > 0 ? std::sqrt(covered / area) : 0);
  }
}

Eigen::Vector3f MeshColours::at(std::uint32_t triangle, const std::array<float, 3>& weights, float spacing) const {
  if (texture_) {
    Eigen::Vector2f uv = Eigen::Vector2f::Zero();
    for (std::size_t i = 0; i < 3; ++i) uv += weights[i] * corners_[triangle][i];
    return texture_->at(uv, spacing * texels_per_unit_[triangle]);
  }
  Eigen::Vector3f colour = Eigen::Vector3f::Zero();
  for (std::size_t i = 0; i < 3; ++i) {
    colour += weights[i] * vertices_[static_cast<std::size_t>(triangles_[triangle][i])];
  }
  return colour;
}

}  // namespace p2mpp
