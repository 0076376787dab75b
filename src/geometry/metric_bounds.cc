#include "geometry/metric_bounds.h"

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <iterator>
#include <numeric>

#include "base/parallel.h"
#include "geometry/neighbour_search.h"

namespace p2mpp {

double f1_score(double precision, double recall) {
  return precision + recall > 0 ? 2 * precision * recall / (precision + recall) : 0;
}

double distance_of_90_percent(std::vector<WeightedValue> distances) {
  constexpr double kShare = 0.9;
  std::ranges::sort(distances, {}, &WeightedValue::value);
  const std::size_t count = std::transform_reduce(distances.begin(), distances.end(), std::size_t{0}, std::plus{},
                                                  [](const WeightedValue& each) { return each.count; });
  const double place = kShare * static_cast<double>(count - 1);
  const auto rank = static_cast<std::size_t>(place);
  auto at = distances.begin();
  std::size_t passed = at->count;  // ranks below it have been reached
  while (passed <= rank) passed += (++at)->count;
  const auto next = passed > rank + 1 || std::next(at) == distances.end() ? at : std::next(at);
  return std::lerp(at->value, next->value, place - static_cast<double>(rank));
}

namespace {

Eigen::AlignedBox3f box_around(std::span<const Eigen::Vector3f> points) {
  Eigen::AlignedBox3f box;
  for (const Eigen::Vector3f& point : points) box.extend(point);
  return box;
}

// Spreads the bits of a 21-bit number: two zeros between adjacent bits.
std::uint64_t spread_bits(std::uint64_t bits) {
  bits = (bits | bits << 32) & 0x001F00000000FFFF;
  bits = (bits | bits << 16) & 0x001F0000FF0000FF;
  bits = (bits | bits << 8) & 0x100F00F00F00F00F;
  bits = (bits | bits << 4) & 0x10C30C30C30C30C3;
  return (bits | bits << 2) & 0x1249249249249249;
}

class MortonCode {
 public:
  explicit MortonCode(const Eigen::AlignedBox3f& box) : corner_(box.min().cast<double>()) {
    const double side = (box.max().cast<double>() - corner_).maxCoeff();
    scale_ = side > 0 ? kCells / side : 0;
  }

  std::uint64_t operator()(const Eigen::Vector3f& point) const {
    const Eigen::Vector3d place = ((point.cast<double>() - corner_) * scale_).cwiseMin(kCells - 1);
    return spread_bits(static_cast<std::uint64_t>(place.x())) << 2 |
           spread_bits(static_cast<std::uint64_t>(place.y())) << 1 | spread_bits(static_cast<std::uint64_t>(place.z()));
  }

 private:
  static constexpr double kCells = 1 << CellHierarchy::kFinestLevel;  // along each axis
  Eigen::Vector3d corner_;
  double scale_ = 0;
};

double squared_distance(const Eigen::Vector3f& a, const Eigen::Vector3d& b) {
  return (a.cast<double>() - b).squaredNorm();
}

constexpr int kFirstLevel = 4;
constexpr int kFirstQueryLevel = 2;
constexpr double kRounding = 1e-12;  // above the relative error of any distance in double
// A cell of queries is not split further if its squared distance is known to this share of the tolerance.
constexpr double kCellTolerance = 0.25;

// Bounds of the distances of a cell's points to their nearest targets.
struct CellBounds {
  double low = 0, high = 0;
  std::size_t count = 0;
};

// Targets, represented by cells.
class CoarseTargets {
 public:
  CoarseTargets(const CellHierarchy& hierarchy, int level, int threads) {
    const std::vector<Cell> cells = hierarchy.cells(level, threads);
    Points representatives;
    representatives.reserve(cells.size());
    for (const Cell& cell : cells) {
      representatives.push_back(cell.representative);
      radius_ = std::max(radius_, cell.radius);
    }
    count_ = cells.size();
    search_ = NeighbourSearch(representatives);
  }

  [[nodiscard]] double radius() const { return radius_; }
  [[nodiscard]] std::size_t count() const { return count_; }

