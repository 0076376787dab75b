#include "fit/fit_forces.h"

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>

#include "image/reduced_view.h"

namespace p2mpp {
namespace {

// Pixels are those of an image of 224x224.
constexpr float kReach = 20;               ///< pixels: the longest way of a step
constexpr float kOutsideWeight = 0.3F;     ///< of a vertex outside the mask
constexpr float kUnreachedWeight = 0.3F;   ///< of a part of the boundary that the mesh does not reach
constexpr float kKeptWeight = 0.03F;       ///< of a vertex that is on the boundary already
constexpr float kKeptRange = 1;            ///< pixels from the boundary
constexpr float kReachedDepth = 0.5F;      ///< pixels inside the boundary where the mesh must be
constexpr float kLeastWay = 1e-3F;         ///< pixels
constexpr float kFacing = -0.3F;           ///< cosine between the directions of outline and boundary, at least
constexpr int kOutlineReach = 2;           ///< samples between an outline's vertex and the background
constexpr int kLargestSampledTwice = 320;  ///< pixels: side of a mask, each of whose pixels has 2x2 samples

/// Vertices on the outline of the silhouette, in cells of the image, to find the nearest one.
class OutlineVertices {
 public:
  struct Item {
    std::int32_t vertex = 0;
    Eigen::Vector2f position, outward;  ///< in the image; outward of unit length or zero
  };

  OutlineVertices(std::vector<Item> items, int size, float cell)
      : items_(std::move(items)), cell_(cell), cells_(static_cast<int>(static_cast<float>(size) / cell) + 1) {
    lists_.resize(static_cast<std::size_t>(cells_) * static_cast<std::size_t>(cells_));
    for (std::size_t i = 0; i < items_.size(); ++i) {
      lists_[index(find_cell(items_[i].position.y()), find_cell(items_[i].position.x()))].push_back(
          static_cast<std::int32_t>(i));
    }
  }

  [[nodiscard]] const std::vector<Item>& items() const { return items_; }

  /// The item nearest to a boundary point, within `reach` pixels, that faces its way; -1 if there is none.
  [[nodiscard]] std::int32_t nearest(const BoundaryPoint& point, float reach) const {
    const int row = find_cell(point.position.y()), column = find_cell(point.position.x());
    const int rings = static_cast<int>(reach / cell_) + 1;
    std::int32_t best = -1;
    float least = reach * reach;
    for (int ring = 0; ring <= rings; ++ring) {
      const float inner = static_cast<float>(ring - 1) * cell_;
      if (ring > 1 && inner * inner > least) break;
      for (int r = row - ring; r <= row + ring; ++r) {
        if (r < 0 || r >= cells_) continue;
        const int step = r == row - ring || r == row + ring ? 1 : 2 * ring;
        for (int c = column - ring; c <= column + ring; c += std::max(step, 1)) {
          if (c >= 0 && c < cells_) search(lists_[index(r, c)], point, least, best);
        }
      }
    }
    return best;
  }

 private:
  void search(const std::vector<std::int32_t>& list, const BoundaryPoint& point, float& least,
              std::int32_t& best) const {
    for (const std::int32_t i : list) {
      const Item& item = items_[static_cast<std::size_t>(i)];
      const float distance = (item.position - point.position).squaredNorm();
      if (distance >= least || item.outward.dot(point.outward) < kFacing) continue;
      least = distance;
      best = i;
    }
  }
  [[nodiscard]] int find_cell(float position) const {
    return static_cast<int>(std::clamp(position / cell_, 0.0F, static_cast<float>(cells_ - 1)));
  }
  [[nodiscard]] std::size_t index(int row, int column) const {
    return static_cast<std::size_t>(row) * static_cast<std::size_t>(cells_) + static_cast<std::size_t>(column);
  }

  std::vector<Item> items_;
  float cell_;
  int cells_;
  std::vector<std::vector<std::int32_t>> lists_;
};

/// Turns a way in the image into a force in space.
class BackProjection {
 public:
  BackProjection(const FitTarget& target, const ProjectedVertices& projected)
      : camera_(target.view.float_camera()), projected_(projected) {}

