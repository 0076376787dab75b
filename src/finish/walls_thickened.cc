#include "finish/walls_thickened.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "base/stop_token.h"
#include "finish/wall_thickness.h"
#include "fit/self_intersections.h"
#include "geometry/edge_uses.h"

namespace p2mpp {
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