  // Every target is within the radius of a representative, and representatives are targets themselves.
  [[nodiscard]] CellBounds distance(const Cell& queries) const {
    const double distance = std::sqrt(search_.nearest(queries.representative).squared_distance);
    return {.low = std::max(0.0, distance * (1 - kRounding) - queries.radius - radius_),
            .high = distance * (1 + kRounding) + queries.radius,
            .count = queries.count()};
  }

 private:
  NeighbourSearch search_{Points{Eigen::Vector3f::Zero()}};
  double radius_ = 0;  // the largest of any cell
  std::size_t count_ = 0;
};

bool is_decided(const CellBounds& bounds, double squared_threshold) {
  return bounds.high * bounds.high <= squared_threshold || bounds.low * bounds.low > squared_threshold;
}

bool is_fine_enough(const CellBounds& bounds, double tolerance) {
  const double low = bounds.low * bounds.low, high = bounds.high * bounds.high;
  return is_decided(bounds, kTau) && is_decided(bounds, 2 * kTau) && high - low <= kCellTolerance * tolerance * low;
}

// Distances of all queries. Cells are split down to the targets' level if that narrows the bounds.
std::vector<CellBounds> bound_distances(const CellHierarchy& queries, const CoarseTargets& targets, int finest_level,
                                        const BoundOptions& options) {
  std::vector<CellBounds> found;
  std::vector<Cell> open = queries.cells(kFirstQueryLevel, options.threads);
  for (int level = kFirstQueryLevel;; ++level) {
    std::vector<CellBounds> bounds(open.size());
    for_each_piece(open.size(), options.threads, [&](std::size_t begin, std::size_t end) {
      for (std::size_t i = begin; i < end; ++i) {
        if (i % 1024 == 0) end_if_stopped();
        bounds[i] = targets.distance(open[i]);
      }
    });
    std::vector<Cell> too_coarse;
    for (std::size_t i = 0; i < open.size(); ++i) {
      if (level == finest_level || open[i].radius == 0 || is_fine_enough(bounds[i], options.tolerance)) {
        found.push_back(bounds[i]);
      } else {
        too_coarse.push_back(open[i]);
      }
    }
    if (too_coarse.empty()) return found;
    open = queries.split(too_coarse, level + 1, options.threads);
  }
}

struct OneWayBounds {
  Interval mean_squared_distance, percent_tau, percent_2tau, distance_90;
};

Interval percent_within(const std::vector<CellBounds>& cells, double squared_threshold, std::size_t total) {
  std::size_t surely = 0, perhaps = 0;
  for (const CellBounds& cell : cells) {
    if (cell.high * cell.high <= squared_threshold) surely += cell.count;
    if (cell.low * cell.low <= squared_threshold) perhaps += cell.count;
  }
  const auto percent = [&](std::size_t count) {
    return 100.0 * static_cast<double>(count) / static_cast<double>(total);
  };
  return {percent(surely), percent(perhaps)};
}

OneWayBounds enclose(const std::vector<CellBounds>& cells) {
  OneWayBounds way;
  std::size_t total = 0;
  std::vector<WeightedValue> lows, highs;
  for (const CellBounds& cell : cells) {
    const auto count = static_cast<double>(cell.count);
    way.mean_squared_distance.low += count * cell.low * cell.low;
    way.mean_squared_distance.high += count * cell.high * cell.high;
    lows.push_back({cell.low, cell.count});
    highs.push_back({cell.high, cell.count});
    total += cell.count;
  }
  way.mean_squared_distance.low *= (1 - kRounding) / static_cast<double>(total);
  way.mean_squared_distance.high *= (1 + kRounding) / static_cast<double>(total);
  way.percent_tau = percent_within(cells, kTau, total);
  way.percent_2tau = percent_within(cells, 2 * kTau, total);
  way.distance_90 = {distance_of_90_percent(std::move(lows)), distance_of_90_percent(std::move(highs))};
  return way;
}

Interval f1_interval(const Interval& precision, const Interval& recall) {
  return {f1_score(precision.low, recall.low), f1_score(precision.high, recall.high)};
}

MetricBounds combine(const OneWayBounds& forth, const OneWayBounds& back) {
  const auto& [a, b] = std::pair{forth.mean_squared_distance, back.mean_squared_distance};
  return {.chamfer_distance = {a.low + b.low, a.high + b.high},
          .f1_tau = f1_interval(forth.percent_tau, back.percent_tau),
          .f1_2tau = f1_interval(forth.percent_2tau, back.percent_2tau),
          .hausdorff_90 = {std::max(forth.distance_90.low, back.distance_90.low),
                           std::max(forth.distance_90.high, back.distance_90.high)}};
}

bool is_within(const MetricBounds& bounds, double tolerance) {
  const auto relative = [&](const Interval& each) { return each.width() <= tolerance * each.high; };
  const auto absolute = [&](const Interval& each) { return each.width() <= 100 * tolerance; };
  return relative(bounds.chamfer_distance) && relative(bounds.hausdorff_90) && absolute(bounds.f1_tau) &&
         absolute(bounds.f1_2tau);
}

}  // namespace

CellHierarchy::CellHierarchy(std::span<const Eigen::Vector3f> points) {
  struct CodedPoint {
    std::uint64_t code;
    Eigen::Vector3f point;
  };
  const MortonCode code_of(box_around(points));
  std::vector<CodedPoint> coded;
  coded.reserve(points.size());
  for (const Eigen::Vector3f& point : points) coded.push_back({code_of(point), point});
  std::ranges::sort(coded, {}, &CodedPoint::code);
  points_.reserve(points.size());
  codes_.reserve(points.size());
  for (const CodedPoint& each : coded) {
    points_.push_back(each.point);
    codes_.push_back(each.code);
  }
}

std::vector<Cell> CellHierarchy::cells(int level, int threads) const {
  const Cell all{.begin = 0, .end = static_cast<std::uint32_t>(points_.size())};
  return split({&all, 1}, level, threads);
}

std::vector<Cell> CellHierarchy::split(std::span<const Cell> coarser, int level, int threads) const {
  const int shift = 3 * (kFinestLevel - level);
  std::vector<Cell> found;
  for (const Cell& cell : coarser) {
    for (std::uint32_t begin = cell.begin; begin < cell.end;) {
      const std::uint64_t last = codes_[begin] | ((std::uint64_t{1} << shift) - 1);  // of the same cell
      const auto end = std::upper_bound(codes_.begin() + begin, codes_.begin() + cell.end, last) - codes_.begin();
      found.push_back({.begin = begin, .end = static_cast<std::uint32_t>(end)});
      begin = static_cast<std::uint32_t>(end);
    }
  }
  for_each_piece(found.size(), threads, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) found[i] = fitted(found[i].begin, found[i].end);
  });
  return found;
}

