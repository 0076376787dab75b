#include "finish/levels.h"

#include <Eigen/Cholesky>
#include <Eigen/Geometry>
#include <algorithm>
#include <bit>
#include <cstdint>
#include <queue>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "base/thread_scopes.h"
#include "colours/mesh_colours.h"
#include "finish/certificate.h"
#include "finish/solid_parts.h"
#include "geometry/corner_table.h"
#include "geometry/intersection/apart_guard.h"
#include "p2mpp/error.h"
#include "p2mpp/mesh_texture.h"
#include "p2mpp/texture.h"

namespace p2mpp {
namespace {

/// The sum of squared distances to planes, as a function of a place.
struct Quadric {
  Eigen::Matrix3d square = Eigen::Matrix3d::Zero();
  Eigen::Vector3d linear = Eigen::Vector3d::Zero();
  double constant = 0;

  Quadric& operator+=(const Quadric& other) {
    square += other.square;
    linear += other.linear;
    constant += other.constant;
    return *this;
  }
  [[nodiscard]] double at(const Eigen::Vector3d& place) const {
    return place.dot(square * place) + 2 * linear.dot(place) + constant;
  }
};

class FaceReducer {
 public:
  explicit FaceReducer(const TriangleMesh& mesh)
      : table_(mesh),
        positions_(mesh.vertices),
        guard_(table_, positions_),
        quadrics_(mesh.vertices.size()),
        versions_(mesh.vertices.size(), 0),
        faces_(mesh.triangles.size()) {
    for (std::size_t i = 0; i < table_.half_edges(); i += 3) add_plane(i);
    for (std::size_t i = 0; i < table_.half_edges(); ++i) {
      if (i < table_.opposite(i)) offer(i);
    }
  }

  TriangleMesh run(std::size_t wanted) {
    constexpr std::size_t kAsked = 4096;
    std::size_t sorted_at = 0, done = 0;
    while (faces_ > wanted && !offers_.empty()) {
      // Triangles grow, and so do the cubes that they are sorted into.
      if (sorted_at == 0 || 2 * faces_ < sorted_at) {
        guard_.sort_by_place(2 * mean_edge());
        sorted_at = faces_;
      }
      if (++done % kAsked == 0) end_if_stopped();
      const Offer offer = offers_.top();
      offers_.pop();
      if (is_current(offer)) collapse(offer);
    }
    return table_.mesh(positions_);
  }

 private:
  struct Offer {
    double cost = 0;
    std::size_t half_edge = 0;
    std::uint32_t versions = 0;  ///< the sum of those of its ends
    Eigen::Vector3f place = Eigen::Vector3f::Zero();

    /// The cheapest is the top of the queue.
    bool operator<(const Offer& other) const {
      return std::tie(other.cost, other.half_edge) < std::tie(cost, half_edge);
    }
  };

  [[nodiscard]] const Eigen::Vector3f& at(std::int32_t vertex) const {
    return positions_[static_cast<std::size_t>(vertex)];
  }
  [[nodiscard]] std::uint32_t version(std::int32_t vertex) const { return versions_[static_cast<std::size_t>(vertex)]; }
  [[nodiscard]] std::uint32_t vertex_versions(std::size_t half_edge) const {
    return version(table_.origin(half_edge)) + version(table_.target(half_edge));
  }

  /// Versions only grow, so that their sum is another one if an end has changed.
  [[nodiscard]] bool is_current(const Offer& offer) const {
    return table_.is_alive(offer.half_edge) && vertex_versions(offer.half_edge) == offer.versions;
  }

  void add_plane(std::size_t half_edge) {
    const Eigen::Vector3d a = at(table_.origin(half_edge)).cast<double>(),
                          b = at(table_.target(half_edge)).cast<double>(),
                          c = at(table_.apex(half_edge)).cast<double>();
    const Eigen::Vector3d across = (b - a).cross(c - a), normal = across.stableNormalized();
    const double weight = across.norm() / 6, distance = -normal.dot(a);
    const Quadric plane{weight * normal * normal.transpose(), weight * distance * normal, weight * distance * distance};
    for (const std::size_t corner : {half_edge, half_edge + 1, half_edge + 2}) {
      quadrics_[static_cast<std::size_t>(table_.origin(corner))] += plane;
    }
  }

  [[nodiscard]] float mean_edge() const {
    double sum = 0, count = 0;
    for (std::size_t i = 0; i < table_.half_edges(); ++i) {
      if (!table_.is_alive(i)) continue;
      sum += static_cast<double>((at(table_.target(i)) - at(table_.origin(i))).norm());
      ++count;
    }
    return static_cast<float>(sum / count);
  }

