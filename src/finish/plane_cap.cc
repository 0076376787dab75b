#include "finish/plane_cap.h"

#include <algorithm>
#include <cstddef>
#include <utility>

#include "base/stop_token.h"
#include "geometry/intersection/orientation.h"

namespace p2mpp {
namespace {

using Loop = std::vector<std::int32_t>;

class LoopCutter {
 public:
  explicit LoopCutter(std::span<const Eigen::Vector2f> points) : points_(points) {}

  std::optional<std::vector<Triangle>> cut(std::vector<Loop> loops) {
    std::vector<Loop> outer, holes;
    for (Loop& loop : loops) (doubled_area(loop) > 0 ? outer : holes).push_back(std::move(loop));
    std::vector<std::vector<Loop>> holes_of(outer.size());
    for (Loop& hole : holes) {
      const std::optional<std::size_t> around = loop_around(hole, outer);
      if (!around) return std::nullopt;
      holes_of[*around].push_back(std::move(hole));
    }
    for (std::size_t i = 0; i < outer.size(); ++i) {
      if (!join_holes(outer[i], std::move(holes_of[i])) || !cut_ears(std::move(outer[i]))) return std::nullopt;
    }
    return std::move(triangles_);
  }

 private:
  [[nodiscard]] const Eigen::Vector2f& at(std::int32_t point) const { return points_[static_cast<std::size_t>(point)]; }
  /// 1 if c is left of the line from a to b.
  [[nodiscard]] int side(std::int32_t a, std::int32_t b, std::int32_t c) const {
    return orientation(at(a), at(b), at(c));
  }

  [[nodiscard]] double doubled_area(const Loop& loop) const {
    double sum = 0;
    const Eigen::Vector2d apex = at(loop[0]).cast<double>();
    for (std::size_t i = 0; i + 1 < loop.size(); ++i) {
      const Eigen::Vector2d a = at(loop[i]).cast<double>() - apex, b = at(loop[i + 1]).cast<double>() - apex;
      sum += a.x() * b.y() - a.y() * b.x();
    }
    return sum;
  }

  /// Whether a point is inside a loop: a ray along x crosses it an odd number of times.
  [[nodiscard]] bool is_inside(std::int32_t point, const Loop& loop) const {
    bool inside = false;
    for (std::size_t i = 0; i < loop.size(); ++i) {
      std::int32_t low = loop[i], high = loop[(i + 1) % loop.size()];
      if (at(low).y() > at(high).y()) std::swap(low, high);
      if (at(low).y() > at(point).y() || at(high).y() <= at(point).y()) continue;
      if (side(low, high, point) > 0) inside = !inside;
    }
    return inside;
  }

  /// The smallest loop around a hole.
  [[nodiscard]] std::optional<std::size_t> loop_around(const Loop& hole, const std::vector<Loop>& outer) const {
    std::optional<std::size_t> found;
    for (std::size_t i = 0; i < outer.size(); ++i) {
      if (!is_inside(hole[0], outer[i])) continue;
      if (!found || doubled_area(outer[i]) < doubled_area(outer[*found])) found = i;
    }
    return found;
  }

  /// Makes one loop of a loop and its holes: by two-way bridges, from the holes' leftmost points on.
  bool join_holes(Loop& loop, std::vector<Loop> holes) const {
    const auto is_left = [this](std::int32_t a, std::int32_t b) { return at(a).x() < at(b).x(); };
    // Not std::ranges::rotate: see camera_hypotheses.cc.
    for (Loop& hole : holes) std::rotate(hole.begin(), std::ranges::min_element(hole, is_left), hole.end());
    std::ranges::sort(holes, [&](const Loop& a, const Loop& b) { return is_left(a[0], b[0]); });
    for (std::size_t i = 0; i < holes.size(); ++i) {
      const std::optional<std::size_t> place = place_of_bridge(loop, std::span(holes).subspan(i));
      if (!place) return false;
      Loop way(holes[i]);
      way.push_back(holes[i][0]);
      way.push_back(loop[*place]);
      loop.insert(loop.begin() + static_cast<std::ptrdiff_t>(*place) + 1, way.begin(), way.end());
    }
    return true;
  }

