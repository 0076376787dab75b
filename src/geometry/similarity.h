#pragma once

#include "p2mpp/similarity.h"
#include "p2mpp/triangle_mesh.h"

namespace p2mpp {

/// a_from_b of b_from_a. Precondition: the scale is positive and the rotation orthonormal.
[[nodiscard]] Similarity inverse(const Similarity& similarity);

/// c_from_a of c_from_b and b_from_a.
[[nodiscard]] Similarity compose(const Similarity& c_from_b, const Similarity& b_from_a);

inline constexpr double kMillimetre = 0.001;  ///< metres

/// Vertices and origin times a factor above zero, in double precision.
void scale_by(TriangleMesh& mesh, double factor);

/// Throws InputError if something is not a similarity ("scale is 0; expected a positive number").
void check_similarity(const Similarity& similarity);

/// Throws InputError if a matrix is not a rotation ("mirrors: its determinant is -1; expected 1"), up to 1e-5 in each
/// product of two rows.
void check_rotation(const Eigen::Matrix3d& matrix);

}  // namespace p2mpp
