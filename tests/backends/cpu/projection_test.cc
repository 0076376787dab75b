#include "backends/cpu/projection.h"

#include "backends/cpu/cpu_cases.h"

namespace p2mpp {
namespace {

class ProjectionTest : public EveryInstructionSet {};
INSTANTIATE_TEST_SUITE_P(All, ProjectionTest, kUsableSets, set_name);

constexpr int kSides[] = {224, 56, 7};

/// Maps of random values, points and cameras; the plain way to look them up.
struct Scene {
  Scene(unsigned seed, const ProjectionRules& projection_rules) : rules(projection_rules) {
    Draw draw(seed);
    const std::size_t view_count = draw.whole(1, 5);
    for (std::size_t view = 0; view < view_count; ++view) {
      cameras.push_back(
          camera_from_row({static_cast<float>(draw.uniform(0, 360)), static_cast<float>(draw.uniform(-80, 80)), 0,
                           static_cast<float>(draw.uniform(0.5, 2)), 25}));
    }
    for (const int side : kSides) {
      channels.push_back(draw.whole(1, 40));
      auto& map = maps.emplace_back(side, channels.back(), padded_channels(channels.back()), 1, 2);
      map.reserve(static_cast<int>(view_count));
      for (int view = 0; view < static_cast<int>(view_count); ++view) {
        for (int i = 0; i < side * side; ++i) {
          const std::vector<float> values = draw.values(channels.back());
          std::ranges::copy(values, map.data() + map.offset(view, i / side, i % side));
        }
      }
    }
    // Most in view, some beyond the border, one in camera 0's own centre.
    for (int i = 0; i < 30; ++i) {
      for (const double centre : {0.0, 0.0, -0.8})
        points.push_back(static_cast<float>(centre + draw.uniform(-0.5, 0.5)));
    }
    points.insert(points.end(), {0, 0, 0});
  }

  struct Place {
    double row, column;
  };
  [[nodiscard]] Place pixel(std::size_t view, std::size_t point) const {
    const Eigen::Vector3d p(points[3 * point], points[3 * point + 1], points[3 * point + 2]);
    const Camera& camera = cameras[view];
    Eigen::Vector3d q = rules.normalised_origin ? Eigen::Vector3d(camera.rotation * (p - camera.origin.normalized()))
                                                : camera.cam_from_world(cameras[0].world_from_cam(p));
    if (rules.normalised_origin) q.z() = std::min(q.z(), -0.1);
    const auto defined = [](double value) { return std::isnan(value) ? 0.0 : value; };
    // Rounded to float, as everything after it is computed from that.
    return {static_cast<float>(defined(248 * (-q.y() / -q.z()) + 112)),
            static_cast<float>(defined(248 * (q.x() / -q.z()) + 112))};
  }

  [[nodiscard]] double value(std::size_t map, int view, int y, int x, std::size_t channel) const {
    return maps[map].data()[maps[map].offset(view, y, x) + channel];
  }

  [[nodiscard]] double sample(std::size_t map, std::size_t view, std::size_t point, std::size_t channel) const {
    const int side = kSides[map];
    const double cell = 224.0 / side;
    const Place at = pixel(view, point);
    const auto view_read =
        static_cast<int>(rules.view_index_scaled ? static_cast<double>(view) / cell : static_cast<double>(view));
    const double y = std::clamp(at.row, 0.0, 223.0) / cell;
    const double x = std::clamp(at.column, 0.0, 223.0) / cell;
    if (rules.sampling == Sampling::kNearest) {
      return value(map, view_read, static_cast<int>(y), static_cast<int>(x), channel);
    }
    if (rules.sampling == Sampling::kBilinear) {
      return bilinear(map, view_read, std::clamp(at.row / cell, 0.0, side - 1.0),
                      std::clamp(at.column / cell, 0.0, side - 1.0), channel);
    }
    double sum = 0;
    for (const double corner_y : {std::floor(y), std::ceil(y)}) {
      for (const double corner_x : {std::floor(x), std::ceil(x)}) {
        if (corner_y >= side || corner_x >= side) continue;
        const double weight_y = corner_y == std::floor(y) ? std::ceil(y) - y : y - std::floor(y);
        const double weight_x = corner_x == std::floor(x) ? std::ceil(x) - x : x - std::floor(x);
        sum += weight_y * weight_x *
               value(map, view_read, static_cast<int>(corner_y), static_cast<int>(corner_x), channel);
      }
    }
    return sum;
  }