  /// The place in a loop that is nearest to the first hole's first point and that it sees.
  [[nodiscard]] std::optional<std::size_t> place_of_bridge(const Loop& loop, std::span<const Loop> holes) const {
    const std::int32_t from = holes[0][0];
    std::vector<std::pair<float, std::size_t>> places;
    for (std::size_t i = 0; i < loop.size(); ++i) places.emplace_back((at(loop[i]) - at(from)).squaredNorm(), i);
    std::ranges::sort(places);
    for (const auto& [distance, place] : places) {
      if (!is_in_corner(loop, place, from)) continue;
      bool is_free = !crosses(loop, from, loop[place]);
      for (const Loop& hole : holes) is_free = is_free && !crosses(hole, from, loop[place]);
      if (is_free) return place;
    }
    return std::nullopt;
  }

  /// Whether the way from a loop's place to a point begins inside the loop. Source: O'Rourke, "Computational Geometry
  /// in C" (1998), 1.6.
  [[nodiscard]] bool is_in_corner(const Loop& loop, std::size_t place, std::int32_t to) const {
    const std::int32_t corner = loop[place], before = loop[(place + loop.size() - 1) % loop.size()],
                       after = loop[(place + 1) % loop.size()];
    if (side(corner, after, before) >= 0) return side(corner, to, before) > 0 && side(to, corner, after) > 0;
    return !(side(corner, to, after) >= 0 && side(to, corner, before) >= 0);
  }

  /// Whether the segment from a to b touches a side of a loop elsewhere than in its own ends.
  [[nodiscard]] bool crosses(const Loop& loop, std::int32_t a, std::int32_t b) const {
    for (std::size_t i = 0; i < loop.size(); ++i) {
      const std::int32_t c = loop[i], d = loop[(i + 1) % loop.size()];
      if (c != a && c != b && is_on(a, b, c)) return true;
      if (c == a || c == b || d == a || d == b) continue;
      if (side(a, b, c) * side(a, b, d) <= 0 && side(c, d, a) * side(c, d, b) <= 0) return true;
    }
    return false;
  }

  [[nodiscard]] bool is_on(std::int32_t a, std::int32_t b, std::int32_t point) const {
    return side(a, b, point) == 0 && (at(point) - at(a)).dot(at(b) - at(a)) > 0 &&
           (at(point) - at(b)).dot(at(a) - at(b)) > 0;
  }

  bool cut_ears(Loop loop) {
    std::size_t place = 0, without_ear = 0;
    while (loop.size() > 3) {
      if (without_ear > loop.size()) return false;
      place %= loop.size();
      const Triangle ear = {loop[(place + loop.size() - 1) % loop.size()], loop[place],
                            loop[(place + 1) % loop.size()]};
      if (is_ear(loop, ear)) {
        triangles_.push_back(ear);
        loop.erase(loop.begin() + static_cast<std::ptrdiff_t>(place));
        without_ear = 0;
        end_if_stopped();
      } else {
        ++without_ear;
      }
      ++place;
    }
    triangles_.push_back({loop[0], loop[1], loop[2]});
    return side(loop[0], loop[1], loop[2]) > 0;
  }

  /// Whether a corner may be cut off: it turns left, and no other point is in its triangle or on it.
  [[nodiscard]] bool is_ear(const Loop& loop, const Triangle& ear) const {
    const std::int32_t a = ear[0], b = ear[1], c = ear[2];
    if (side(a, b, c) <= 0) return false;
    return std::ranges::none_of(loop, [&](std::int32_t point) {
      return point != a && point != b && point != c && side(a, b, point) >= 0 && side(b, c, point) >= 0 &&
             side(c, a, point) >= 0;
    });
  }

  std::span<const Eigen::Vector2f> points_;
  std::vector<Triangle> triangles_;
};

}  // namespace

std::optional<std::vector<Triangle>> triangles_of_loops(std::span<const Eigen::Vector2f> points,
                                                        std::vector<std::vector<std::int32_t>> loops) {
  if (std::ranges::any_of(loops, [](const Loop& loop) { return loop.size() < 3; })) return std::nullopt;
  return LoopCutter(points).cut(std::move(loops));
}

}  // namespace p2mpp
