#include "geometry/similarity.h"

#include <fmt/format.h>

#include <Eigen/LU>
#include <cmath>

namespace p2mpp {
namespace {

constexpr double kOrthonormal = 1e-5;  // leaves room for rotations that were written as floats

}  // namespace

Similarity inverse(const Similarity& similarity) {
  Similarity result;
  result.scale = 1 / similarity.scale;
  result.rotation = similarity.rotation.transpose();
  result.translation = -result.scale * (result.rotation * similarity.translation);
  return result;
}

Similarity compose(const Similarity& c_from_b, const Similarity& b_from_a) {
  Similarity result;
  result.scale = c_from_b.scale * b_from_a.scale;
  result.rotation = c_from_b.rotation * b_from_a.rotation;
  result.translation = c_from_b.transformed(b_from_a.translation);
  return result;
}

std::string describe_problem(const Similarity& similarity) {
  if (!std::isfinite(similarity.scale) || similarity.scale <= 0) {
    return fmt::format("scale is {:g}; expected a positive number", similarity.scale);
  }
  if (const std::string problem = describe_rotation_problem(similarity.rotation); !problem.empty()) {
    return "rotation " + problem;
  }
  if (!similarity.translation.allFinite()) return "translation is not finite; expected three numbers";
  return {};
}

std::string describe_rotation_problem(const Eigen::Matrix3d& matrix) {
  if (!matrix.allFinite()) return "is not finite; expected nine numbers";
  const double difference = (matrix * matrix.transpose() - Eigen::Matrix3d::Identity()).cwiseAbs().maxCoeff();
  if (!(difference <= kOrthonormal)) {
    return fmt::format("is not orthonormal: a product of two rows is off by {:.2g}; expected at most {:g}", difference,
                       kOrthonormal);
  }
  if (matrix.determinant() < 0) return "mirrors: its determinant is -1; expected 1";
  return {};
}

}  // namespace p2mpp
