#include "geometry/corner_table.h"

#include <array>

#include "geometry/edge_uses.h"
#include "p2mpp/error.h"

namespace p2mpp {

CornerTable::CornerTable(const TriangleMesh& mesh)
    : opposite_(3 * mesh.triangles.size(), -1), leaving_(mesh.vertices.size(), -1) {
  for (const Triangle& triangle : mesh.triangles) origin_.insert(origin_.end(), triangle.begin(), triangle.end());
  const std::vector<EdgeUse> uses = sorted_edge_uses(mesh.triangles);
  for (std::size_t i = 0; i < uses.size(); i += 2) {
    const bool is_pair = i + 1 < uses.size() && uses[i].edge == uses[i + 1].edge &&
                         uses[i].forward != uses[i + 1].forward &&
                         (i + 2 == uses.size() || uses[i + 2].edge != uses[i].edge);
    if (!is_pair) throw InputError("an edge does not have two triangles that traverse it in opposite directions");
    const auto half_edge_of = [&](const EdgeUse& use) {
      std::size_t half_edge = 3 * use.triangle;
      const std::int32_t from = use.edge[use.forward ? 0 : 1];
      while (origin_[half_edge] != from) ++half_edge;
      return half_edge;
    };
    pair(half_edge_of(uses[i]), half_edge_of(uses[i + 1]));
  }
  std::vector<int> fans(leaving_.size());
  for (std::size_t i = 0; i < origin_.size(); ++i) {
    leaving_[static_cast<std::size_t>(origin_[i])] = static_cast<std::int32_t>(i);
    ++fans[static_cast<std::size_t>(origin_[i])];
  }
  for (std::size_t i = 0; i < leaving_.size(); ++i) {
    if (leaving_[i] < 0) continue;
    ++vertex_count_;
    if (valence(static_cast<std::int32_t>(i)) != fans[i]) throw InputError("two surfaces touch in a vertex");
  }
}

bool CornerTable::can_collapse(std::size_t half_edge) const {
  const std::int32_t a = origin(half_edge), b = target(half_edge);
  if (valence(apex(half_edge)) <= 3 || valence(apex(opposite(half_edge))) <= 3) return false;
  // The link condition: only the two apices are neighbours of both.
  std::array<std::int32_t, 64> ring{};
  std::size_t count = 0;
  around(a, [&](std::size_t each) {
    if (count < ring.size()) ring[count] = target(each);
    ++count;
  });
  if (count > ring.size()) return false;
  int common = 0;
  around(b, [&](std::size_t each) {
    for (std::size_t i = 0; i < count; ++i) common += ring[i] == target(each);
  });
  return common == 2;
}

/// Joins the two other sides of a triangle that is going, along its half-edge.
void CornerTable::close(std::size_t half_edge) {
  const std::size_t after = opposite(next(half_edge)), before = opposite(previous(half_edge));
  leaving_[static_cast<std::size_t>(apex(half_edge))] = static_cast<std::int32_t>(after);
  pair(after, before);
}

void CornerTable::collapse(std::size_t half_edge) {
  const std::int32_t a = origin(half_edge), b = target(half_edge);
  const std::size_t other = opposite(half_edge);
  const std::size_t kept = opposite(previous(half_edge));  // from a to the apex
  const std::size_t first = next(half_edge);               // leaves b
  std::size_t each = first;
  do {
    const std::size_t following = opposite(previous(each));
    origin_[each] = a;
    each = following;
  } while (each != first);
  close(half_edge);
  close(other);
  for (const std::size_t gone : {half_edge, other}) {
    for (std::size_t i = 0; i < 3; ++i) origin_[gone - gone % 3 + i] = -1;
  }
  leaving_[static_cast<std::size_t>(a)] = static_cast<std::int32_t>(kept);
  leaving_[static_cast<std::size_t>(b)] = -1;
  --vertex_count_;
}

std::int32_t CornerTable::split(std::size_t half_edge) {
  const std::size_t other = opposite(half_edge);
  const std::int32_t b = target(half_edge), c = apex(half_edge), d = apex(other);
  const auto middle = static_cast<std::int32_t>(leaving_.size());
  const std::size_t ahead = next(half_edge), behind = previous(other);  // b to c, d to b
  const std::size_t beyond_ahead = opposite(ahead), beyond_behind = opposite(behind);
  const std::size_t one = origin_.size(), two = one + 3;
  origin_.insert(origin_.end(), {middle, b, c, b, middle, d});
  opposite_.resize(origin_.size());
  origin_[ahead] = middle;
  origin_[other] = middle;
  pair(one + 1, beyond_ahead);
  pair(one + 2, ahead);
  pair(one, two);
  pair(two + 2, beyond_behind);
  pair(two + 1, behind);
  leaving_[static_cast<std::size_t>(b)] = static_cast<std::int32_t>(one + 1);
  leaving_.push_back(static_cast<std::int32_t>(one));
  ++vertex_count_;
  return middle;
}

bool CornerTable::can_flip(std::size_t half_edge) const {
  const std::int32_t c = apex(half_edge), d = apex(opposite(half_edge));
  return c != d && valence(origin(half_edge)) > 3 && valence(target(half_edge)) > 3 && !has_edge(c, d);
}

void CornerTable::flip(std::size_t half_edge) {
  const std::size_t other = opposite(half_edge);
  const std::int32_t a = origin(half_edge), b = target(half_edge), c = apex(half_edge), d = apex(other);
  const std::size_t ahead = next(half_edge), other_ahead = next(other);
  const std::size_t beyond = opposite(ahead), other_beyond = opposite(other_ahead);
  origin_[ahead] = d;        // a d c
  origin_[other_ahead] = c;  // b c d
  pair(half_edge, other_beyond);
  pair(other, beyond);
  pair(ahead, other_ahead);
  leaving_[static_cast<std::size_t>(a)] = static_cast<std::int32_t>(half_edge);
  leaving_[static_cast<std::size_t>(b)] = static_cast<std::int32_t>(other);
  leaving_[static_cast<std::size_t>(c)] = static_cast<std::int32_t>(other_ahead);
  leaving_[static_cast<std::size_t>(d)] = static_cast<std::int32_t>(ahead);
}

TriangleMesh CornerTable::mesh(const Points& positions) const {
  TriangleMesh result;
  std::vector<std::int32_t> number(leaving_.size(), -1);
  for (std::size_t i = 0; i < leaving_.size(); ++i) {
    if (leaving_[i] < 0) continue;
    number[i] = static_cast<std::int32_t>(result.vertices.size());
    result.vertices.push_back(positions[i]);
  }
  for (std::size_t i = 0; i < origin_.size(); i += 3) {
    if (origin_[i] < 0) continue;
    const auto corner = [&](std::size_t k) { return number[static_cast<std::size_t>(origin_[i + k])]; };
    result.triangles.push_back({corner(0), corner(1), corner(2)});
  }
  return result;
}

}  // namespace p2mpp
