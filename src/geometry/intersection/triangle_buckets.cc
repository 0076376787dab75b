#include "geometry/intersection/triangle_buckets.h"

#include <bit>
#include <numeric>

namespace p2mpp {

TriangleBuckets::TriangleBuckets(float side, std::span<const Box> boxes)
    : side_(side), newest_(std::bit_ceil(boxes.size() + 1), kNone), first_(buckets() + 1) {
  const auto for_each_place = [&](const auto& body) {
    for (std::size_t i = 0; i < boxes.size(); ++i) {
      if (boxes[i].isEmpty()) continue;
      for_each_bucket(boxes[i], [&](std::size_t bucket) { body(i, bucket); });
    }
  };
  for_each_place([&](std::size_t, std::size_t bucket) { ++first_[bucket + 1]; });
  std::partial_sum(first_.begin(), first_.end(), first_.begin());
  listed_.resize(first_.back());
  std::vector<std::uint32_t> next(first_.begin(), first_.end() - 1);
  for_each_place([&](std::size_t i, std::size_t bucket) {
    listed_[next[bucket]++] = {boxes[i], static_cast<std::uint32_t>(i)};
  });
}

void TriangleBuckets::add(std::uint32_t triangle, const Box& box) {
  for_each_bucket(box, [&](std::size_t bucket) {
    std::uint32_t i = first_[bucket];
    while (i < first_[bucket + 1] && listed_[i].triangle != triangle) ++i;
    if (i == first_[bucket + 1]) {
      i = newest_[bucket];
      while (i != kNone && listed_[i].triangle != triangle) i = listed_[i].older;
    }
    if (i != kNone) {
      listed_[i].box = box;
    } else {
      listed_.push_back({box, triangle, newest_[bucket]});
      newest_[bucket] = static_cast<std::uint32_t>(listed_.size() - 1);
    }
  });
}

}  // namespace p2mpp