  /// The smallest displacement by which a vertex moves `way` pixels, to first order.
  [[nodiscard]] FitForce force(std::int32_t vertex, const Eigen::Vector2f& way, float weight) const {
    const Eigen::Vector3f& point = projected_.in_camera[static_cast<std::size_t>(vertex)];
    const float length = way.norm(), depth = point.z();
    const Eigen::Vector2f unit = way / length;
    const float right = unit.x() * camera_.focal.x() / depth, down = unit.y() * camera_.focal.y() / depth;
    const Eigen::Vector3f gradient(right, down, -(right * point.x() + down * point.y()) / depth);
    const float slope = gradient.norm();
    return {vertex, weight, camera_.rotation.transpose() * (gradient / slope), length / slope, false};
  }

 private:
  const Pinhole<float>& camera_;
  const ProjectedVertices& projected_;
};

/// Ends of edges between a face that is seen and one that is not, on the outline and not hidden inside it.
std::vector<OutlineVertices::Item> outline_vertices(const FitTarget& target, const MaskProjection& projection,
                                                    const FitSurface& surface,
                                                    std::span<const Eigen::Vector3f> normals) {
  const auto& triangles = surface.triangles();
  const auto& points = projection.projected.in_camera;
  std::vector<std::uint8_t> faces(triangles.size());
  for (std::size_t i = 0; i < triangles.size(); ++i) {
    const Eigen::Vector3f& corner = points[static_cast<std::size_t>(triangles[i][0])];
    const Eigen::Vector3f normal = (points[static_cast<std::size_t>(triangles[i][1])] - corner)
                                       .cross(points[static_cast<std::size_t>(triangles[i][2])] - corner);
    faces[i] = normal.dot(corner) < 0;
  }
  std::vector<std::uint8_t> is_contour(points.size());
  for (const SurfaceEdge& edge : surface.edges()) {
    if (edge.left != edge.right && faces[edge.left] == faces[edge.right]) continue;
    for (const std::int32_t end : edge.edge) is_contour[static_cast<std::size_t>(end)] = 1;
  }
  const Eigen::Matrix3f& rotation = target.view.float_camera().rotation;
  std::vector<OutlineVertices::Item> items;
  for (std::size_t i = 0; i < points.size(); ++i) {
    if (is_contour[i] == 0) continue;
    const Eigen::Vector2f& position = projection.projected.pixels[i];
    if (!pixel_index(position, projection.silhouette.size())) continue;
    if (!projection.silhouette.is_near_outline(position, kOutlineReach)) continue;
    const Eigen::Vector3f normal = rotation * normals[i];
    const Eigen::Vector2f across(normal.x(), normal.y());
    const float length = across.norm();
    const Eigen::Vector2f outward = length > 1e-6F ? Eigen::Vector2f(across / length) : Eigen::Vector2f::Zero();
    items.push_back({static_cast<std::int32_t>(i), position, outward});
  }
  return items;
}

void add_outside(const FitTarget& target, const ProjectedVertices& projected, const BackProjection& back_projection,
                 std::vector<FitForce>& found) {
  const float most = kReach * target.scale;
  for (std::size_t i = 0; i < projected.pixels.size(); ++i) {
    const Eigen::Vector2f& position = projected.pixels[i];
    if (!(position.array().abs() < 1e6F).all()) continue;  // hardly in front of the camera
    const BoundaryPoint& nearest = target.boundary.nearest(position);
    Eigen::Vector2f way = nearest.position - position;
    const float length = way.norm();
    // Near the boundary, a pixel is too coarse to tell.
    const bool outside = length < 1.5F ? -way.dot(nearest.outward) > 0 : target.boundary.is_background(position);
    if (!outside || length < kLeastWay) continue;
    if (length > most) way *= most / length;
    found.push_back(back_projection.force(static_cast<std::int32_t>(i), way, kOutsideWeight));
    found.back().is_inward = true;
  }
}

void add_kept(const FitTarget& target, const OutlineVertices& outline, const BackProjection& back_projection,
              std::vector<FitForce>& found) {
  const float range = kKeptRange * target.scale;
  for (const OutlineVertices::Item& item : outline.items()) {
    const BoundaryPoint& nearest = target.boundary.nearest(item.position);
    const Eigen::Vector2f way = nearest.position - item.position;
    if (way.norm() > range || item.outward.dot(nearest.outward) < kFacing) continue;
    const float inside = way.dot(nearest.outward);
    if (inside < 0) continue;  // outside: pulled in already
    FitForce force = back_projection.force(item.vertex, nearest.outward, kKeptWeight);
    force.distance *= inside;
    found.push_back(force);
  }
}

void add_unreached(const FitTarget& target, const MaskProjection& projection, const OutlineVertices& outline,
                   const BackProjection& back_projection, std::vector<FitForce>& found) {
  if (outline.items().empty()) return;
  const float reach = kReach * target.scale;
  std::vector<Eigen::Vector2f> sums(outline.items().size(), Eigen::Vector2f::Zero());
  std::vector<float> counts(outline.items().size());
  for (const BoundaryPoint& point : target.boundary.points()) {
    if (projection.silhouette.covers(point.position - kReachedDepth * target.scale * point.outward)) continue;
    const std::int32_t item = outline.nearest(point, reach);
    if (item < 0) continue;
    sums[static_cast<std::size_t>(item)] += point.position;
    counts[static_cast<std::size_t>(item)] += 1;
  }
  for (std::size_t i = 0; i < sums.size(); ++i) {
    if (counts[i] == 0) continue;
    const Eigen::Vector2f way = sums[i] / counts[i] - outline.items()[i].position;
    if (way.norm() < kLeastWay) continue;
    found.push_back(back_projection.force(outline.items()[i].vertex, way, kUnreachedWeight));
  }
}

}  // namespace

FitTarget::FitTarget(const MaskView& of, std::size_t which)
    : index(which), view(of), boundary(of), scale(static_cast<float>(of.width / kImageSize)) {
  if (!of.brightness.empty()) brightness = reduced(of, 1).brightness;
}

void FitTarget::shrink(float pixels) { boundary = MaskBoundary(boundary.shrunk(pixels * scale)); }

MaskProjection project_to_mask(const FitTarget& target, const FitSurface& surface,
                               std::span<const Eigen::Vector3f> vertices) {
  MaskProjection projection{project_vertices(vertices, target.view.float_camera()),
                            MeshSilhouette(target.view.width, target.view.width <= kLargestSampledTwice ? 2 : 1), 0};
  projection.silhouette.draw(projection.projected, surface.triangles());
  projection.overlap = projection.silhouette.overlap(target.boundary.mask().coverage, target.view.unknown);
  return projection;
}

std::vector<FitForce> forces(const FitTarget& target, const MaskProjection& projection, const FitSurface& surface,
                             std::span<const Eigen::Vector3f> normals) {
  const BackProjection back_projection(target, projection.projected);
  const OutlineVertices outline(outline_vertices(target, projection, surface, normals), projection.silhouette.size(),
                                8 * target.scale);
  std::vector<FitForce> found;
  if (target.boundary.points().empty()) return found;
  add_outside(target, projection.projected, back_projection, found);
  add_kept(target, outline, back_projection, found);
  add_unreached(target, projection, outline, back_projection, found);
  return found;
}

std::vector<float> outline_distances(const FitTarget& target, const MaskProjection& projection,
                                     const FitSurface& surface, std::span<const Eigen::Vector3f> normals) {
  constexpr float kSameDirection = 0.5F;  // cosine
  std::vector<float> found;
  if (target.boundary.points().empty()) return found;
  for (const OutlineVertices::Item& item : outline_vertices(target, projection, surface, normals)) {
    const BoundaryPoint& nearest = target.boundary.nearest(item.position);
    const Eigen::Vector2f way = nearest.position - item.position;
    if (way.norm() > kReach * target.scale || item.outward.dot(nearest.outward) < kSameDirection) continue;
    found.push_back(way.dot(nearest.outward) / target.scale);
  }
  return found;
}

}  // namespace p2mpp
