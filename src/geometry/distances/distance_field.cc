#include "geometry/distances/distance_field.h"

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>

#include "base/parallel.h"
#include "geometry/distances/line_transform.h"
#include "geometry/distances/winding_number.h"

namespace p2mpp {

VoxelCorners::VoxelCorners(const Eigen::Vector3i& counts, const Eigen::Vector3f& place) {
  int near[3], far[3];
  float share[3];
  for (int axis = 0; axis < 3; ++axis) {
    const float at = std::clamp(place[axis] - 0.5F, 0.0F, static_cast<float>(counts[axis] - 1));
    near[axis] = static_cast<int>(at);
    far[axis] = std::min(near[axis] + 1, counts[axis] - 1);
    share[axis] = at - static_cast<float>(near[axis]);
  }
  for (int corner = 0; corner < 8; ++corner) {
    std::size_t voxel = 0;
    weight[corner] = 1;
    for (int axis = 0; axis < 3; ++axis) {
      const bool is_far = (corner >> axis & 1) != 0;
      voxel =
          voxel * static_cast<std::size_t>(counts[axis]) + static_cast<std::size_t>(is_far ? far[axis] : near[axis]);
      weight[corner] *= is_far ? share[axis] : 1 - share[axis];
    }
    index[corner] = voxel;
  }
}

DistanceField::Value DistanceField::at(const Eigen::Vector3f& point) const {
  const Eigen::Vector3d placed = frame_from_world * point.cast<double>();
  const Eigen::Vector3d inside = placed.cwiseMax(grid.lower).cwiseMin(grid.upper());
  const VoxelCorners corners(grid.counts, ((placed - grid.lower) / grid.voxel).cast<float>());
  Value value{static_cast<float>((placed - inside).norm()), 0};
  for (int corner = 0; corner < 8; ++corner) {
    value.distance += corners.weight[corner] * distances[corners.index[corner]];
    value.error += corners.weight[corner] * errors[corners.index[corner]];
  }
  return value;
}

namespace {

/// Source: Ericson, "Real-Time Collision Detection" (2005), 5.1.5.
float squared_distance(const Eigen::Vector3f& p, const Eigen::Vector3f& a, const Eigen::Vector3f& b,
                       const Eigen::Vector3f& c) {
  const Eigen::Vector3f ab = b - a, ac = c - a, ap = p - a;
  const float d1 = ab.dot(ap), d2 = ac.dot(ap);
  if (d1 <= 0 && d2 <= 0) return ap.squaredNorm();
  const Eigen::Vector3f bp = p - b;
  const float d3 = ab.dot(bp), d4 = ac.dot(bp);
  if (d3 >= 0 && d4 <= d3) return bp.squaredNorm();
  const float vc = d1 * d4 - d3 * d2;
  if (vc <= 0 && d1 >= 0 && d3 <= 0) return (ap - d1 / (d1 - d3) * ab).squaredNorm();
  const Eigen::Vector3f cp = p - c;
  const float d5 = ab.dot(cp), d6 = ac.dot(cp);
  if (d6 >= 0 && d5 <= d6) return cp.squaredNorm();
  const float vb = d5 * d2 - d1 * d6;
  if (vb <= 0 && d2 >= 0 && d6 <= 0) return (ap - d2 / (d2 - d6) * ac).squaredNorm();
  const float va = d3 * d6 - d5 * d4;
  if (va <= 0 && d4 - d3 >= 0 && d5 - d6 >= 0) {
    return (bp - (d4 - d3) / ((d4 - d3) + (d5 - d6)) * (c - b)).squaredNorm();
  }
  const float sum = va + vb + vc;
  return sum > 0 ? (ap - vb / sum * ab - vc / sum * ac).squaredNorm() : ap.squaredNorm();
}

}  // namespace

SolidDistance::SolidDistance(const TriangleMesh& mesh, const Eigen::Vector3f& lower, const Eigen::Vector3f& upper,
                             int cells, float near, int threads)
    : lower_(lower), cell_((upper - lower).maxCoeff() / static_cast<float>(cells)) {
  counts_ = ((upper - lower) / cell_).array().ceil().cast<int>() + 1;
  const std::vector<float> exact = distances_to(mesh, near, threads);
  const WindingNumber winding(mesh);
  values_.resize(exact.size());
  for_each_task(static_cast<std::size_t>(counts_.z() * counts_.y()), threads, [&](std::size_t task) {
    const int z = static_cast<int>(task) / counts_.y(), y = static_cast<int>(task) % counts_.y();
    float last = 0;
    for (int x = 0; x < counts_.x(); ++x) {
      const std::size_t i = index(x, y, z);
      // Between two nodes far from every triangle, the winding number does not change.
      const bool is_same = x > 0 && exact[i] >= near && exact[i - 1] >= near && near > cell_;
      if (!is_same) last = winding.at(node(x, y, z)) > 0.5F ? 1.0F : -1.0F;
      values_[i] = last * exact[i];
    }
  });
  add_far_distances(exact, near, threads);
}

std::vector<float> SolidDistance::distances_to(const TriangleMesh& mesh, float near, int threads) const {
  std::vector<float> squares(static_cast<std::size_t>(counts_.prod()), near * near);
  const auto at = [&](std::int32_t vertex) { return mesh.vertices[static_cast<std::size_t>(vertex)]; };
  constexpr int kLayers = 4;
  for_each_task(static_cast<std::size_t>((counts_.z() + kLayers - 1) / kLayers), threads, [&](std::size_t task) {
    const int bottom = static_cast<int>(task) * kLayers, top = std::min(counts_.z(), bottom + kLayers) - 1;
    for (const auto& [i, j, k] : mesh.triangles) {
      const Eigen::Vector3f a = at(i), b = at(j), c = at(k);
      const Eigen::Vector3f low = (a.cwiseMin(b).cwiseMin(c) - lower_).array() - near;
      const Eigen::Vector3f high = (a.cwiseMax(b).cwiseMax(c) - lower_).array() + near;
      const auto first = [&](int axis, int least) {
        return std::max(least, static_cast<int>(std::ceil(std::max(low[axis] / cell_, 0.0F))));
      };
      const auto last = [&](int axis, int most) {
        return static_cast<int>(std::floor(std::min(high[axis] / cell_, static_cast<float>(most))));
      };
      for (int z = first(2, bottom); z <= last(2, top); ++z) {
        for (int y = first(1, 0); y <= last(1, counts_.y() - 1); ++y) {
          for (int x = first(0, 0); x <= last(0, counts_.x() - 1); ++x) {
            float& square = squares[index(x, y, z)];
            square = std::min(square, squared_distance(node(x, y, z), a, b, c));
          }
        }
      }
    }
  });
  for (float& square : squares) square = std::sqrt(square);
  return squares;
}

void SolidDistance::add_far_distances(const std::vector<float>& exact, float near, int threads) {
  // The squared distances, in cells, to the nearest node of the other side.
  for (const bool inside : {true, false}) {
    constexpr float kFar = 1e10F;
    std::vector<float> field(values_.size());
    for (std::size_t i = 0; i < field.size(); ++i) field[i] = (values_[i] > 0) == inside ? kFar : 0.0F;
    for (int axis = 0; axis < 3; ++axis) {
      const int u = axis == 0 ? 1 : 0, v = axis == 2 ? 1 : 2;
      const Eigen::Vector3i step = Eigen::Vector3i::Unit(axis);
      for_each_task(static_cast<std::size_t>(counts_[v]), threads, [&](std::size_t task) {
        LineTransform transform(counts_[axis]);
        Eigen::Vector3i first = Eigen::Vector3i::Zero();
        first[v] = static_cast<int>(task);
        for (first[u] = 0; first[u] < counts_[u]; ++first[u]) {
          transform.apply(&field[index(first.x(), first.y(), first.z())], index(step.x(), step.y(), step.z()));
        }
      });
    }
    for (std::size_t i = 0; i < field.size(); ++i) {
      if ((values_[i] > 0) != inside || exact[i] < near) continue;
      const float distance = std::max(near, std::min(cell_ * std::sqrt(field[i]), std::numeric_limits<float>::max()));
      values_[i] = inside ? distance : -distance;
    }
  }
}

float SolidDistance::at(const Eigen::Vector3f& point) const {
  const Eigen::Vector3f most = (counts_.cast<float>().array() - 1.001F).max(0.0F);
  const Eigen::Vector3f steps = ((point - lower_) / cell_).cwiseMax(Eigen::Vector3f::Zero()).cwiseMin(most);
  const Eigen::Vector3i first = steps.cast<int>();
  const Eigen::Vector3f part = steps - first.cast<float>();
  const auto along_x = [&](int y, int z) {
    const float* from = &values_[index(first.x(), y, z)];
    return from[0] + (from[1] - from[0]) * part.x();
  };
  const auto in_layer = [&](int z) {
    const float near = along_x(first.y(), z);
    return near + (along_x(first.y() + 1, z) - near) * part.y();
  };
  const float lower = in_layer(first.z());
  return lower + (in_layer(first.z() + 1) - lower) * part.z();
}

DistanceField distances_to_mesh(const TriangleMesh& mesh, double half_side, int voxels, int threads) {
  constexpr float kExact = 3;  // voxels
  const double voxel = 2 * half_side / voxels;
  DistanceField field{.grid = {Eigen::Vector3d::Constant(-half_side), voxel, Eigen::Vector3i::Constant(voxels)},
                      .distances = {},
                      .errors = {}};
  const auto last = static_cast<float>(half_side - voxel / 2);
  const SolidDistance solid(mesh, Eigen::Vector3f::Constant(-last), Eigen::Vector3f::Constant(last), voxels - 1,
                            kExact * static_cast<float>(voxel), threads);
  for (std::size_t i = 0; i < field.grid.size(); ++i) {
    field.distances.push_back(-solid.at(field.grid.centre(i).cast<float>()));
    field.errors.push_back(std::fabs(field.distances.back()));
  }
  return field;
}

}  // namespace p2mpp