// The representative is the point nearest to the centre of the points' bounding box.
Cell CellHierarchy::fitted(std::uint32_t begin, std::uint32_t end) const {
  const auto points = std::span(points_).subspan(begin, end - begin);
  const Eigen::AlignedBox3f box = box_around(points);
  const Eigen::Vector3d middle = (box.min().cast<double>() + box.max().cast<double>()) / 2;
  const auto nearest = std::ranges::min_element(
      points, {}, [&](const Eigen::Vector3f& point) { return squared_distance(point, middle); });
  Cell cell{.begin = begin, .end = end, .representative = *nearest};
  for (const Eigen::Vector3f& point : points) {
    cell.radius = std::max(cell.radius, squared_distance(point, cell.representative.cast<double>()));
  }
  cell.radius = std::sqrt(cell.radius);
  return cell;
}

MetricBounds bound_shapes(PointSpan predicted, PointSpan truth, const BoundOptions& options) {
  check_points("predicted", predicted);
  check_points("true", truth);
  const CellHierarchy predicted_cells(predicted), truth_cells(truth);
  for (int level = kFirstLevel;; ++level) {
    const CoarseTargets among_predicted(predicted_cells, level, options.threads);
    const CoarseTargets among_truth(truth_cells, level, options.threads);
    MetricBounds bounds = combine(enclose(bound_distances(predicted_cells, among_truth, level, options)),
                                  enclose(bound_distances(truth_cells, among_predicted, level, options)));
    bounds.predicted_cells = among_predicted.count();
    bounds.truth_cells = among_truth.count();
    const bool is_exact = among_predicted.radius() == 0 && among_truth.radius() == 0;
    if (is_exact || level == CellHierarchy::kFinestLevel || is_within(bounds, options.tolerance)) return bounds;
  }
}

}  // namespace p2mpp
