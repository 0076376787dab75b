#include "surface/plain_areas.h"

#include <Eigen/Geometry>
#include <Eigen/IterativeLinearSolvers>
#include <Eigen/SparseCore>
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <numbers>
#include <numeric>
#include <utility>
#include <vector>

#include "base/parallel.h"
#include "base/thread_scopes.h"
#include "fit/fit_guards.h"
#include "fit/fit_surface.h"
#include "fit/self_intersections.h"
#include "geometry/intersection/triangle_intersection.h"
#include "geometry/points.h"
#include "image/reduced_view.h"
#include "surface/surface_raster.h"

namespace p2mpp {
namespace {

constexpr double kSmoothedWave = 1;  ///< of the diagonal: shorter waves of a plain area go, longer ones stay in part
constexpr double kEdgeContrast = 4;  ///< of 255: a difference of brightness that lets the surface bend
constexpr double kFold = 0.25;       ///< radians between the normals of neighbours at an edge of the object
constexpr double kHeldWeight = 3e4;  ///< of a vertex on an outline; 1 for others
constexpr double kPatternedWeight = 100;  ///< of a vertex that has a pattern all around
constexpr double kOnOutline = 0.4;        ///< pixels from an outline
constexpr double kLongestWay = 0.04;      ///< of the diagonal
constexpr int kBendingRounds = 3;         ///< in which folds are looked at again

using BendingMatrix = Eigen::SparseMatrix<double>;
using Eigen::Vector3d;

/// Two neighbouring triangles.
struct Hinge {
  std::array<std::int32_t, 4> corners{};  ///< the ends of the common side; the corners across it, left and right
  std::size_t left = 0, right = 0;        ///< triangles
};

std::int32_t corner_across(const Triangle& triangle, const Edge& edge) {
  return *std::ranges::find_if(triangle, [&](std::int32_t c) { return c != edge[0] && c != edge[1]; });
}

std::vector<Hinge> find_hinges(const FitSurface& surface) {
  std::vector<Hinge> hinges;
  for (const SurfaceEdge& each : surface.edges()) {
    if (each.left == each.right) continue;
    const auto across = [&](std::size_t triangle) { return corner_across(surface.triangles()[triangle], each.edge); };
    hinges.push_back({{each.edge[0], each.edge[1], across(each.left), across(each.right)}, each.left, each.right});
  }
  return hinges;
}

/// The brightness of a view where it shows the middle of each triangle well; NaN elsewhere. `nearest`: the difference
/// of depths below which a place is not hidden.
std::vector<float> brightness_of_triangles(const FitSurface& surface, std::span<const Eigen::Vector3f> vertices,
                                           const MaskView& view, float nearest) {
  constexpr float kLeastFacing = 0.2F, kInside = 1.5F;  // the cosine to a ray; pixels from the outline
  std::vector<float> found(surface.triangles().size(), kUnknown);
  const Pinhole<float>& camera = view.float_camera();
  const SurfaceRaster raster = rasterise(vertices, surface.triangles(), camera, view.width);
  const auto side = static_cast<std::size_t>(view.width);
  for (std::size_t i = 0; i < found.size(); ++i) {
    const auto corner = [&](std::size_t k) { return vertices[static_cast<std::size_t>(surface.triangles()[i][k])]; };
    const Eigen::Vector3f middle = (corner(0) + corner(1) + corner(2)) / 3;
    const Eigen::Vector3f seen = camera.cam_from_world(middle);
    if (!(seen.z() > 0)) continue;
    const Eigen::Vector2f pixel = camera.pixel_of(seen), at = pixel - Eigen::Vector2f::Constant(0.5F);
    const auto most = static_cast<float>(view.width - 1);
    if (!(at.x() >= 0 && at.y() >= 0 && at.x() < most && at.y() < most)) continue;
    if (view.distance_at(pixel.x(), pixel.y()) < kInside) continue;
    const Eigen::Vector3f normal = (corner(1) - corner(0)).cross(corner(2) - corner(0));
    const Eigen::Vector3f ray = middle - camera.centre;
    if (!(normal.dot(ray) < -kLeastFacing * normal.norm() * ray.norm())) continue;
    const std::size_t here = static_cast<std::size_t>(pixel.y()) * side + static_cast<std::size_t>(pixel.x());
    if (!(raster.nearness[here] > 0) || seen.z() > 1 / raster.nearness[here] + nearest) continue;
    const auto column = static_cast<std::size_t>(at.x()), row = static_cast<std::size_t>(at.y());
    const auto value = [&](std::size_t k) { return static_cast<float>(view.brightness[row * side + column + k]); };
    const float s = at.x() - static_cast<float>(column), t = at.y() - static_cast<float>(row);
    found[i] = std::lerp(std::lerp(value(0), value(1), s), std::lerp(value(side), value(side + 1), s), t);
  }
  return found;
}

/// The mean difference of brightness across each hinge, in the views that show both sides; NaN: none does.
std::vector<float> contrasts(const FitSurface& surface, const std::vector<Hinge>& hinges,
                             std::span<const Eigen::Vector3f> vertices, std::span<const MaskView> views, float nearest,
                             int threads) {
  std::vector<float> sums(hinges.size(), 0), counts(hinges.size(), 0);
  constexpr std::size_t kAtOnce = 8;  // memory
  for (std::size_t begin = 0; begin < views.size(); begin += kAtOnce) {
    std::vector<std::vector<float>> found(std::min(kAtOnce, views.size() - begin));
    for_each_task(found.size(), threads, [&](std::size_t i) {
      const MaskView& view = views[begin + i];
      if (!view.brightness.empty()) found[i] = brightness_of_triangles(surface, vertices, view, nearest);
    });
    for (const std::vector<float>& brightness : found) {
      for (std::size_t i = 0; i < hinges.size() && !brightness.empty(); ++i) {
        const float difference = std::fabs(brightness[hinges[i].left] - brightness[hinges[i].right]);
        if (std::isnan(difference)) continue;
        sums[i] += difference;
        counts[i] += 1;
      }
    }
  }
  for (std::size_t i = 0; i < sums.size(); ++i) sums[i] /= counts[i];  // or not a number
  return sums;
}

/// 1 where a mask shows its outline at a vertex.
std::vector<std::uint8_t> held_vertices(std::span<const Eigen::Vector3f> vertices, std::span<const MaskView> views,
                                        int threads) {
  std::vector<std::uint8_t> held(vertices.size(), 0);
  for_each_task(vertices.size(), threads, [&](std::size_t i) {
    held[i] = std::ranges::any_of(views, [&](const MaskView& view) {
      const MaskView::Sight sight = view.see(vertices[i]);
      return sight.pixel > 0 && std::fabs(sight.distance) < kOnOutline * view.grain;
    });
  });
  return held;
}

class Bending {
 public:
  Bending(const TriangleMesh& mesh, std::span<const MaskView> views, int threads)
      : surface_(mesh.vertices.size(), mesh.triangles),
        hinges_(find_hinges(surface_)),
        vertices_(mesh.vertices),
        normals_(vertex_normals(surface_, vertices_)),
        held_(held_vertices(vertices_, views, threads)),
        areas_(vertices_.size(), 0),
        patterns_(vertices_.size(), 0),
        diagonal_(box_of(vertices_).diagonal().norm()),
        threads_(threads) {
    constexpr float kNearest = 0.01F;
    contrasts_ = contrasts(surface_, hinges_, vertices_, views, kNearest * diagonal_, threads);
    for (std::size_t i = 0; i < hinges_.size(); ++i) {
      for (const std::int32_t corner : hinges_[i].corners) {
        const auto vertex = static_cast<std::size_t>(corner);
        patterns_[vertex] += edge(i) / (2.0 * static_cast<double>(surface_.neighbours(vertex).size()));
      }
    }
    for (const Triangle& triangle : surface_.triangles()) {
      const auto corner = [&](std::size_t k) { return at(vertices_, triangle[k]); };
      const double area = (corner(1) - corner(0)).cross(corner(2) - corner(0)).norm() / 2;
      for (const std::int32_t each : triangle) areas_[static_cast<std::size_t>(each)] += area / 3;
    }
  }

