#include "render/shading.h"

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <numbers>

#include "base/parallel.h"
#include "geometry/edge_uses.h"

namespace p2mpp {
namespace {

constexpr std::size_t kDirections = 64;        ///< of the sky
constexpr std::size_t kFewestDirections = 16;  ///< above the vertices of huge meshes
constexpr std::size_t kMostRays = 4'000'000;
constexpr float kLift = 1e-3F;  ///< of the reach, above the surface: a ray must not meet where it begins

/// The share of directions around a unit normal that are blocked.
float blocked_share(const RayScene& scene, const Eigen::Vector3f& point, const Eigen::Vector3f& normal, float reach,
                    std::span<const Eigen::Vector3f> directions, std::vector<Ray>& rays) {
  const Eigen::Matrix3f basis = basis_around(normal);
  const Eigen::Vector3f origin = point + kLift * reach * normal;
  rays.clear();
  for (const Eigen::Vector3f& direction : directions) rays.push_back({origin, basis * direction, reach});
  return static_cast<float>(scene.count_blocked(rays)) / static_cast<float>(directions.size());
}

constexpr float kGroundMargin = 0.6F;  ///< of the ground around the box, of its diagonal
constexpr float kShadowReach = 0.7F;   ///< of shadows on the ground, of the box's diagonal
constexpr float kFaint = 0.03F;        ///< a shadow that nobody would miss, but whose border would be seen

/// Replaces each of side x side cells by the mean of its 3x3 neighbourhood, twice, which hides the steps of few
/// directions.
void blur(std::vector<float>& cells, std::size_t side) {
  for (int round = 0; round < 2; ++round) {
    const std::vector<float> sharp = cells;
    for (std::size_t row = 1; row + 1 < side; ++row) {
      for (std::size_t column = 1; column + 1 < side; ++column) {
        float sum = 0;
        for (std::size_t r = row - 1; r <= row + 1; ++r) {
          for (std::size_t c = column - 1; c <= column + 1; ++c) sum += sharp[r * side + c];
        }
        cells[row * side + column] = sum / 9;
      }
    }
  }
}

}  // namespace

std::vector<Eigen::Vector3f> cosine_directions(std::size_t count) {
  std::vector<Eigen::Vector3f> directions;
  for (std::size_t i = 0; i < count; ++i) {
    double bits = 0, weight = 0.5;
    for (std::size_t rest = i; rest > 0; rest >>= 1, weight /= 2) bits += weight * static_cast<double>(rest & 1);
    const double radius = std::sqrt((static_cast<double>(i) + 0.5) / static_cast<double>(count));
    const double angle = 2 * 3.14159265358979323846 * bits;
    directions.emplace_back(static_cast<float>(radius * std::cos(angle)), static_cast<float>(radius * std::sin(angle)),
                            static_cast<float>(std::sqrt(1 - radius * radius)));
  }
  return directions;
}

Eigen::Matrix3f basis_around(const Eigen::Vector3f& normal) {
  const float sign = std::copysign(1.0F, normal.z());
  const float a = -1 / (sign + normal.z());
  const float b = normal.x() * normal.y() * a;
  Eigen::Matrix3f basis;
  basis.col(0) << 1 + sign * normal.x() * normal.x() * a, sign * b, -sign * normal.x();
  basis.col(1) << b, sign + normal.y() * normal.y() * a, -normal.y();
  basis.col(2) = normal;
  return basis;
}

std::vector<float> sky_visibility(const RayScene& scene, std::span<const Eigen::Vector3f> points,
                                  std::span<const Eigen::Vector3f> normals, float reach, int threads) {
  // If vertices are closer than pixels, a pixel averages several, so fewer directions per vertex suffice.
  const std::size_t affordable = kMostRays / std::max<std::size_t>(points.size(), 1);
  const std::vector<Eigen::Vector3f> directions =
      cosine_directions(std::clamp(affordable, kFewestDirections, kDirections));
  std::vector<float> result(points.size(), 1.0F);
  for_each_piece(points.size(), threads, [&](std::size_t begin, std::size_t end) {
    std::vector<Ray> rays;
    for (std::size_t i = begin; i < end; ++i) {
      if (normals[i].isZero()) continue;
      result[i] = 1 - blocked_share(scene, points[i], normals[i], reach, directions, rays);
    }
  });
  return result;
}

GroundShadow::GroundShadow(const RayScene& scene, std::span<const Eigen::Vector3f> points, int threads) {
  Eigen::AlignedBox3f box;
  for (const Eigen::Vector3f& point : points) box.extend(point);
  const float size = std::max(box.diagonal().norm(), 1e-6F);
  height_ = box.min().y();
  left_ = box.min().x() - kGroundMargin * size;
  back_ = box.min().z() - kGroundMargin * size;
  cell_x_ = (box.sizes().x() + 2 * kGroundMargin * size) / (kCells - 1);
  cell_z_ = (box.sizes().z() + 2 * kGroundMargin * size) / (kCells - 1);
  const std::vector<Eigen::Vector3f> directions = cosine_directions(kDirections);
  shadow_.resize(kCells * kCells);
  for_each_piece(shadow_.size(), threads, [&](std::size_t begin, std::size_t end) {
    std::vector<Ray> rays;
    for (std::size_t i = begin; i < end; ++i) {
      const Eigen::Vector3f point(left_ + cell_x_ * static_cast<float>(i % kCells), height_,
                                  back_ + cell_z_ * static_cast<float>(i / kCells));
      shadow_[i] = blocked_share(scene, point, Eigen::Vector3f::UnitY(), kShadowReach * size, directions, rays);
    }
  });
  blur(shadow_, kCells);
  for (std::size_t i = 0; i < shadow_.size(); ++i) shadow_[i] = std::max(0.0F, shadow_[i] - kFaint) * fading(i);
}

/// 1 in the grid's middle, 0 at its border.
float GroundShadow::fading(std::size_t cell) {
  const auto from_border = [](std::size_t place) {
    const float distance = static_cast<float>(std::min(place, kCells - 1 - place)) / (0.25F * kCells);
    return std::min(1.0F, distance);
  };
  return from_border(cell % kCells) * from_border(cell / kCells);
}

float GroundShadow::at(float x, float z) const {
  const float column = (x - left_) / cell_x_, row = (z - back_) / cell_z_;
  if (!(column >= 0 && row >= 0 && column < kCells - 1 && row < kCells - 1)) return 0;
  const auto c = static_cast<std::size_t>(column), r = static_cast<std::size_t>(row);
  const float right = column - static_cast<float>(c), below = row - static_cast<float>(r);
  const auto cell = [&](std::size_t down, std::size_t across) { return shadow_[(r + down) * kCells + c + across]; };
  const float upper = cell(0, 0) * (1 - right) + cell(0, 1) * right;
  const float lower = cell(1, 0) * (1 - right) + cell(1, 1) * right;
  return upper * (1 - below) + lower * below;
}

namespace {

/// The triangles' normals, as long as twice their area [F].
Points area_normals(const TriangleMesh& mesh) {
  Points normals;
  normals.reserve(mesh.triangles.size());
  for (const Triangle& triangle : mesh.triangles) {
    const auto corner = [&](std::size_t i) { return mesh.vertices[static_cast<std::size_t>(triangle[i])]; };
    normals.emplace_back((corner(1) - corner(0)).cross(corner(2) - corner(0)));
  }
  return normals;
}

constexpr float kKey = 0.80F, kFill = 0.16F, kSkyAbove = 0.36F, kSkyBelow = 0.14F, kRim = 0.08F;

}  // namespace

Points corner_normals(const TriangleMesh& mesh, float crease_deg) {
  constexpr std::size_t kLargestFan = 64;  // with more triangles (the tip of a cone), all count
  const Points areas = area_normals(mesh);
  Points units = areas;
  for (Eigen::Vector3f& unit : units) unit.stableNormalize();
  const TriangleFans fans = triangle_fans(mesh.triangles, mesh.vertices.size());
  const float least_cosine = std::cos(crease_deg * std::numbers::pi_v<float> / 180) - 1e-6F;
  const auto mean_over = [&](std::span<const std::uint32_t> fan, const auto& counts) {
    Eigen::Vector3f sum = Eigen::Vector3f::Zero();
    for (const std::uint32_t other : fan) {
      if (counts(other)) sum += areas[other];
    }
    return sum.stableNormalized().eval();
  };
  Points of_large_fans(mesh.vertices.size());  // once a vertex, because a mean at each of its corners takes too long
  for (std::size_t vertex = 0; vertex < mesh.vertices.size(); ++vertex) {
    if (fans.of(vertex).size() <= kLargestFan) continue;
    of_large_fans[vertex] = mean_over(fans.of(vertex), [](std::uint32_t) { return true; });
  }
  Points normals;
  normals.reserve(3 * mesh.triangles.size());
  for (std::size_t t = 0; t < mesh.triangles.size(); ++t) {
    for (const std::int32_t corner : mesh.triangles[t]) {
      const auto vertex = static_cast<std::size_t>(corner);
      const std::span<const std::uint32_t> fan = fans.of(vertex);
      normals.push_back(fan.size() > kLargestFan ? of_large_fans[vertex] : mean_over(fan, [&](std::uint32_t other) {
        return units[t].dot(units[other]) >= least_cosine;
      }));
    }
  }
  return normals;
}

Lights::Lights(const Eigen::Matrix3d& axes)
    : key_((axes.transpose() * Eigen::Vector3d(-0.55, 0.75, 0.60)).normalized().cast<float>()),
      fill_((axes.transpose() * Eigen::Vector3d(0.80, 0.10, 0.55)).normalized().cast<float>()) {}

Eigen::Vector3f Lights::shade(const SurfacePoint& point) const {
  const float open = point.sky_visibility;
  const float sky = kSkyBelow + (kSkyAbove - kSkyBelow) * (0.5F + 0.5F * point.normal.y());
  // Occluded points also receive less direct light.
  const float lamps = kKey * std::max(0.0F, point.normal.dot(key_)) + kFill * std::max(0.0F, point.normal.dot(fill_));
  const float grazing = 1 - std::clamp(point.normal.dot(point.to_viewer), 0.0F, 1.0F);
  const float rim = kRim * grazing * grazing * grazing * open;
  return point.colour * (sky * open + lamps * (0.35F + 0.65F * open)) + Eigen::Vector3f::Constant(rim);
}

}  // namespace p2mpp
