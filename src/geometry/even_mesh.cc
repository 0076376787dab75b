#include "geometry/even_mesh.h"

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <optional>
#include <utility>
#include <vector>

#include "base/parallel.h"
#include "base/stop_token.h"
#include "geometry/corner_table.h"
#include "geometry/triangle_intersection.h"

namespace p2mpp {
namespace {

constexpr float kShort = 0.8F, kLong = 4.0F / 3;  ///< of the wanted length: such edges are collapsed, split
constexpr int kRounds = 4, kTrials = 4;           ///< of evening out; of lengths, to get the number of vertices
constexpr double kCloseEnough = 0.04;             ///< share of the wanted vertices

class EvenMesher {
 public:
  EvenMesher(const TriangleMesh& mesh, const std::function<Eigen::Vector3f(const Eigen::Vector3f&)>& onto, int threads,
             bool keeps_apart)
      : table_(mesh), positions_(mesh.vertices), onto_(onto), threads_(threads), keeps_apart_(keeps_apart) {}

  TriangleMesh run(std::size_t wanted) {
    auto length = static_cast<float>(std::sqrt(area() / static_cast<double>(wanted) * 2 / std::sqrt(3.0)));
    coarsen(length);
    for (int trial = 0; trial < kTrials; ++trial) {
      for (int round = 0; round < kRounds; ++round) improve(length);
      const double share = static_cast<double>(table_.vertex_count()) / static_cast<double>(wanted);
      if (std::fabs(share - 1) < kCloseEnough) break;
      length *= static_cast<float>(std::sqrt(std::clamp(share, 0.25, 4.0)));
    }
    return table_.mesh(positions_);
  }

 private:
  [[nodiscard]] const Eigen::Vector3f& at(std::int32_t vertex) const {
    return positions_[static_cast<std::size_t>(vertex)];
  }
  [[nodiscard]] float squared_length(std::size_t half_edge) const {
    return (at(table_.target(half_edge)) - at(table_.origin(half_edge))).squaredNorm();
  }
  [[nodiscard]] static Eigen::Vector3f normal(const Eigen::Vector3f& a, const Eigen::Vector3f& b,
                                              const Eigen::Vector3f& c) {
    return (b - a).cross(c - a);
  }
  [[nodiscard]] Eigen::Vector3f normal_of(std::size_t half_edge) const {
    return normal(at(table_.origin(half_edge)), at(table_.target(half_edge)), at(table_.apex(half_edge)));
  }

  [[nodiscard]] double area() const {
    double sum = 0;
    for (std::size_t i = 0; i < table_.half_edges(); i += 3) {
      if (table_.is_alive(i)) sum += static_cast<double>(normal_of(i).norm()) / 2;
    }
    return sum;
  }

  /// Collapses short edges, the shortest first, by lengths that grow up to the wanted one.
  void coarsen(float length) {
    constexpr float kGrowth = 1.3F;
    double sum = 0;
    std::size_t count = 0;
    for (std::size_t i = 0; i < table_.half_edges(); ++i, ++count) sum += std::sqrt(squared_length(i));
    for (auto limit = static_cast<float>(sum / static_cast<double>(count)); limit < kShort * length; limit *= kGrowth) {
      sort_by_place(2 * limit);
      collapse_shorter(limit, 2 * limit);
    }
  }

  void improve(float length) {
    sort_by_place(length);
    split_longer(kLong * length);
    collapse_shorter(kShort * length, kLong * length);
    flip_edges();
    smooth();
    place(length);
  }

  void split_longer(float most) {
    end_if_stopped();
    const std::size_t count = table_.half_edges();
    for (std::size_t i = 0; i < count; ++i) {
      if (!table_.is_alive(i) || i > table_.opposite(i) || squared_length(i) <= most * most) continue;
      const Eigen::Vector3f middle = (at(table_.origin(i)) + at(table_.target(i))) / 2;
      const std::int32_t vertex = table_.split(i);
      positions_.push_back(middle);
      note_place_around(vertex);
    }
  }

  /// `most`: the longest edge that may result.
  void collapse_shorter(float least, float most) {
    end_if_stopped();
    for (std::size_t i = 0; i < table_.half_edges(); ++i) {
      if (!table_.is_alive(i) || i > table_.opposite(i) || squared_length(i) >= least * least) continue;
      const std::int32_t a = table_.origin(i), b = table_.target(i);
      const Eigen::Vector3f middle = (at(a) + at(b)) / 2;
      if (!table_.can_collapse(i) || !may_move(a, b, middle, most) || !may_move(b, a, middle, most)) continue;
      if (!stays_apart(a, b, middle) || !stays_apart(b, a, middle)) continue;
      table_.collapse(i);
      positions_[static_cast<std::size_t>(a)] = middle;
      note_place_around(a);
    }
  }

