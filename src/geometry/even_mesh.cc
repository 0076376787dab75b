#include "geometry/even_mesh.h"

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <cstdint>

#include "base/parallel.h"
#include "base/thread_scopes.h"
#include "geometry/corner_table.h"
#include "geometry/intersection/apart_guard.h"

namespace p2mpp {
namespace {

constexpr float kShort = 0.8F, kLong = 4.0F / 3;  ///< of the wanted length: such edges are collapsed, split
constexpr int kRounds = 4, kTrials = 4;           ///< of evening out; of lengths, to get the number of vertices
constexpr double kCloseEnough = 0.04;             ///< share of the wanted vertices
constexpr float kEndless = 1e18F;                 ///< its square is finite

class EvenMesher {
 public:
  EvenMesher(const TriangleMesh& mesh, const std::function<Eigen::Vector3f(const Eigen::Vector3f&)>& onto, int threads)
      : table_(mesh), positions_(mesh.vertices), onto_(onto), threads_(threads), guard_(table_, positions_) {}

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
  [[nodiscard]] Eigen::Vector3f face_normal(std::size_t half_edge) const {
    return normal(at(table_.origin(half_edge)), at(table_.target(half_edge)), at(table_.apex(half_edge)));
  }

  [[nodiscard]] double area() const {
    double sum = 0;
    for (std::size_t i = 0; i < table_.half_edges(); i += 3) {
      if (table_.is_alive(i)) sum += static_cast<double>(face_normal(i).norm()) / 2;
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
      guard_.sort_by_place(2 * limit);
      collapse_shorter(limit, 2 * limit);
    }
  }

  void improve(float length) {
    guard_.sort_by_place(length);
    split_longer(kLong * length);
    collapse_shorter(kShort * length, kLong * length);
    flip_edges();
    move_vertices(length);
  }

  void split_longer(float most) {
    end_if_stopped();
    const std::size_t count = table_.half_edges();
    for (std::size_t i = 0; i < count; ++i) {
      if (!table_.is_alive(i) || i > table_.opposite(i) || squared_length(i) <= most * most) continue;
      const Eigen::Vector3f middle = (at(table_.origin(i)) + at(table_.target(i))) / 2;
      if (!guard_.stays_apart_if_split(i, middle)) continue;
      const std::int32_t vertex = table_.split(i);
      positions_.push_back(middle);
      guard_.note_place_around(vertex);
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
      if (!guard_.stays_apart(a, b, middle) || !guard_.stays_apart(b, a, middle)) continue;
      table_.collapse(i);
      positions_[static_cast<std::size_t>(a)] = middle;
      guard_.note_place_around(a);
    }
  }

  /// Whether the triangles around a vertex, but those of its edge to `other`, keep their side if it moves. A thin one
  /// that faces away from the others may turn over to their side.
  [[nodiscard]] bool may_move(std::int32_t vertex, std::int32_t other, const Eigen::Vector3f& place, float most) const {
    bool may = true;
    table_.around(vertex, [&](std::size_t half_edge) {
      const std::int32_t b = table_.target(half_edge), c = table_.apex(half_edge);
      if (!may || b == other || c == other) return;
      const Eigen::Vector3f before = normal(at(vertex), at(b), at(c)), after = normal(place, at(b), at(c));
      may = (place - at(b)).squaredNorm() <= most * most &&
            (is_one_side(before, after) || (is_thin(half_edge) && is_unfolded(vertex, before, after)));
    });
    return may;
  }

  [[nodiscard]] static bool is_one_side(const Eigen::Vector3f& a, const Eigen::Vector3f& b) {
    constexpr float kLeastCosine = 0.3F;
    return a.dot(b) > kLeastCosine * a.norm() * b.norm();
  }

  [[nodiscard]] bool is_thin(std::size_t half_edge) const {
    constexpr float kThin = 0.4F;  // height over the longest side; of an equilateral triangle it is 0.87
    const Eigen::Vector3f &a = at(table_.origin(half_edge)), &b = at(table_.target(half_edge)),
                          &c = at(table_.apex(half_edge));
    return normal(a, b, c).norm() <
           kThin * std::max({(b - a).squaredNorm(), (c - b).squaredNorm(), (a - c).squaredNorm()});
  }

