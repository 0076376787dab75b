#include "geometry/cell_hierarchy.h"

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>

#include "base/parallel.h"

namespace p2mpp {
namespace {

using Box = Eigen::AlignedBox3f;

Box box_around(std::span<const Eigen::Vector3f> points) {
  Box box;
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
  explicit MortonCode(const Box& box) : corner_(box.min().cast<double>()) {
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

}  // namespace

CellHierarchy::CellHierarchy(std::span<const Eigen::Vector3f> points) {
  struct Coded {
    std::uint64_t code;
    Eigen::Vector3f point;
  };
  const MortonCode code_of(box_around(points));
  std::vector<Coded> coded;
  coded.reserve(points.size());
  for (const Eigen::Vector3f& point : points) coded.push_back({code_of(point), point});
  std::ranges::sort(coded, {}, &Coded::code);
  points_.reserve(points.size());
  codes_.reserve(points.size());
  for (const Coded& each : coded) {
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
  const Box box = box_around(points);
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

}  // namespace p2mpp