  [[nodiscard]] Points run() const {
    const double longest = kLongestWay * diagonal_;
    Eigen::VectorXd ways = Eigen::VectorXd::Zero(static_cast<Eigen::Index>(vertices_.size()));
    Points moved = vertices_;
    for (int round = 0; round < kBendingRounds; ++round) {
      end_if_stopped();
      ways = best_ways(moved, ways);
      for (std::size_t i = 0; i < moved.size(); ++i) {
        const double way = std::clamp(ways[static_cast<Eigen::Index>(i)], -longest, longest);
        moved[i] = vertices_[i] + static_cast<float>(way) * normals_[i];
      }
    }
    const Contacts contacts = find_contacts(vertices_, surface_.triangles(), rounding_margin(vertices_), threads_);
    if (!all_finite(moved) || !keep_apart(surface_, vertices_, contacts, threads_, moved)) return vertices_;
    return moved;
  }

 private:
  [[nodiscard]] static Vector3d at(const Points& points, std::int32_t vertex) {
    return points[static_cast<std::size_t>(vertex)].cast<double>();
  }

  /// The moves along the normals that minimise bending and moves. `now`: the surface whose folds are looked at; `ways`:
  /// a guess.
  [[nodiscard]] Eigen::VectorXd best_ways(const Points& now, const Eigen::VectorXd& ways) const {
    const auto count = static_cast<Eigen::Index>(vertices_.size());
    std::vector<Eigen::Triplet<double>> entries;
    entries.reserve(vertices_.size() + 16 * hinges_.size());
    Eigen::VectorXd right = Eigen::VectorXd::Zero(count);
    const double least_area = 0.1 * std::accumulate(areas_.begin(), areas_.end(), 0.0) / static_cast<double>(count);
    for (std::size_t i = 0; i < vertices_.size(); ++i) {
      const auto row = static_cast<int>(i);
      const double weight = held_[i] != 0 ? kHeldWeight : std::lerp(1, kPatternedWeight, patterns_[i]);
      entries.emplace_back(row, row, std::max(areas_[i], least_area) * weight);
    }
    const double stiffness = std::pow(kSmoothedWave * diagonal_ / (2 * std::numbers::pi), 4);
    for (std::size_t i = 0; i < hinges_.size(); ++i) add(hinges_[i], stiffness * weight(i, now), entries, right);
    BendingMatrix system(count, count);
    system.setFromTriplets(entries.begin(), entries.end());
    Eigen::ConjugateGradient<BendingMatrix, Eigen::Lower | Eigen::Upper> solver(system);
    constexpr int kMostIterations = 1000;
    solver.setMaxIterations(kMostIterations);
    solver.setTolerance(1e-4);
    return solver.solveWithGuess(right, ways);
  }

