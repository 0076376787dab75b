#include "geometry/similarity.h"

#include <fmt/format.h>

#include <Eigen/LU>
#include <cmath>

#include "base/with_prefix.h"

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

void scale_by(TriangleMesh& mesh, double factor) {
  for (Eigen::Vector3f& vertex : mesh.vertices) vertex = (vertex.cast<double>() * factor).cast<float>();
  mesh.origin *= factor;
}

void check_similarity(const Similarity& similarity) {
  if (!std::isfinite(similarity.scale) || similarity.scale <= 0) {
    throw InputError(fmt::format("scale is {:g}; expected a positive number", similarity.scale));
  }
  with_prefix("rotation ", [&] { check_rotation(similarity.rotation); });
  if (!similarity.translation.allFinite()) throw InputError("translation is not finite; expected three numbers");
}

void check_rotation(const Eigen::Matrix3d& matrix) {
  if (!matrix.allFinite()) throw InputError("is not finite; expected nine numbers");
  const double difference = (matrix * matrix.transpose() - Eigen::Matrix3d::Identity()).cwiseAbs().maxCoeff();
  if (!(difference <= kOrthonormal)) {
    throw InputError(fmt::format("is not orthonormal: a product of two rows is off by {:.2g}; expected at most {:g}",
                                 difference, kOrthonormal));
  }
  if (matrix.determinant() < 0) throw InputError("is a reflection: its determinant is -1; expected 1");
}

}  // namespace p2mpp
