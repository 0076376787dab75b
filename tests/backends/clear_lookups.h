#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include "backends/common/projection.h"
#include "backends/difference.h"
#include "backends/run_backend.h"
#include "backends/self_check/drawn_operations.h"
#include "model/model.h"
#include "model/network_layout.h"

// What rounding may do to a network's vertices, so that a comparison of backends has the same verdict on every
// processor.
//
// The error model: backends sum in other orders. A float32 sum of n products then differs by about u sqrt(n) of the
// largest value (u: half of float's epsilon), and the differences of layers in series add up in squares. So vertices
// differ by at most u sqrt(depth) of the largest coordinate, where depth counts the terms of all sums before them.
//
// A lookup at the nearest pixel is no continuous function. Where the model lets a coordinate reach another pixel, the
// model says nothing of what follows. Comparisons therefore draw samples in which the reference has no such lookup.

namespace p2mpp {

/// Terms of the sums, one after the other, that a result depends on.
inline double convolution_depth(const CnnSizes& cnn, std::int64_t image_channels, std::size_t convolutions) {
  double depth = 0;
  std::int64_t in = image_channels;
  for (std::size_t i = 0; i < convolutions; ++i) {
    depth += static_cast<double>(in * cnn.kernels[i] * cnn.kernels[i]);
    in = cnn.channels[i];
  }
  return depth;
}

/// Of a block of graph convolutions: x W0 + T1 x W1.
inline double block_depth(std::int64_t in, std::int64_t hidden, std::int64_t layers, double neighbours) {
  return static_cast<double>(2 * in + 2 * hidden * (layers - 1)) + neighbours * static_cast<double>(layers);
}

/// After block `level` of stage 1, from 0.
inline double coarse_depth(const Model& model, std::size_t level) {
  const NetworkSizes& sizes = model.info.sizes;
  double depth = convolution_depth(sizes.stage1_cnn, sizes.image_channels, kStage1Convolutions);
  for (std::size_t block = 0; block <= level; ++block) {
    const auto& support = model.mesh_template.levels[block].support;
    depth += block_depth(projected_width(sizes.stage1_cnn.channels, kStage1Maps) + (block > 0 ? sizes.hidden : 0),
                         sizes.hidden, sizes.gcn_layers[block],
                         static_cast<double>(support.nonZeros()) / static_cast<double>(support.rows()));
  }
  return depth;
}

/// After block `block` of stage 2, from 0; before: coarse_depth() of the vertices that stage 2 begins with.
inline double refined_depth(const Model& model, std::size_t block, double before) {
  const NetworkSizes& sizes = model.info.sizes;
  return before + convolution_depth(sizes.stage2_cnn, sizes.image_channels, kStage2Convolutions) +
         static_cast<double>(block + 1) * block_depth(projected_width(sizes.stage2_cnn.channels, kStage2Maps),
                                                      sizes.drb_hidden, sizes.drb_layers,
                                                      static_cast<double>(sizes.hypotheses));
}

/// The largest difference, relative to the largest value, after sums of so many terms.
inline double rounding_bound(double depth) { return std::numeric_limits<float>::epsilon() / 2 * std::sqrt(depth); }

inline double largest_coordinate(const Points& points) {
  double largest = 0;
  for (const Eigen::Vector3f& point : points) largest = std::max<double>(largest, point.cwiseAbs().maxCoeff());
  return largest;
}

inline double coarse_bound(const Model& model, const std::vector<Points>& coarse, std::size_t level) {
  return rounding_bound(coarse_depth(model, level)) * largest_coordinate(coarse[level]);
}

/// Where a view sees a point.
struct SeenAt {
  float pixel[2];  ///< row, column
  double reach;    ///< how far both move, in pixels, if each coordinate of the point moves by `error`
};

inline SeenAt seen_at(const ViewTransform& view, const Eigen::Vector3f& point, double error) {
  using RowMajor = Eigen::Matrix<double, 3, 3, Eigen::RowMajor>;
  Eigen::Vector3d p = Eigen::Map<const RowMajor>(view.rotation) * point.cast<double>() +
                      Eigen::Map<const Eigen::Vector3d>(view.translation);
  p.z() = std::min(p.z(), view.largest_z);
  const double moved = std::sqrt(3.0) * error;
  const double depth = std::abs(p.z()) - moved;
  const double slope = std::max(std::abs(p.x()), std::abs(p.y())) / std::abs(p.z());
  SeenAt seen{
      {static_cast<float>(view.cy + view.fy * p.y() / p.z()), static_cast<float>(view.cx - view.fx * p.x() / p.z())},
      std::numeric_limits<double>::infinity()};
  if (depth <= 0) return seen;
  const double rounding = std::numeric_limits<float>::epsilon() * static_cast<double>(kImageSize);
  seen.reach = std::max(view.fx, view.fy) * moved * (1 + slope) / depth + rounding;
  return seen;
}

/// Pixels of the image that a pixel of the finest map covers.
inline double finest_cell(std::span<const std::size_t> maps) {
  double cell = 1;
  for (std::size_t i = 0; i <= maps.front(); ++i) cell *= kStrides[i];
  return cell;
}

/// The vertices at which stage 1 looks up what block `level` + 1 reads; coarse: those of block `level`.
inline Points looked_up_next(const Model& model, const Points& coarse, std::size_t level) {
  Points points = coarse;
  if (unpools_features(model.info.semantics)) return points;
  for (const Edge& edge : model.mesh_template.levels[level].unpool_edges) {
    points.push_back((coarse[static_cast<std::size_t>(edge[0])] + coarse[static_cast<std::size_t>(edge[1])]) / 2);
  }
  return points;
}

/// How many lookups of stage 1 may reach another pixel by rounding, those of block `level` + 1.
inline std::size_t unclear_lookups(const Model& model, const Sample& sample, const Points& coarse, std::size_t level,
                                   double error) {
  const ProjectionRules rules = stage1_rules(model.info.semantics);
  if (rules.sampling != Sampling::kNearest) return 0;
  const double cell = finest_cell(kStage1Maps);
  const double last_border = std::floor((kImageSize - 1) / cell);
  std::size_t count = 0;
  for (const ViewTransform& view : view_transforms(cameras_of(sample, 1), rules)) {
    for (const Eigen::Vector3f& point : looked_up_next(model, coarse, level)) {
      const SeenAt seen = seen_at(view, point, error);
      for (const double pixel : seen.pixel) {
        const double border = cell * std::clamp(std::round(pixel / cell), 1.0, last_border);
        count += std::abs(pixel - border) <= seen.reach ? 1 : 0;
      }
    }
  }
  return count;
}

/// Row and column of the finest map's pixels that block `level` + 1 of stage 1 looks up, of each view and vertex.
inline std::vector<int> pixels_looked_up(const Model& model, const Sample& sample, const Points& coarse,
                                         std::size_t level) {
  std::vector<int> pixels;
  for (const ViewTransform& view : view_transforms(cameras_of(sample, 1), stage1_rules(model.info.semantics))) {
    for (const Eigen::Vector3f& point : looked_up_next(model, coarse, level)) {
      for (const double pixel : seen_at(view, point, 0).pixel) {
        pixels.push_back(static_cast<int>(std::clamp(pixel, 0.0, kImageSize - 1.0) / finest_cell(kStage1Maps)));
      }
    }
  }
  return pixels;
}

inline bool is_clear(const Model& model, const Sample& sample, const std::vector<Points>& coarse) {
  for (std::size_t level = 0; level + 1 < coarse.size(); ++level) {
    if (unclear_lookups(model, sample, coarse[level], level, coarse_bound(model, coarse, level)) > 0) return false;
  }
  return true;
}

/// Many views of few cameras, in an order without a pattern: every view has its own image. Samples of so many
/// cameras are never clear.
inline Sample with_few_cameras(Sample sample) {
  constexpr std::size_t kCameras = 4;
  Draw draw(1);
  for (std::size_t i = kCameras; i < sample.views.size(); ++i) {
    const View& other = sample.views[draw.whole(0, kCameras - 1)];
    sample.views[i].camera = other.camera;
    sample.views[i].row = other.row;
  }
  return sample;
}

struct ClearSample {
  Sample sample;
  Reconstruction expected;  ///< by the reference
};

/// The first of draw(seed), draw(seed + 1000), ... in which no lookup of the reference reaches another pixel by
/// rounding. Throws if there is none among the first ones.
template <class Draw>
ClearSample draw_clear_sample(Backend& reference, const Model& model, unsigned seed, const Draw& draw,
                              Intermediates* intermediates = nullptr) {
  constexpr unsigned kMostDraws = 40;
  for (unsigned draws = 0; draws < kMostDraws; ++draws) {
    Sample sample = draw(seed + 1000 * draws);
    if (intermediates) *intermediates = {};
    Reconstruction expected = run_backend(reference, sample, intermediates);
    if (is_clear(model, sample, expected.coarse)) return {std::move(sample), std::move(expected)};
  }
  throw std::runtime_error("no clear sample in " + std::to_string(kMostDraws) + " draws");
}

/// Of each hypothesis of a vertex, in each view: whether the coordinates in the finest map are whole numbers. There,
/// and at the border, Sampling::kFloorCeil reads 0.
inline std::vector<bool> whole_coordinates(const Model& model, std::span<const ViewTransform> views,
                                           const Eigen::Vector3f& vertex) {
  const double cell = finest_cell(kStage2Maps);
  std::vector<bool> whole;
  for (const Eigen::Vector3f& hypothesis : model.hypotheses) {
    for (const ViewTransform& view : views) {
      for (const double pixel : seen_at(view, vertex + hypothesis, 0).pixel) {
        const double coordinate = std::clamp(pixel, 0.0, kImageSize - 1.0) / cell;
        whole.push_back(coordinate == std::floor(coordinate));
      }
    }
  }
  return whole;
}

/// Whether two backends' vertices read 0 in the same places. If not, the model says nothing of what follows.
inline std::vector<bool> alike_in_stage2(const Model& model, const Sample& sample, const Points& found,
                                         const Points& expected) {
  const ProjectionRules rules = stage2_rules(model.info.semantics);
  std::vector<bool> alike(expected.size(), true);
  if (rules.sampling != Sampling::kFloorCeil) return alike;
  const std::vector<ViewTransform> views = view_transforms(cameras_of(sample, 2), rules);
  for (std::size_t i = 0; i < expected.size(); ++i) {
    alike[i] = found[i] == expected[i] ||
               whole_coordinates(model, views, found[i]) == whole_coordinates(model, views, expected[i]);
  }
  return alike;
}

/// Compares what two backends computed in fp32 from a clear sample, or from an initial mesh.
inline void expect_agreement(const Model& model, const Sample& sample, const Reconstruction& found,
                             const Reconstruction& expected, const std::string& what) {
  ASSERT_EQ(found.coarse.size(), expected.coarse.size()) << what;
  ASSERT_EQ(found.refined.size(), expected.refined.size()) << what;
  for (std::size_t level = 0; level < expected.coarse.size(); ++level) {
    EXPECT_LT(difference(found.coarse[level], expected.coarse[level]).largest,
              coarse_bound(model, expected.coarse, level))
        << what << ", level " << level;
  }
  const double before = sample.initial_mesh ? 0 : coarse_depth(model, expected.coarse.size() - 1);
  Points found_before = sample.initial_mesh ? initial_vertices(sample) : found.coarse.back();
  Points expected_before = sample.initial_mesh ? found_before : expected.coarse.back();
  std::vector<bool> compared(expected.vertices().size(), true);
  for (std::size_t block = 0; block < expected.refined.size(); ++block) {
    const Points& ours = found.refined[block];
    const Points& theirs = expected.refined[block];
    ASSERT_EQ(ours.size(), theirs.size()) << what;
    const std::vector<bool> alike = alike_in_stage2(model, sample, found_before, expected_before);
    Points ours_compared, theirs_compared;
    for (std::size_t i = 0; i < theirs.size(); ++i) {
      compared[i] = compared[i] && alike[i];
      if (!compared[i]) continue;
      ours_compared.push_back(ours[i]);
      theirs_compared.push_back(theirs[i]);
    }
    EXPECT_GE(5 * ours_compared.size(), 4 * theirs.size()) << what << ", block " << block;
    const double bound = rounding_bound(refined_depth(model, block, before)) * largest_coordinate(theirs);
    const Difference refined = difference(ours_compared, theirs_compared);
    EXPECT_LT(refined.largest, bound) << what << ", block " << block;
    EXPECT_LT(refined.mean, bound / 4) << what << ", block " << block;
    found_before = ours;
    expected_before = theirs;
  }
}

}  // namespace p2mpp
