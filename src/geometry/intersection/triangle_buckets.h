#pragma once

#include <Eigen/Geometry>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace p2mpp {

/// Numbers of triangles by place: cubes of a grid, several of which share a bucket.
class TriangleBuckets {
 public:
  using Box = Eigen::AlignedBox3f;

  /// `side`: of a cube, about a triangle's size. boxes: of the triangles 0, 1, ...; empty ones are left out.
  TriangleBuckets(float side, std::span<const Box> boxes);

  /// Adds a triangle, again if it has moved.
  void add(std::uint32_t triangle, const Box& box);

  /// Calls visit(triangle) for those whose box meets another, or did before they moved; one may come several times.
  template <class Visit>
  void near(const Box& box, const Visit& visit) const {
    const auto look_at = [&](const Listed& listed) {
      if (listed.box.intersects(box)) visit(listed.triangle);
    };
    for_each_bucket(box, [&](std::size_t bucket) {
      for (std::uint32_t i = first_[bucket]; i < first_[bucket + 1]; ++i) look_at(listed_[i]);
      for (std::uint32_t i = newest_[bucket]; i != kNone; i = listed_[i].older) look_at(listed_[i]);
    });
  }

 private:
  struct Listed {
    Box box;
    std::uint32_t triangle = 0, older = kNone;  ///< older: the next one of those that were added to the bucket
  };
  static constexpr std::uint32_t kNone = ~std::uint32_t{0};

  [[nodiscard]] int cell_of(float value) const { return static_cast<int>(std::floor(value / side_)); }
  [[nodiscard]] std::size_t buckets() const { return newest_.size(); }
  template <class Body>
  void for_each_bucket(const Box& box, const Body& body) const {
    for (int z = cell_of(box.min().z()); z <= cell_of(box.max().z()); ++z) {
      for (int y = cell_of(box.min().y()); y <= cell_of(box.max().y()); ++y) {
        for (int x = cell_of(box.min().x()); x <= cell_of(box.max().x()); ++x) {
          // Source: Teschner et al., "Optimized Spatial Hashing" (2003).
          const auto hash = static_cast<std::uint32_t>(x) * 73856093U ^ static_cast<std::uint32_t>(y) * 19349663U ^
                            static_cast<std::uint32_t>(z) * 83492791U;
          body(hash & (buckets() - 1));
        }
      }
    }
  }

  float side_;
  std::vector<std::uint32_t> newest_;  ///< of each bucket: the last one added
  std::vector<std::uint32_t> first_;   ///< of each bucket: where those of the constructor begin in listed_
  std::vector<Listed> listed_;         ///< by bucket, then those added
};

}  // namespace p2mpp
