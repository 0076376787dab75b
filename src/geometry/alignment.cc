#include "geometry/alignment.h"

#include <fmt/format.h>

#include <Eigen/Geometry>
#include <cmath>

#include "geometry/neighbour_search.h"
#include "geometry/points.h"
#include "p2mpp/error.h"

namespace p2mpp {
namespace {

constexpr int kMaxRounds = 200;
constexpr double kConverged = 1e-7;  ///< relative change of the root mean square
constexpr double kLargestRatio = 1.3;
constexpr std::size_t kFewestPoints = 3;

using Cloud = Eigen::Matrix3Xd;

Cloud to_cloud(const Points& points) {
  Cloud cloud(3, static_cast<Eigen::Index>(points.size()));
  for (std::size_t i = 0; i < points.size(); ++i) {
    cloud.col(static_cast<Eigen::Index>(i)) = points[i].cast<double>();
  }
  return cloud;
}

Points to_points(const Cloud& cloud) {
  Points points(static_cast<std::size_t>(cloud.cols()));
  for (std::size_t i = 0; i < points.size(); ++i) points[i] = cloud.col(static_cast<Eigen::Index>(i)).cast<float>();
  return points;
}

double radius(const Cloud& cloud) {
  const Eigen::Vector3d middle = cloud.rowwise().mean();
  return std::sqrt((cloud.colwise() - middle).squaredNorm() / static_cast<double>(cloud.cols()));
}

void check_shape(const char* name, const Points& points) {
  check_points(name, points);
  if (points.size() < kFewestPoints || !(radius(to_cloud(points)) > 0)) {
    throw InputError(
        fmt::format("the {} shape has no extent; expected at least {} different points", name, kFewestPoints));
  }
}

Cloud transformed(const Similarity& similarity, const Cloud& cloud) {
  return ((similarity.scale * similarity.rotation) * cloud).colwise() + similarity.translation;
}

Similarity similarity_between(const Cloud& from, const Cloud& to) {
  const Eigen::Matrix4d matrix = Eigen::umeyama(from, to, true);
  Similarity result;
  result.scale = matrix.block<3, 1>(0, 0).norm();
  result.rotation = matrix.block<3, 3>(0, 0) / result.scale;
  result.translation = matrix.block<3, 1>(0, 3);
  return result;
}

// Corresponding columns of `source` and `target`: each point of either shape with its nearest point of the other. Both
// directions are needed: with one alone, a shape that shrinks into a dense part of the other one fits best.
struct Pairs {
  Cloud from, to;
  double root_mean_square = 0;
};

Pairs closest_pairs(const Cloud& from, const Cloud& to, const NeighbourSearch& search_to, const Similarity& current,
                    int threads) {
  const Points moved = to_points(transformed(current, from));
  const Neighbours forth = search_to.nearest(moved, threads);
  const Neighbours back = NeighbourSearch(moved).nearest(to_points(to), threads);
  const Eigen::Index total = from.cols() + to.cols();
  Pairs pairs{Cloud(3, total), Cloud(3, total)};
  pairs.from.leftCols(from.cols()) = from;
  pairs.to.rightCols(to.cols()) = to;
  double sum = 0;
  for (Eigen::Index i = 0; i < from.cols(); ++i) {
    pairs.to.col(i) = to.col(forth.indices[static_cast<std::size_t>(i)]);
    sum += forth.squared_distances[static_cast<std::size_t>(i)];
  }
  for (Eigen::Index i = 0; i < to.cols(); ++i) {
    pairs.from.col(from.cols() + i) = from.col(back.indices[static_cast<std::size_t>(i)]);
    sum += back.squared_distances[static_cast<std::size_t>(i)];
  }
  pairs.root_mean_square = std::sqrt(sum / static_cast<double>(total));
  return pairs;
}

}  // namespace

Alignment align(const Points& from, const Points& to, int threads) {
  check_shape("predicted", from);
  check_shape("truth", to);
  const Cloud source = to_cloud(from);
  const Cloud target = to_cloud(to);
  const NeighbourSearch search_to(to);
  Similarity current;
  current.scale = radius(target) / radius(source);
  current.translation = target.rowwise().mean() - current.scale * source.rowwise().mean();

  Alignment best{current, std::numeric_limits<double>::infinity(), 0};
  for (int round = 0; round < kMaxRounds; ++round) {
    const Pairs pairs = closest_pairs(source, target, search_to, current, threads);
    const double gain = best.root_mean_square - pairs.root_mean_square;
    if (gain <= 0) break;
    const bool converged = gain < kConverged * pairs.root_mean_square;
    best = {current, pairs.root_mean_square, round + 1};
    if (converged) break;
    current = similarity_between(pairs.from, pairs.to);
  }
  return best;
}

bool boxes_overlap(const Points& a, const Points& b) { return box_of(a).intersects(box_of(b)); }

std::string describe_mismatch(const Points& predicted, const Points& truth) {
  if (predicted.empty() || truth.empty()) return {};
  const Eigen::AlignedBox3f a = box_of(predicted), b = box_of(truth);
  const double ratio = static_cast<double>(a.diagonal().norm()) / static_cast<double>(b.diagonal().norm());
  if (!a.intersects(b)) {
    return "the bounding boxes do not overlap: the two are in different frames or units";
  }
  if (ratio > kLargestRatio || ratio < 1 / kLargestRatio) {
    return fmt::format(
        "the prediction's bounding box is {:.3g} times as large as the truth's: the two are in different "
        "frames or units, or the prediction is wrong",
        ratio);
  }
  return {};
}

}  // namespace p2mpp
