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

/// What a triangle does to another one, but for the corner or the side that they share.
enum class Contact : std::uint8_t {
  kNone,
  kClose,         ///< is closer than a margin: see are_close()
  kIntersecting,  ///< has points in common with it: see intersect()
};

/// The closest contact of each triangle of a mesh.
struct Contacts {
  std::vector<Contact> of_triangles;
  float margin = 0;
  bool is_complete = true;  ///< false: there may be more, because the search looked at most_pairs
};

/// Vertices at one place are one corner. Triangles with the same corners are tested once against the others. Any number
/// of threads finds the same. Precondition: finite vertices, indices in range. Thread-safe.
[[nodiscard]] Contacts find_contacts(std::span<const Eigen::Vector3f> vertices, std::span<const Triangle> triangles,
                                     float margin, int threads = 1, std::size_t most_pairs = kMostIntersectionPairs);

/// The triangles of a mesh that intersect others.
struct SelfIntersections {
  std::vector<std::int32_t> triangles;  ///< indices in increasing order
  bool is_complete = true;              ///< as above
};

/// As above.
[[nodiscard]] SelfIntersections find_self_intersections(std::span<const Eigen::Vector3f> vertices,
                                                        std::span<const Triangle> triangles, int threads = 1,
                                                        std::size_t most_pairs = kMostIntersectionPairs);

/// Their number.
[[nodiscard]] std::size_t count_intersecting(std::span<const Eigen::Vector3f> vertices,
                                             std::span<const Triangle> triangles, int threads = 1);

}  // namespace p2mpp
