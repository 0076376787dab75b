#include "geometry/neighbour_search.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <nanoflann.hpp>
#include <tuple>

#include "base/parallel.h"
#include "p2mpp/error.h"

namespace p2mpp {
namespace {

struct IndexedPoint {
  Eigen::Vector3f point;
  std::uint32_t index = 0;  // among the targets
};

// Distinct positions, each with its first index. nanoflann 1.5.4 to 1.6.0 reads out of bounds if many points coincide.
std::vector<IndexedPoint> distinct(PointSpan points) {
  std::vector<IndexedPoint> places;
  places.reserve(points.size());
  for (const Eigen::Vector3f& point : points) places.push_back({point, static_cast<std::uint32_t>(places.size())});
  std::ranges::sort(places, std::less{}, [](const IndexedPoint& place) {
    return std::tuple(place.point.x(), place.point.y(), place.point.z(), place.index);
  });
  const auto same_point = [](const IndexedPoint& a, const IndexedPoint& b) { return a.point == b.point; };
  places.erase(std::unique(places.begin(), places.end(), same_point), places.end());
  return places;
}

// nanoflann's interface to the points. Doubles, because no square of a finite float overflows them.
struct PlaceReader {
  std::vector<IndexedPoint> places;

  [[nodiscard]] std::size_t kdtree_get_point_count() const { return places.size(); }
  [[nodiscard]] double kdtree_get_pt(std::size_t index, std::size_t axis) const {
    return double{places[index].point[static_cast<Eigen::Index>(axis)]};
  }
  template <typename BoundingBox>
  bool kdtree_get_bbox(BoundingBox&) const {
    return false;
  }
};

using KdTree = nanoflann::KDTreeSingleIndexAdaptor<nanoflann::L2_Simple_Adaptor<double, PlaceReader>, PlaceReader, 3>;

}  // namespace

void check_points(std::string_view name, PointSpan points) {
  if (points.empty()) throw InputError(fmt::format("0 {} points; expected at least 1", name));
  const auto bad = std::find_if(points.begin(), points.end(), [](const Eigen::Vector3f& p) { return !p.allFinite(); });
  if (bad != points.end()) {
    throw InputError(fmt::format("{} point {}, counted from 1, is ({}, {}, {}); expected finite coordinates", name,
                                 bad - points.begin() + 1, bad->x(), bad->y(), bad->z()));
  }
}

struct NeighbourSearch::Tree {
  explicit Tree(PointSpan targets) : reader{distinct(targets)}, index(3, reader) {}
  PlaceReader reader;
  KdTree index;
};

NeighbourSearch::NeighbourSearch(PointSpan targets) : tree_(std::make_unique<Tree>(targets)) {}
NeighbourSearch::NeighbourSearch(NeighbourSearch&&) noexcept = default;
NeighbourSearch& NeighbourSearch::operator=(NeighbourSearch&&) noexcept = default;
NeighbourSearch::~NeighbourSearch() = default;

Neighbour NeighbourSearch::nearest(const Eigen::Vector3f& query) const {
  const std::array<double, 3> point{query.x(), query.y(), query.z()};
  std::uint32_t place = 0;
  Neighbour found;
  (void)tree_->index.knnSearch(point.data(), 1, &place, &found.squared_distance);
  found.index = tree_->reader.places[place].index;
  return found;
}

Neighbours NeighbourSearch::nearest(PointSpan queries, int threads) const {
  Neighbours found{std::vector<double>(queries.size()), std::vector<std::uint32_t>(queries.size())};
  for_each_piece(queries.size(), threads, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      if (i % 4096 == 0) end_if_stopped();
      const Neighbour neighbour = nearest(queries[i]);
      found.squared_distances[i] = neighbour.squared_distance;
      found.indices[i] = neighbour.index;
    }
  });
  return found;
}

}  // namespace p2mpp
