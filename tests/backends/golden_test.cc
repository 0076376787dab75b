// Holds the backends against what the original TensorFlow code and the PyTorch port computed (tests/data/golden).
#include <gtest/gtest.h>

#include <cmath>
#include <ostream>

#include "backends/clear_lookups.h"
#include "backends/companion_library.h"
#include "backends/golden_data.h"
#include "backends/registry.h"
#include "base/machine/device_choice.h"
#include "capture/open_sample.h"

namespace p2mpp {
namespace {

constexpr std::size_t kScoreStride = 9;        // the golden scores are of every 9th vertex
constexpr std::size_t kProjectionStride = 97;  // the golden projections of every 97th
constexpr std::size_t kColumnStride = 37;      // and of every 37th column in stage 1
constexpr std::size_t kHypotheses = 43;
constexpr std::size_t kStage2Channels = 339;

/// Differences between two arrays, one number for each row (the largest of its columns).
struct RowDifference {
  double largest = 0;
  double mean = 0;
  double share_below = 0;  ///< of the rows whose largest difference is below the bound given
};

RowDifference row_difference(const std::vector<float>& found, const std::vector<float>& expected, std::size_t columns,
                             double bound) {
  EXPECT_EQ(found.size(), expected.size());
  const std::size_t rows = expected.size() / columns;
  RowDifference result;
  for (std::size_t row = 0; row < rows; ++row) {
    double largest = 0;
    for (std::size_t i = row * columns; i < (row + 1) * columns; ++i) {
      const double here = std::abs(static_cast<double>(found[i]) - static_cast<double>(expected[i]));
      largest = std::max(largest, std::isnan(here) ? INFINITY : here);
      result.mean += here;
    }
    result.largest = std::max(result.largest, largest);
    result.share_below += largest < bound ? 1 : 0;
  }
  result.mean /= static_cast<double>(expected.size());
  result.share_below /= static_cast<double>(rows);
  return result;
}

/// Every stride-th row.
std::vector<float> strided(const std::vector<float>& values, std::size_t columns, std::size_t stride) {
  std::vector<float> result;
  for (std::size_t first = 0; first < values.size(); first += columns * stride) {
    result.insert(result.end(), values.begin() + static_cast<std::ptrdiff_t>(first),
                  values.begin() + static_cast<std::ptrdiff_t>(first + columns));
  }
  return result;
}

struct Case {
  std::string backend;
  std::string semantics;
  std::string device;
};

void PrintTo(const Case& one, std::ostream* out) { *out << one.backend << ' ' << one.semantics << ' ' << one.device; }

class Golden : public ::testing::TestWithParam<Case> {
 protected:
  void SetUp() override {
    if (GetParam().backend == "torchscript" && libtorch_version_text() == "none") {
      GTEST_SKIP() << "built without LibTorch";
    }
    if (const DeviceChoice choice = choose_device("auto"); GetParam().device != "cpu" && !choice.note.empty()) {
      GTEST_SKIP() << choice.note;
    }
    const Model model = load_model(test_models() / ("golden-" + GetParam().semantics));
    const auto backend =
        make_backend(GetParam().backend, model, {choose_device(GetParam().device).device, Precision::kFp32, 1});
    const Sample sample = open_sample(test_models() / "golden-sample", {}).sample;
    result_ = run_backend(*backend, sample, &between_);
    compared_levels_ = levels_with_golden_lookups(model, sample);
    if (compared_levels_ < result_.coarse.size()) {
      between_ = {};
      result_.refined = run_backend(*backend, begun_at_golden_vertices(sample, model), &between_).refined;
    }
  }

  /// Features are looked up at the nearest pixel, so a rounding that crosses a border moves vertices of the next level.
  /// The golden vertices cannot be drawn again. Where the backend looks up another pixel of a level, which rounding
  /// must explain, that level is compared in tests/python/network, and stage 2 here from the golden vertices.
  [[nodiscard]] std::size_t levels_with_golden_lookups(const Model& model, const Sample& sample) const {
    for (std::size_t level = 0; level + 1 < result_.coarse.size(); ++level) {
      const Points expected = golden_level(level);
      const std::vector<int> golden_pixels = pixels_looked_up(model, sample, expected, level);
      const std::vector<int> pixels = pixels_looked_up(model, sample, result_.coarse[level], level);
      std::size_t others = 0;
      for (std::size_t i = 0; i < pixels.size(); ++i) others += pixels[i] != golden_pixels[i] ? 1 : 0;
      if (others == 0) continue;
      const double error = rounding_bound(coarse_depth(model, level)) * largest_coordinate(expected);
      EXPECT_LE(others, unclear_lookups(model, sample, expected, level, error));
      return level + 1;
    }
    return result_.coarse.size();
  }