  [[nodiscard]] double bilinear(std::size_t map, int view, double y, double x, std::size_t channel) const {
    const int top = static_cast<int>(y);
    const int left = static_cast<int>(x);
    const int bottom = std::min(top + 1, kSides[map] - 1);
    const int right = std::min(left + 1, kSides[map] - 1);
    const double upper =
        value(map, view, top, left, channel) * (1 - (x - left)) + value(map, view, top, right, channel) * (x - left);
    const double lower = value(map, view, bottom, left, channel) * (1 - (x - left)) +
                         value(map, view, bottom, right, channel) * (x - left);
    return upper * (1 - (y - top)) + lower * (y - top);
  }

  /// [xyz, max of all maps, mean of all, std of all]
  [[nodiscard]] std::vector<double> expected() const {
    std::vector<double> result;
    for (std::size_t point = 0; 3 * point < points.size(); ++point) {
      result.insert(result.end(), points.begin() + static_cast<std::ptrdiff_t>(3 * point),
                    points.begin() + static_cast<std::ptrdiff_t>(3 * point + 3));
      for (const int statistic : {0, 1, 2}) {
        for (std::size_t map = 0; map < maps.size(); ++map) {
          for (std::size_t channel = 0; channel < channels[map]; ++channel) {
            result.push_back(pooled(statistic, map, point, channel));
          }
        }
      }
    }
    return result;
  }

  [[nodiscard]] double pooled(int statistic, std::size_t map, std::size_t point, std::size_t channel) const {
    double largest = -INFINITY;
    double sum = 0;
    double squares = 0;
    for (std::size_t view = 0; view < cameras.size(); ++view) {
      const double here = sample(map, view, point, channel);
      largest = std::max(largest, here);
      sum += here;
      squares += here * here;
    }
    const auto count = static_cast<double>(cameras.size());
    if (statistic == 0) return largest;
    if (statistic == 1) return sum / count;
    return std::sqrt(std::max(0.0, squares / count - (sum / count) * (sum / count)) + 1e-6);
  }

  ProjectionRules rules;
  std::vector<Camera> cameras;
  std::vector<std::size_t> channels;
  std::vector<FeatureMaps<float>> maps;
  std::vector<float> points;
};

std::vector<float> found_in(const Scene& scene, InstructionSet set) {
  Projection projection(kernels_for<float>(set), scene.rules, scene.channels);
  projection.set_sample(scene.cameras, {&scene.maps[0], &scene.maps[1], &scene.maps[2]});
  const std::size_t stride = padded_channels(projection.layout().width());
  const std::size_t count = scene.points.size() / 3;
  AlignedBuffer<float> rows(count * stride);
  Projection::Scratch scratch;
  projection.run(scene.points.data(), count, scratch, rows.data(), stride);
  return projection.layout().in_checkpoint_order(rows.data(), count, stride);
}

TEST_P(ProjectionTest, RandomCamerasMapsAndPoints) {
  constexpr ProjectionRules kRules[] = {{Sampling::kBilinear, false, false},
                                        {Sampling::kNearest, true, false},
                                        {Sampling::kFloorCeil, false, false},
                                        {Sampling::kBilinear, false, true}};
  for (const ProjectionRules& rules : kRules) {
    for (unsigned seed = 0; seed < 12; ++seed) {
      const Scene scene(seed, rules);
      // Deviations near 0 are the root of a difference: 1e-3 is the smallest that there is.
      ASSERT_LT(relative_difference(found_in(scene, GetParam()), scene.expected()), 2e-4)
          << "seed " << seed << ", sampling " << static_cast<int>(rules.sampling);
    }
  }
}

TEST(ProjectionLayout, HasEveryCheckpointColumnOnce) {
  const std::vector<std::size_t> channels = {16, 5, 33};
  const ProjectionLayout layout(channels);
  EXPECT_EQ(layout.checkpoint_width(), 3U + 3 * (16 + 5 + 33));
  EXPECT_EQ(layout.width(), 3U * (16 + 16 + 48) + 3);
  std::vector<int> seen(layout.checkpoint_width(), 0);
  for (const std::size_t column : layout.checkpoint_columns()) {
    if (column != kNoColumn) ++seen.at(column);
  }
  EXPECT_EQ(seen, std::vector<int>(layout.checkpoint_width(), 1));
}

}  // namespace
}  // namespace p2mpp
