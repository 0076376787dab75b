#include "finish/wall_thickness.h"

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <limits>

#include "base/parallel.h"
#include "base/thread_scopes.h"
#include "fit/self_intersections.h"
#include "geometry/edge_uses.h"
#include "geometry/points.h"

namespace p2mpp {
namespace {

constexpr float kParallel = 0.866F;     ///< cosine of the largest angle between the sides of a wall
constexpr float kLead = 1e-5F;          ///< of the mesh's diagonal
constexpr float kSpacing = 1.0F / 300;  ///< of measured places, of the diagonal
constexpr int kMostDivisions = 256;     ///< of a triangle's side

std::array<Eigen::Vector3f, 3> corners_at(const TriangleMesh& mesh, const Triangle& triangle) {
  return {mesh.vertices[static_cast<std::size_t>(triangle[0])], mesh.vertices[static_cast<std::size_t>(triangle[1])],
          mesh.vertices[static_cast<std::size_t>(triangle[2])]};
}

Eigen::Vector3f triangle_normal(const std::array<Eigen::Vector3f, 3>& corners) {
  return (corners[1] - corners[0]).cross(corners[2] - corners[0]).stableNormalized();
}

/// The centres of a triangle's parts: at least one, and about `spacing` apart.
void append_places(const std::array<Eigen::Vector3f, 3>& corners, float spacing, Points& places) {
  const Eigen::Vector3f &a = corners[0], &b = corners[1], &c = corners[2];
  const float longest = std::sqrt(std::max({(b - a).squaredNorm(), (c - b).squaredNorm(), (a - c).squaredNorm()}));
  const int parts = std::clamp(static_cast<int>(std::ceil(longest / spacing)), 1, kMostDivisions);
  const auto place = [&](int i, int j, float part) {  // in thirds of a part, from the first corner
    const float u = (static_cast<float>(i) + part) / static_cast<float>(parts),
                v = (static_cast<float>(j) + part) / static_cast<float>(parts);
    places.push_back(a + u * (b - a) + v * (c - a));
  };
  constexpr float kThird = 1.0F / 3;
  for (int i = 0; i < parts; ++i) {
    for (int j = 0; i + j < parts; ++j) {
      place(i, j, kThird);
      if (i + j + 1 < parts) place(i, j, 2 * kThird);
    }
  }
}

}  // namespace

WallGauge::WallGauge(const TriangleMesh& mesh)
    : scene_({mesh.vertices, mesh.triangles}, 0), lead_(kLead * box_of(mesh.vertices).diagonal().norm()) {
  normals_.reserve(mesh.triangles.size());
  for (const Triangle& triangle : mesh.triangles) normals_.push_back(triangle_normal(corners_at(mesh, triangle)));
}

std::vector<float> WallGauge::thickness(std::span<const Eigen::Vector3f> places,
                                        std::span<const Eigen::Vector3f> inward, int threads) const {
  std::vector<float> found(places.size(), std::numeric_limits<float>::infinity());
  for_each_piece(places.size(), threads, [&](std::size_t begin, std::size_t end) {
    std::vector<Ray> rays;
    for (std::size_t i = begin; i < end; ++i) rays.push_back({places[i] + lead_ * inward[i], inward[i]});
    std::vector<RayHit> hits(rays.size());
    scene_.intersect(rays, hits);
    for (std::size_t i = begin; i < end; ++i) {
      const RayHit& hit = hits[i - begin];
      if (hit.hit() && normals_[hit.primitive].dot(inward[i]) > kParallel) found[i] = lead_ + hit.distance;
    }
  });
  return found;
}

MeasuredWalls measure_walls(const TriangleMesh& mesh, const WallGauge& gauge, int threads) {
  const float spacing = kSpacing * box_of(mesh.vertices).diagonal().norm();
  MeasuredWalls walls;
  Points inward;
  for (std::size_t t = 0; t < mesh.triangles.size(); ++t) {
    if (gauge.normal(t).isZero(0)) continue;
    append_places(corners_at(mesh, mesh.triangles[t]), spacing, walls.places);
    walls.triangles.resize(walls.places.size(), t);
    inward.resize(walls.places.size(), -gauge.normal(t));
  }
  walls.thickness = gauge.thickness(walls.places, inward, threads);
  return walls;
}

std::optional<ThinnestWall> thinnest_wall(const TriangleMesh& mesh, int threads) {
  const MeasuredWalls walls = measure_walls(mesh, WallGauge(mesh), threads);
  const auto least = std::ranges::min_element(walls.thickness);
  if (least == walls.thickness.end() || !std::isfinite(*least)) return std::nullopt;
  return ThinnestWall{*least, walls.places[static_cast<std::size_t>(least - walls.thickness.begin())].cast<double>()};
}

namespace {

class WallThickener {
 public:
  WallThickener(TriangleMesh mesh, float wall, int threads)
      : mesh_(std::move(mesh)),
        wall_(wall),
        threads_(threads),
        fans_(triangle_fans(mesh_.triangles, mesh_.vertices.size())) {}