  /// Whether a view shows an edge at a hinge: 0 to 1.
  [[nodiscard]] double edge(std::size_t hinge) const {
    const double contrast = static_cast<double>(contrasts_[hinge]) / kEdgeContrast;
    return std::isnan(contrast) ? 0 : 1 - 1 / (1 + std::pow(contrast, 4));
  }

  /// How stiff a hinge is, 0 to 1. Where the brightness is the same, only a convex fold on an outline is an edge.
  [[nodiscard]] double weight(std::size_t which, const Points& now) const {
    const Hinge& hinge = hinges_[which];
    const Vector3d origin = at(now, hinge.corners[0]), side = at(now, hinge.corners[1]) - origin;
    const Vector3d across = at(now, hinge.corners[3]) - origin;
    const Vector3d left = side.cross(at(now, hinge.corners[2]) - origin), right = across.cross(side);
    const auto end = [&](std::size_t k) { return static_cast<std::size_t>(hinge.corners[k]); };
    const bool is_seen = !std::isnan(contrasts_[which]), is_held = held_[end(0)] != 0 || held_[end(1)] != 0;
    const double outward = left.dot((normals_[end(0)] + normals_[end(1)]).cast<double>());
    const bool is_convex = outward * left.dot(across) < 0;
    const double fold =
        !is_seen || (is_held && is_convex) ? std::atan2(left.cross(right).norm(), left.dot(right)) / kFold : 0;
    return (1 - edge(which)) / (1 + fold * fold);
  }

  /// The energy of a hinge: see Bergou et al. (2006), of moves along the normals.
  void add(const Hinge& hinge, double stiffness, std::vector<Eigen::Triplet<double>>& entries,
           Eigen::VectorXd& right) const {
    const auto corner = [&](std::size_t k) { return at(vertices_, hinge.corners[k]); };
    const auto cotangent = [](const Vector3d& a, const Vector3d& b) {
      constexpr double kMost = 5;  // of slivers
      const double sine = a.cross(b).norm(), cosine = a.dot(b);
      return std::fabs(cosine) < kMost * sine ? cosine / sine : std::copysign(kMost, cosine);
    };
    const Vector3d side = corner(1) - corner(0);
    const Vector3d left = corner(2) - corner(0), other = corner(3) - corner(0);
    const double area = (side.cross(left).norm() + side.cross(other).norm()) / 2;
    if (!(area > 0)) return;
    const double a = cotangent(side, left), b = cotangent(side, other);
    const double c = cotangent(-side, corner(2) - corner(1)), d = cotangent(-side, corner(3) - corner(1));
    const std::array<double, 4> factors = {c + d, a + b, -a - c, -b - d};
    Vector3d bent = Vector3d::Zero();
    std::array<Vector3d, 4> slopes;
    for (std::size_t k = 0; k < 4; ++k) {
      bent += factors[k] * corner(k);
      slopes[k] = factors[k] * normals_[static_cast<std::size_t>(hinge.corners[k])].cast<double>();
    }
    const double weight = 3 * stiffness / area;
    for (std::size_t i = 0; i < 4; ++i) {
      right[hinge.corners[i]] -= weight * slopes[i].dot(bent);
      for (std::size_t k = 0; k < 4; ++k) {
        entries.emplace_back(hinge.corners[i], hinge.corners[k], weight * slopes[i].dot(slopes[k]));
      }
    }
  }

  FitSurface surface_;
  std::vector<Hinge> hinges_;
  Points vertices_;
  std::vector<Eigen::Vector3f> normals_;
  std::vector<std::uint8_t> held_;
  std::vector<double> areas_, patterns_;  // of the vertices; the share of edges around
  std::vector<float> contrasts_;
  float diagonal_;
  int threads_;
};

}  // namespace

Points smooth_plain_areas(const TriangleMesh& mesh, std::span<const MaskView> views, int threads) {
  const auto is_bright = [](const MaskView& view) { return !view.brightness.empty(); };
  return std::ranges::any_of(views, is_bright) ? Bending(mesh, views, threads).run() : mesh.vertices;
}

}  // namespace p2mpp
