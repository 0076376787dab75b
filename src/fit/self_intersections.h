#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "p2mpp/triangle_mesh.h"

namespace p2mpp {

/// The largest number of pairs of triangles and of boxes that a search for self-intersections looks at. A scan of a
/// million triangles has a tenth of that.
inline constexpr std::size_t kMostIntersectionPairs = 200'000'000;

/// The triangles of a mesh that intersect others.
struct SelfIntersections {
  std::vector<std::int32_t> triangles;  ///< indices in increasing order
  bool is_complete = true;              ///< false: there may be more, because the search looked at most_pairs
};

/// The triangles that have points in common with another one, but for the corner or the side that they share: see
/// intersect(). Vertices at one place are one corner. Triangles with the same corners are tested once against the others.
/// Any number of threads finds the same. Precondition: finite vertices, indices in range. Thread-safe.
[[nodiscard]] SelfIntersections find_self_intersections(std::span<const Eigen::Vector3f> vertices,
                                                        std::span<const Triangle> triangles, int threads = 1,
                                                        std::size_t most_pairs = kMostIntersectionPairs);

/// Their number.
[[nodiscard]] std::size_t count_intersecting(std::span<const Eigen::Vector3f> vertices,
                                             std::span<const Triangle> triangles, int threads = 1);

}  // namespace p2mpp