  TriangleMesh run() {
    constexpr int kRounds = 12;
    for (int round = 0; round < kRounds; ++round) {
      end_if_stopped();
      const WallGauge gauge(mesh_);
      const std::vector<float> wanted = wanted_of_faces(gauge);
      if (std::ranges::all_of(wanted, [](float way) { return way == 0; })) break;
      if (!move(tapered(ways_of_vertices(gauge, wanted)))) break;
    }
    return std::move(mesh_);
  }

 private:
  [[nodiscard]] bool is_on_ground(std::size_t vertex) const { return mesh_.vertices[vertex].z() == 0; }
  [[nodiscard]] bool is_on_ground(const Triangle& triangle) const {
    return std::ranges::all_of(triangle, [&](std::int32_t v) { return is_on_ground(static_cast<std::size_t>(v)); });
  }

  /// How far each face must move outward: half of what its wall lacks. The other side moves, too.
  [[nodiscard]] std::vector<float> wanted_of_faces(const WallGauge& gauge) const {
    constexpr float kTolerance = 0.005F;  // of the wall
    const MeasuredWalls walls = measure_walls(mesh_, gauge, threads_);
    std::vector<float> wanted(mesh_.triangles.size(), 0);
    for (std::size_t i = 0; i < walls.places.size(); ++i) {
      const std::size_t face = walls.triangles[i];
      if (walls.thickness[i] >= (1 - kTolerance) * wall_ || is_on_ground(mesh_.triangles[face])) continue;
      wanted[face] = std::max(wanted[face], (wall_ - walls.thickness[i]) / 2);
    }
    return wanted;
  }

  /// The ways along which each vertex moves its faces as far as they want: Kaczmarz' iteration.
  [[nodiscard]] Points ways_of_vertices(const WallGauge& gauge, const std::vector<float>& wanted) const {
    constexpr int kSweeps = 4;
    Points ways(mesh_.vertices.size(), Eigen::Vector3f::Zero());
    for (std::size_t v = 0; v < ways.size(); ++v) {
      float most = 0;
      for (int sweep = 0; sweep < kSweeps; ++sweep) {
        for (const std::uint32_t face : fans_.of(v)) {
          const float lacking = wanted[face] - ways[v].dot(gauge.normal(face));
          if (wanted[face] == 0 || lacking <= 0) continue;
          ways[v] += lacking * gauge.normal(face);
          most = std::max(most, wanted[face]);
        }
      }
      // At a sharp edge, the way would be long and would leave the edge as sharp.
      constexpr float kMostStretch = 1.5F;
      if (const float length = ways[v].norm(); length > kMostStretch * most) ways[v] *= kMostStretch * most / length;
    }
    return ways;
  }

  /// Around thin walls, the surface follows a little.
  [[nodiscard]] Points tapered(Points ways) const {
    constexpr int kRings = 3;
    for (int ring = 0; ring < kRings; ++ring) {
      Points next = ways;
      for (std::size_t v = 0; v < ways.size(); ++v) {
        if (!ways[v].isZero(0)) continue;
        Eigen::Vector3f sum = Eigen::Vector3f::Zero();
        float count = 0;
        for (const std::uint32_t face : fans_.of(v)) {
          for (const std::int32_t other : mesh_.triangles[face]) sum += ways[static_cast<std::size_t>(other)];
          count += 2;
        }
        if (count > 0) next[v] = sum / (2 * count);
      }
      ways = std::move(next);
    }
    return ways;
  }

  [[nodiscard]] Eigen::Vector3f moved_vertex(std::size_t v, const Eigen::Vector3f& way) const {
    Eigen::Vector3f place = mesh_.vertices[v] + way;
    const float height = mesh_.vertices[v].z();
    if (height == 0) place.z() = 0;
    if (height > 0) place.z() = std::max(place.z(), height / 2);
    return place;
  }

  /// Moves vertices, but for those around which faces would come too close to others. False if none moves.
  bool move(const Points& ways) {
    constexpr float kGap = 0.02F;  // of the wall
    Points places(ways.size());
    for (std::size_t v = 0; v < ways.size(); ++v) places[v] = moved_vertex(v, ways[v]);
    const Contacts before = find_contacts(mesh_.vertices, mesh_.triangles, kGap * wall_, threads_);
    constexpr int kTrials = 10;
    for (int trial = 0; trial < kTrials; ++trial) {
      const Contacts after = find_contacts(places, mesh_.triangles, kGap * wall_, threads_);
      if (!before.is_complete || !after.is_complete) return false;
      bool is_free = true;
      for (std::size_t face = 0; face < mesh_.triangles.size(); ++face) {
        if (after.of_triangles[face] <= before.of_triangles[face]) continue;
        is_free = false;
        for (const std::int32_t vertex : mesh_.triangles[face]) {
          places[static_cast<std::size_t>(vertex)] = mesh_.vertices[static_cast<std::size_t>(vertex)];
        }
      }
      if (!is_free) continue;
      const bool moves = places != mesh_.vertices;
      mesh_.vertices = std::move(places);
      return moves;
    }
    return false;
  }

  TriangleMesh mesh_;
  float wall_;
  int threads_;
  TriangleFans fans_;
};

}  // namespace

TriangleMesh with_thick_walls(TriangleMesh mesh, double wall, int threads) {
  mesh.normals.clear();
  return WallThickener(std::move(mesh), static_cast<float>(wall), threads).run();
}

}  // namespace p2mpp