  void offer(std::size_t half_edge) {
    const std::int32_t a = table_.origin(half_edge), b = table_.target(half_edge);
    Quadric quadric = quadrics_[static_cast<std::size_t>(a)];
    quadric += quadrics_[static_cast<std::size_t>(b)];
    const Eigen::Vector3d from = at(a).cast<double>(), to = at(b).cast<double>(), middle = (from + to) / 2;
    // Where the surface is flat, the middle is as good as any place.
    constexpr double kTowardsMiddle = 1e-5;
    const double weight = kTowardsMiddle * quadric.square.trace();
    Eigen::Matrix3d square = quadric.square;
    square.diagonal().array() += weight;
    const Eigen::Vector3d way = square.ldlt().solve(-quadric.linear - quadric.square * middle);
    Eigen::Vector3d place = middle + way;
    if (!place.allFinite() || way.norm() > (to - from).norm()) place = middle;
    const double cost = quadric.at(place) + weight * (to - from).squaredNorm();
    offers_.push({std::max(cost, 0.0), half_edge, vertex_versions(half_edge), place.cast<float>()});
  }

  void collapse(const Offer& offer) {
    const std::int32_t a = table_.origin(offer.half_edge), b = table_.target(offer.half_edge);
    if (!table_.can_collapse(offer.half_edge) || !keeps_sides(a, b, offer.place) || !keeps_sides(b, a, offer.place) ||
        !guard_.stays_apart(a, b, offer.place) || !guard_.stays_apart(b, a, offer.place)) {
      return;  // it is offered again when one of its ends has changed
    }
    table_.collapse(offer.half_edge);
    faces_ -= 2;
    positions_[static_cast<std::size_t>(a)] = offer.place;
    quadrics_[static_cast<std::size_t>(a)] += quadrics_[static_cast<std::size_t>(b)];
    versions_[static_cast<std::size_t>(a)] += versions_[static_cast<std::size_t>(b)] + 1;
    guard_.note_place_around(a);
    table_.around(a, [&](std::size_t half_edge) { this->offer(half_edge); });
  }

  /// Whether the triangles around a vertex, but those of its edge to `other`, do not turn much if it moves.
  [[nodiscard]] bool keeps_sides(std::int32_t vertex, std::int32_t other, const Eigen::Vector3f& place) const {
    constexpr float kLeastCosine = 0.3F;
    bool keeps = true;
    table_.around(vertex, [&](std::size_t half_edge) {
      const std::int32_t b = table_.target(half_edge), c = table_.apex(half_edge);
      if (!keeps || b == other || c == other) return;
      const Eigen::Vector3f before = (at(b) - at(vertex)).cross(at(c) - at(vertex)),
                            after = (at(b) - place).cross(at(c) - place);
      keeps = before.dot(after) > kLeastCosine * before.norm() * after.norm();
    });
    return keeps;
  }

  CornerTable table_;
  Points positions_;
  ApartGuard guard_;
  std::vector<Quadric> quadrics_;        // of vertices
  std::vector<std::uint32_t> versions_;  // of vertices
  std::priority_queue<Offer> offers_;
  std::size_t faces_;
};

}  // namespace

TriangleMesh with_fewer_faces(const TriangleMesh& mesh, std::size_t faces) {
  TriangleMesh result = FaceReducer({mesh.vertices, mesh.triangles}).run(faces);
  result.origin = mesh.origin;
  return result;
}

namespace {

int longest_side(const Image& image) { return std::max(image.width, image.height); }

bool has_look(const TriangleMesh& mesh) { return has_texture(mesh) || has_colours(mesh); }

}  // namespace

int level_texture_size(const TriangleMesh& mesh) {
  constexpr int kOfColours = 1024;
  if (!mesh.texture) return kOfColours;
  const auto longest = static_cast<unsigned>(longest_side(mesh.texture->image));
  return std::clamp(static_cast<int>(std::bit_floor(longest)), kLeastTextureSize, kMostTextureSize);
}

TriangleMesh level_surface(const TriangleMesh& mesh, std::size_t faces, int threads) {
  const std::string problem = certify(mesh, threads).problem();
  if (!problem.empty()) throw InputError(problem);
  if (mesh.triangles.size() <= faces) return mesh;
  return with_fewer_faces(joined_at_places(mesh), faces);
}

TriangleMesh painted_level(TriangleMesh surface, const TriangleMesh& mesh, const BakingOptions& options) {
  if (!has_look(mesh)) return surface;
  if (!has_look(surface)) return with_baked_texture(std::move(surface), mesh, options);
  if (!mesh.texture || level_texture_size(mesh) <= options.size) return surface;
  return with_baked_texture(joined_at_places(mesh), mesh, {options.size, false, options.threads});
}

}  // namespace p2mpp
