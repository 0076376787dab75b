#include "fit/mesh_silhouette.h"

namespace p2mpp {
namespace {

constexpr float kNotSeen = -1e9F;  ///< pixel of a vertex that is not in front of the camera

}  // namespace

ProjectedVertices project_vertices(std::span<const Eigen::Vector3f> vertices, const Pinhole<float>& camera) {
  ProjectedVertices projected;
  projected.in_camera.resize(vertices.size());
  projected.pixels.resize(vertices.size());
  const float nearest = 1e-4F * camera.centre.norm();
  for (std::size_t i = 0; i < vertices.size(); ++i) {
    const Eigen::Vector3f point = camera.cam_from_world(vertices[i]);
    projected.in_camera[i] = point;
    projected.pixels[i] = point.z() > nearest ? camera.pixel_of(point) : Eigen::Vector2f::Constant(kNotSeen);
  }
  return projected;
}

MeshSilhouette::MeshSilhouette(int size, int samples)
    : size_(size),
      samples_(samples),
      side_(size * samples),
      covered_(static_cast<std::size_t>(side_) * static_cast<std::size_t>(side_)) {}

void MeshSilhouette::draw(const ProjectedVertices& projected, std::span<const Triangle> triangles) {
  std::ranges::fill(covered_, std::uint8_t{0});
  const auto scale = static_cast<float>(samples_);
  for (const auto& [a, b, c] : triangles) {
    const Eigen::Vector2f& first = projected.pixels[static_cast<std::size_t>(a)];
    const Eigen::Vector2f& second = projected.pixels[static_cast<std::size_t>(b)];
    const Eigen::Vector2f& third = projected.pixels[static_cast<std::size_t>(c)];
    if (first.x() == kNotSeen || second.x() == kNotSeen || third.x() == kNotSeen) continue;
    for_each_span(first * scale, second * scale, third * scale, side_, [this](int row, int begin, int end) {
      std::uint8_t* line = &covered_[static_cast<std::size_t>(row) * static_cast<std::size_t>(side_)];
      std::fill(line + begin, line + end, std::uint8_t{1});
    });
  }
}

bool MeshSilhouette::covers(const Eigen::Vector2f& position) const {
  const float x = position.x() * static_cast<float>(samples_), y = position.y() * static_cast<float>(samples_);
  const auto limit = static_cast<float>(side_);
  if (!(x >= 0 && y >= 0 && x < limit && y < limit)) return false;
  return covered_[static_cast<std::size_t>(y) * static_cast<std::size_t>(side_) + static_cast<std::size_t>(x)] != 0;
}

bool MeshSilhouette::is_near_outline(const Eigen::Vector2f& position, int reach) const {
  const float x = position.x() * static_cast<float>(samples_), y = position.y() * static_cast<float>(samples_);
  const auto low = static_cast<float>(reach), high = static_cast<float>(side_ - reach - 1);
  if (!(x >= low && y >= low && x < high && y < high)) return true;
  const int row = static_cast<int>(y), column = static_cast<int>(x);
  for (int r = row - reach; r <= row + reach; ++r) {
    const std::uint8_t* line = &covered_[static_cast<std::size_t>(r) * static_cast<std::size_t>(side_)];
    for (int c = column - reach; c <= column + reach; ++c) {
      if (line[c] == 0) return true;
    }
  }
  return false;
}

double MeshSilhouette::overlap(std::span<const std::uint8_t> coverage, std::span<const std::uint8_t> unknown) const {
  const auto size = static_cast<std::size_t>(size_), side = static_cast<std::size_t>(side_),
             samples = static_cast<std::size_t>(samples_);
  const int full = samples_ * samples_;
  std::int64_t both = 0, either = 0;
  std::vector<std::int32_t> counts(size);
  for (std::size_t row = 0; row < size; ++row) {
    std::ranges::fill(counts, 0);
    for (std::size_t k = 0; k < samples; ++k) {
      const std::uint8_t* line = &covered_[(row * samples + k) * side];
      for (std::size_t column = 0; column < size; ++column) {
        for (std::size_t j = 0; j < samples; ++j) counts[column] += line[column * samples + j];
      }
    }
    std::int32_t smaller = 0, larger = 0;
    for (std::size_t column = 0; column < size; ++column) {
      if (!unknown.empty() && unknown[row * size + column] != 0) continue;
      const std::int32_t own = counts[column] * 255, given = coverage[row * size + column] * full;
      smaller += std::min(own, given);
      larger += std::max(own, given);
    }
    both += smaller;
    either += larger;
  }
  return either == 0 ? 1 : static_cast<double>(both) / static_cast<double>(either);
}

}  // namespace p2mpp