  [[nodiscard]] bool is_unfolded(std::int32_t vertex, const Eigen::Vector3f& before,
                                 const Eigen::Vector3f& after) const {
    const Eigen::Vector3f across = normal_at(vertex);
    return before.dot(across) <= 0 && is_one_side(across, after);
  }

  /// The sum of the normals around a vertex, by areas.
  [[nodiscard]] Eigen::Vector3f normal_at(std::int32_t vertex) const {
    Eigen::Vector3f sum = Eigen::Vector3f::Zero();
    table_.around(vertex, [&](std::size_t half_edge) { sum += face_normal(half_edge); });
    return sum;
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
      const Eigen::Vector3f one = face_normal(i).normalized(), two = face_normal(other).normalized();
      const Eigen::Vector3f left = normal(at(a), at(d), at(c)).normalized(),
                            right = normal(at(b), at(c), at(d)).normalized();
      const bool stays = one.dot(two) > kFlat && left.dot(one) > kFlat && right.dot(one) > kFlat;
      if (!stays || !table_.can_flip(i) || !guard_.stays_apart_if_flipped(i)) continue;
      table_.flip(i);
      guard_.note_place_around(c);
    }
  }

  /// Moves each vertex, within its tangent plane, towards the mean of its neighbours, and onto the surface, unless that
  /// is far or a triangle would turn over.
  void move_vertices(float length) {
    end_if_stopped();
    constexpr std::size_t kMerged = 256;
    constexpr float kFarthest = 0.5F;  // of the wanted length
    Points even = positions_, placed = positions_;
    for_each_task((even.size() + kMerged - 1) / kMerged, threads_, [&](std::size_t task) {
      const std::size_t end = std::min(even.size(), (task + 1) * kMerged);
      for (std::size_t i = task * kMerged; i < end; ++i) {
        if (!table_.has_vertex(i)) continue;
        even[i] = evened(static_cast<std::int32_t>(i));
        const Eigen::Vector3f found = onto_(even[i]);
        placed[i] = found.allFinite() && (found - even[i]).norm() < kFarthest * length ? found : even[i];
      }
    });
    // The triangles' boxes, wherever their vertices are during the moves.
    guard_.sort_by_place(length, [&](TriangleBuckets::Box& box, std::int32_t vertex) {
      const auto i = static_cast<std::size_t>(vertex);
      box.extend(positions_[i]).extend(even[i]).extend(placed[i]);
    });
    for (std::size_t i = 0; i < even.size(); ++i) {
      if (!table_.has_vertex(i)) continue;
      const auto vertex = static_cast<std::int32_t>(i);
      for (const Eigen::Vector3f& place : {placed[i], even[i]}) {
        if (!may_move(vertex, -1, place, kEndless) || !guard_.stays_apart(vertex, -1, place)) continue;
        positions_[i] = place;
        break;
      }
    }
  }

  [[nodiscard]] Eigen::Vector3f evened(std::int32_t vertex) const {
    constexpr float kShare = 0.7F;
    Eigen::Vector3f mean = Eigen::Vector3f::Zero();
    float count = 0;
    table_.around(vertex, [&](std::size_t half_edge) {
      mean += at(table_.target(half_edge));
      ++count;
    });
    const Eigen::Vector3f across = normal_at(vertex);
    Eigen::Vector3f way = kShare * (mean / count - at(vertex));
    const float length = across.norm();
    if (length > 0) way -= way.dot(across) / (length * length) * across;
    return at(vertex) + way;
  }

  CornerTable table_;
  Points positions_;
  const std::function<Eigen::Vector3f(const Eigen::Vector3f&)>& onto_;
  int threads_;
  ApartGuard guard_;
};

}  // namespace

TriangleMesh even_mesh(const TriangleMesh& mesh, std::size_t vertices,
                       const std::function<Eigen::Vector3f(const Eigen::Vector3f&)>& onto, int threads) {
  return EvenMesher(mesh, onto, threads).run(vertices);
}

}  // namespace p2mpp