  [[nodiscard]] static Points golden_level(std::size_t level) {
    const std::vector<float> values = golden("coords" + std::to_string(level + 1));
    Points points(values.size() / 3);
    std::ranges::copy(values, points.front().data());
    return points;
  }

  [[nodiscard]] static Sample begun_at_golden_vertices(Sample sample, const Model& model) {
    TriangleMesh mesh{golden_level(2), model.mesh_template.levels.back().triangles};
    for (Eigen::Vector3f& vertex : mesh.vertices) {
      vertex = network_frame(sample).world_from_cam(vertex.cast<double>()).cast<float>();
    }
    sample.initial_mesh = std::make_shared<const TriangleMesh>(std::move(mesh));
    return sample;
  }

  [[nodiscard]] static std::vector<float> golden(const std::string& name) {
    return golden_array(GetParam().semantics, name);
  }

  Reconstruction result_;
  Intermediates between_;
  std::size_t compared_levels_ = 0;  ///< of the coarse vertices
};

// One case, since a pass takes a second or more.
TEST_P(Golden, EveryStepAgrees) {
  ASSERT_EQ(result_.coarse.size(), 3U);
  for (std::size_t level = 0; level < compared_levels_; ++level) {
    const auto found =
        row_difference(flat(result_.coarse[level]), golden("coords" + std::to_string(level + 1)), 3, 1e-5);
    EXPECT_LT(found.largest, 1e-5) << "level " << level;
  }

  if (GetParam().semantics == "tf") {
    const auto golden_columns = golden("stage1_proj1");
    const std::size_t rows = result_.coarse[0].size();
    const std::size_t columns = between_.stage1_projection.size() / rows;
    std::vector<float> every_37th;
    for (std::size_t i = 0; i < between_.stage1_projection.size(); ++i) {
      if (i % columns % kColumnStride == 0) every_37th.push_back(between_.stage1_projection[i]);
    }
    EXPECT_LT(row_difference(every_37th, golden_columns, golden_columns.size() / rows, 1e-4).largest, 1e-4);
  }
  const auto projected =
      row_difference(strided(between_.stage2_projection.at(0), kHypotheses * kStage2Channels, kProjectionStride),
                     golden("stage2_proj1"), kStage2Channels, 1e-3);
  EXPECT_GE(projected.share_below, 0.99);

  ASSERT_EQ(between_.scores.size(), 2U);
  for (std::size_t block = 0; block < 2; ++block) {
    const auto found = row_difference(strided(between_.scores[block], kHypotheses, kScoreStride),
                                      golden("scores" + std::to_string(block + 1)), kHypotheses, 1e-3);
    EXPECT_GE(found.share_below, 0.99) << "block " << block;
  }

  ASSERT_EQ(result_.refined.size(), 2U);
  for (std::size_t block = 0; block < 2; ++block) {
    const auto found =
        row_difference(flat(result_.refined[block]), golden("refined" + std::to_string(block + 1)), 3, 1e-4);
    EXPECT_LT(found.mean, 1e-5) << "block " << block;
    EXPECT_GE(found.share_below, 0.995) << "block " << block;
  }
}

std::vector<Case> all_cases() {
  std::vector<Case> cases;
  for (const std::string_view backend : registered_backends()) {
    for (const char* semantics : {"tf", "design_b"}) {
      for (const char* device : {"cpu", "cuda"}) {
        const Device kind{device == std::string_view("cpu") ? DeviceKind::kCpu : DeviceKind::kCuda, 0};
        if (!backend_computes(backend, kind, Precision::kFp32)) continue;
        cases.push_back({std::string(backend), semantics, device});
      }
    }
  }
  return cases;
}

INSTANTIATE_TEST_SUITE_P(All, Golden, ::testing::ValuesIn(all_cases()), [](const auto& one) {
  return one.param.backend + "_" + one.param.semantics + "_" + one.param.device;
});

}  // namespace
}  // namespace p2mpp