  /// Whether the triangles around a vertex, but those of its edge to `other`, keep their side if it moves.
  [[nodiscard]] bool may_move(std::int32_t vertex, std::int32_t other, const Eigen::Vector3f& place, float most) const {
    constexpr float kLeastCosine = 0.3F;
    bool may = true;
    table_.around(vertex, [&](std::size_t half_edge) {
      const std::int32_t b = table_.target(half_edge), c = table_.apex(half_edge);
      if (!may || b == other || c == other) return;
      const Eigen::Vector3f before = normal(at(vertex), at(b), at(c)), after = normal(place, at(b), at(c));
      may = before.dot(after) > kLeastCosine * before.norm() * after.norm() &&
            (place - at(b)).squaredNorm() <= most * most;
    });
    return may;
  }

  /// Flips edges whose ends have too many neighbours in favour of the apices, where the surface is almost flat.
  void flip_edges() {
    end_if_stopped();
    constexpr float kFlat = 0.85F;  // cosine
    const auto excess = [this](std::int32_t vertex) { return table_.valence(vertex) - 6; };
    const auto square = [](int value) { return value * value; };
    for (std::size_t i = 0; i < table_.half_edges(); ++i) {
      if (!table_.is_alive(i) || i > table_.opposite(i)) continue;
      const std::size_t other = table_.opposite(i);
      const std::int32_t a = table_.origin(i), b = table_.target(i), c = table_.apex(i), d = table_.apex(other);
      const int at_a = excess(a), at_b = excess(b), at_c = excess(c), at_d = excess(d);
      if (square(at_a - 1) + square(at_b - 1) + square(at_c + 1) + square(at_d + 1) >=
          square(at_a) + square(at_b) + square(at_c) + square(at_d)) {
        continue;
      }
      const Eigen::Vector3f one = normal_of(i).normalized(), two = normal_of(other).normalized();
      const Eigen::Vector3f left = normal(at(a), at(d), at(c)).normalized(),
                            right = normal(at(b), at(c), at(d)).normalized();
      const bool stays = one.dot(two) > kFlat && left.dot(one) > kFlat && right.dot(one) > kFlat;
      if (!stays || !table_.can_flip(i) || !is_apart({a, d, c}) || !is_apart({b, c, d})) continue;
      table_.flip(i);
      note_place_around(c);
    }
  }

  /// Moves each vertex, within its tangent plane, to the mean of its neighbours.
  void smooth() {
    end_if_stopped();
    constexpr float kShare = 0.7F;
    Points moved = positions_;
    for (std::size_t i = 0; i < moved.size(); ++i) {
      if (!table_.has_vertex(i)) continue;
      const auto vertex = static_cast<std::int32_t>(i);
      Eigen::Vector3f mean = Eigen::Vector3f::Zero(), across = Eigen::Vector3f::Zero();
      float count = 0;
      table_.around(vertex, [&](std::size_t half_edge) {
        mean += at(table_.target(half_edge));
        across += normal_of(half_edge);
        ++count;
      });
      Eigen::Vector3f way = kShare * (mean / count - positions_[i]);
      const float length = across.norm();
      if (length > 0) way -= way.dot(across) / (length * length) * across;
      moved[i] += way;
    }
    if (!keeps_apart_) {
      positions_ = std::move(moved);
      return;
    }
    for (std::size_t i = 0; i < moved.size(); ++i) {
      const auto vertex = static_cast<std::int32_t>(i);
      if (!table_.has_vertex(i) || !stays_apart(vertex, -1, moved[i])) continue;
      positions_[i] = moved[i];
      note_place_around(vertex);
    }
  }

  /// Onto the surface, unless it is far or a triangle would turn over.
  void place(float length) {
    constexpr std::size_t kTogether = 256;
    constexpr float kFarthest = 0.5F;  // of the wanted length
    Points placed = positions_;
    for_each_task((placed.size() + kTogether - 1) / kTogether, threads_, [&](std::size_t task) {
      const std::size_t end = std::min(placed.size(), (task + 1) * kTogether);
      for (std::size_t i = task * kTogether; i < end; ++i) {
        if (table_.has_vertex(i)) placed[i] = onto_(positions_[i]);
      }
    });
    const float farthest = kFarthest * length, endless = std::numeric_limits<float>::max();
    for (std::size_t i = 0; i < placed.size(); ++i) {
      if (!table_.has_vertex(i) || !placed[i].allFinite()) continue;
      if ((placed[i] - positions_[i]).squaredNorm() > farthest * farthest) continue;
      const auto vertex = static_cast<std::int32_t>(i);
      if (!may_move(vertex, -1, placed[i], std::sqrt(endless)) || !stays_apart(vertex, -1, placed[i])) continue;
      positions_[i] = placed[i];
      note_place_around(vertex);
    }
  }

  // If surfaces are kept apart: changes that would let triangles intersect are not made.

  void sort_by_place(float length) {
    if (!keeps_apart_) return;
    buckets_.emplace(length);
    for (std::size_t i = 0; i < table_.half_edges(); i += 3) {
      if (table_.is_alive(i)) note_place(i);
    }
  }

  [[nodiscard]] Triangle triangle_of(std::size_t half_edge) const {
    return {table_.origin(half_edge), table_.target(half_edge), table_.apex(half_edge)};
  }

  void note_place(std::size_t half_edge) {
    buckets_->add(static_cast<std::uint32_t>(half_edge / 3), {positions_, triangle_of(half_edge)});
  }
  void note_place_around(std::int32_t vertex) {
    if (buckets_) table_.around(vertex, [&](std::size_t half_edge) { note_place(half_edge); });
  }

  /// A vertex that moves to a place, and one that becomes it; -1 for none.
  struct Move {
    std::int32_t vertex = -1, merged = -1;
    Eigen::Vector3f place = Eigen::Vector3f::Zero();
  };

  /// Whether a new triangle intersects no other.
  [[nodiscard]] bool is_apart(const Triangle& triangle) {
    return !buckets_ || is_apart(triangle, {positions_, triangle}, {});
  }

  [[nodiscard]] bool is_apart(const Triangle& triangle, const TriangleCorners& corners, const Move& move) {
    bool is_free = true;
    asked_.resize(table_.half_edges() / 3);
    ++question_;
    buckets_->near(corners, [&](std::uint32_t listed) {
      const std::size_t half_edge = 3 * static_cast<std::size_t>(listed);
      if (!is_free || asked_[listed] == question_ || !table_.is_alive(half_edge)) return;
      asked_[listed] = question_;
      is_free = !meet(triangle, corners, triangle_of(half_edge), move);
    });
    return is_free;
  }

  /// Whether the triangles around a vertex, but those of its edge to `other`, intersect none if both move to a place.
  [[nodiscard]] bool stays_apart(std::int32_t vertex, std::int32_t other, const Eigen::Vector3f& place) {
    if (!buckets_) return true;
    bool stays = true;
    table_.around(vertex, [&](std::size_t half_edge) {
      const std::int32_t b = table_.target(half_edge), c = table_.apex(half_edge);
      if (!stays || b == other || c == other) return;
      stays = is_apart({vertex, b, c}, {place, at(b), at(c)}, {vertex, other, place});
    });
    return stays;
  }

  /// Whether a triangle intersects one of before a move elsewhere than in a common vertex or edge.
  [[nodiscard]] bool meet(const Triangle& one, const TriangleCorners& corners, Triangle other, const Move& move) const {
    std::size_t shared = 0, of_one = 0, of_other = 0, moved = 0;
    for (std::size_t j = 0; j < 3; ++j) {
      if (other[j] == move.merged) other[j] = move.vertex;
      moved += static_cast<std::size_t>(other[j] == move.vertex);
      for (std::size_t k = 0; k < 3; ++k) {
        if (one[k] != other[j]) continue;
        ++shared;
        of_one = k;
        of_other = j;
      }
    }
    if (moved > 1 || shared > 1) return false;  // it vanishes, or is a neighbour
    const auto corner = [&](std::size_t k) { return other[k] == move.vertex ? move.place : at(other[k]); };
    const TriangleCorners against(corner(0), corner(1), corner(2));
    if (shared == 0) return intersect(corners, against) || intersect(against, corners);
    // The sides across from the common vertex.
    return passes_through(corners.at[(of_one + 1) % 3], corners.at[(of_one + 2) % 3], against) ||
           passes_through(against.at[(of_other + 1) % 3], against.at[(of_other + 2) % 3], corners);
  }

  CornerTable table_;
  Points positions_;
  const std::function<Eigen::Vector3f(const Eigen::Vector3f&)>& onto_;
  int threads_;
  bool keeps_apart_;
  std::optional<TriangleBuckets> buckets_;  // where the triangles are, and some were
  std::vector<std::uint32_t> asked_;        // by triangle: the last question that it was compared for
  std::uint32_t question_ = 0;
};

}  // namespace

TriangleMesh even_mesh(const TriangleMesh& mesh, std::size_t vertices,
                       const std::function<Eigen::Vector3f(const Eigen::Vector3f&)>& onto, int threads,
                       bool keep_apart) {
  return EvenMesher(mesh, onto, threads, keep_apart).run(vertices);
}

}  // namespace p2mpp
