#include <algorithm>
#include <array>
#include <cmath>
#include <span>
#include <vector>

#include "backends/common/mask_evidence.h"
#include "backends/common/preprocess.h"
#include "backends/common/resize.h"
#include "backends/cpu/cpu_backend.h"
#include "backends/cpu/grid_convolution.h"

namespace p2mpp {
namespace {

constexpr std::size_t kPanel = 256;    ///< points that a task computes together
constexpr std::size_t kMapsRead = 5;   ///< channels of the pixels that are looked up: BGR, mask, distance
constexpr float kFineVoxels = 4;       ///< of a coarse one: the scale of distances to the outline near the surface
constexpr float kFar = 8, kClose = 2;  ///< voxels: what the two distances to an outline end at

/// How points of a grid are read.
struct PointsRead {
  const VoxelGrid* grid;
  float voxel;  ///< the unit of distances to the outline
};

/// Distance and magnitude, on two scales.
void write_prior(const DistanceField::Value& prior, float voxel, float* out) {
  const float signed_ = prior.distance / voxel, magnitude = prior.error / voxel;
  for (const float reach : {kFar, kClose}) {
    *out++ = std::clamp(signed_ / reach, -1.0F, 1.0F);
    *out++ = std::clamp(magnitude / reach, -1.0F, 1.0F);
  }
}

class CpuDistanceNetwork final : public DistanceNetwork {
 public:
  CpuDistanceNetwork(const Model& model, InstructionSet set, int threads)
      : CpuDistanceNetwork(DistanceWeights(model), kernels_for<float>(set), threads) {}

  void set_views(const DistanceViews& views) override;
  [[nodiscard]] NetworkDistances coarse(const VoxelGrid& grid) override;
  [[nodiscard]] NetworkDistances fine(const VoxelGrid& grid, int factor) override;

 private:
  /// Buffers of a thread, for kPanel points.
  struct DistanceScratch {
    std::vector<float> row = std::vector<float>(kPanel), column = row, hull = row;
    std::vector<Eigen::Vector3f> seen = std::vector<Eigen::Vector3f>(kPanel);
    std::vector<float> weight = std::vector<float>(kMaxCorners * kPanel);
    std::vector<std::int32_t> offset = std::vector<std::int32_t>(kMaxCorners * kPanel);
    AlignedBuffer<float> columns, first, second, joined;

    /// Room for kPanel rows.
    static float* rows(AlignedBuffer<float>& buffer, std::size_t stride, std::size_t times = 1) {
      buffer.reserve((times * kPanel + kLargestRowGroup) * stride);
      return buffer.data();
    }
  };

  CpuDistanceNetwork(const DistanceWeights& weights, const Kernels<float>& kernels, int threads);

  void compute_coarse(const VoxelGrid& grid);
  void look_up(const GridValues& map, std::size_t view, std::size_t channels, std::size_t count,
               DistanceScratch& scratch, float* out, std::size_t out_stride) const;
  void project(std::size_t view, std::span<const Eigen::Vector3d> points, DistanceScratch& scratch) const;
  void read_view(std::size_t view, std::span<const Eigen::Vector3d> points, const PointsRead& reading,
                 std::span<const GridValues> maps, DistanceScratch& scratch, float* out, std::size_t out_stride) const;
  std::size_t pool_views(std::span<const Eigen::Vector3d> points, const PointsRead& reading,
                         std::span<const GridValues> maps, const RowLayer& first, const RowLayer& second,
                         std::size_t width, DistanceScratch& scratch, float* out, std::size_t out_stride) const;
  void compute_near(const VoxelGrid& grid, std::span<const std::size_t> voxels, const VoxelGrid& fine_grid,
                    DistanceScratch& scratch, NetworkDistances& found) const;
  void look_up_volume(const Eigen::Vector3f& place, std::size_t channels, float* out) const;

  const Kernels<float>& kernels_;
  ThreadPool pool_;
  std::vector<GridConvolution> first_, second_, lateral_;
  RowLayer view1_, view2_, coarse_head_, fine_view1_, fine_view2_, fine1_, fine2_, fine_head_;
  std::size_t view_width_, fine_view_width_;
  GridUnet unet_;

  std::vector<Camera> cameras_;
  DistanceField prior_;
  GridValues pixels_;             // [view, row, column]: BGR, mask, two distances to the outline
  std::vector<GridValues> maps_;  // finest first
  GridValues volume_;             // features, distance and logarithm of its error of the coarse voxels
};

CpuDistanceNetwork::CpuDistanceNetwork(const DistanceWeights& weights, const Kernels<float>& kernels, int threads)
    : kernels_(kernels),
      pool_(threads),
      view1_(kernels, weights.view1),
      view2_(kernels, weights.view2),
      coarse_head_(kernels, weights.coarse_head),
      fine_view1_(kernels, weights.fine_view1),
      fine_view2_(kernels, weights.fine_view2),
      fine1_(kernels, weights.fine1),
      fine2_(kernels, weights.fine2),
      fine_head_(kernels, weights.fine_head),
      view_width_(weights.view2.out()),
      fine_view_width_(weights.fine_view2.out()),
      unet_(kernels, weights.unet) {
  for (std::size_t level = 0; level < DistanceWeights::kLevels; ++level) {
    first_.emplace_back(kernels, weights.first[level]);
    second_.emplace_back(kernels, weights.second[level]);
    lateral_.emplace_back(kernels, weights.lateral[level]);
  }
}

void CpuDistanceNetwork::set_views(const DistanceViews& views) {
  constexpr std::size_t kPlane = std::size_t{kResizedSide} * kResizedSide, kPlanes = 4;
  const Eigen::Vector3i pictures(0, 1, 1);  // borders
  cameras_ = views.cameras;
  prior_ = views.prior;
  const auto count = static_cast<int>(cameras_.size());
  pixels_ = GridValues({count, kResizedSide, kResizedSide}, kReadChannels, pictures);
  pool_.run(cameras_.size(), [&](std::size_t view, int) {
    const std::span<const float> planes = std::span(views.images).subspan(view * kPlanes * kPlane, kPlanes * kPlane);
    std::vector<float> evidence(kPlane * kEvidenceChannels);
    find_evidence(planes.subspan(3 * kPlane), evidence);
    for (int y = 0; y < kResizedSide; ++y) {
      for (int x = 0; x < kResizedSide; ++x) {
        const std::size_t pixel = static_cast<std::size_t>(y) * kResizedSide + static_cast<std::size_t>(x);
        float* out = pixels_.at(static_cast<int>(view), y, x);
        for (std::size_t plane = 0; plane < kPlanes; ++plane) out[plane] = planes[plane * kPlane + pixel];
        for (std::size_t i = 0; i < kEvidenceChannels; ++i) out[kPlanes + i] = evidence[pixel * kEvidenceChannels + i];
      }
    }
  });
  maps_.clear();
  GridValues features;
  for (std::size_t level = 0; level < DistanceWeights::kLevels; ++level) {
    const GridValues halved = first_[level].run(level == 0 ? pixels_ : features, true, pictures, nullptr, pool_);
    features = second_[level].run(halved, true, pictures, nullptr, pool_);
    maps_.push_back(lateral_[level].run(features, false, Eigen::Vector3i::Zero(), nullptr, pool_));
  }
}

/// Pixels of the 224x224 picture, the points in the view's frame, and their depths.
void CpuDistanceNetwork::project(std::size_t view, std::span<const Eigen::Vector3d> points,
                                 DistanceScratch& scratch) const {
  const Camera& camera = cameras_[view];
  const Intrinsics& lens = camera.intrinsics;
  for (std::size_t i = 0; i < points.size(); ++i) {
    const Eigen::Vector3d seen = camera.cam_from_world(points[i]);
    const double row = lens.fy * (-seen.y() / -seen.z()) + lens.cy, column = lens.fx * (seen.x() / -seen.z()) + lens.cx;
    scratch.row[i] = static_cast<float>(std::isnan(row) ? 0 : row);
    scratch.column[i] = static_cast<float>(std::isnan(column) ? 0 : column);
    scratch.seen[i] = seen.cast<float>();
  }
}

/// Bilinear lookups of a view's map at the scratch's pixels.
void CpuDistanceNetwork::look_up(const GridValues& map, std::size_t view, std::size_t channels, std::size_t count,
                                 DistanceScratch& scratch, float* out, std::size_t out_stride) const {
  const MapGrid grid{.height = map.counts().y(),
                     .width = map.counts().z(),
                     .origin = static_cast<std::int32_t>(map.offset(static_cast<int>(view), 0, 0)),
                     .row_step = static_cast<std::int32_t>(map.row_step()),
                     .column_step = static_cast<std::int32_t>(map.stride()),
                     .pixels_per_cell = static_cast<float>(kResizedSide) / static_cast<float>(map.counts().y())};
  const Lookups lookups{scratch.offset.data(), scratch.weight.data(), 1, kMaxCorners, kPanel};
  kernels_.find_corners(Sampling::kBilinear, grid, scratch.row.data(), scratch.column.data(), count, 0, lookups);
  for (std::size_t i = 0; i < count; ++i, out += out_stride) {
    std::fill_n(out, channels, 0.0F);
    for (std::size_t corner = 0; corner < kMaxCorners; ++corner) {
      const float* from = map.data() + scratch.offset[corner * kPanel + i];
      const float weight = scratch.weight[corner * kPanel + i];
      for (std::size_t channel = 0; channel < channels; ++channel) out[channel] += weight * from[channel];
    }
  }
}

/// A view's columns: the maps' channels, BGR and mask, the facts. scratch.hull: the largest distance to an outline.
void CpuDistanceNetwork::read_view(std::size_t view, std::span<const Eigen::Vector3d> points, const PointsRead& reading,
                                   std::span<const GridValues> maps, DistanceScratch& scratch, float* out,
                                   std::size_t out_stride) const {
  project(view, points, scratch);
  std::size_t column = 0;
  for (const GridValues& map : maps) {
    look_up(map, view, map.channels(), points.size(), scratch, out + column, out_stride);
    column += map.channels();
  }
  look_up(pixels_, view, kMapsRead, points.size(), scratch, out + column, out_stride);
  const Camera& camera = cameras_[view];
  const Eigen::Matrix3f world_from_view = camera.rotation.transpose().cast<float>();
  const VoxelGrid& grid = *reading.grid;
  const float size = static_cast<float>(grid.voxel * grid.counts.maxCoeff());
  const auto middle = static_cast<float>(camera.cam_from_world((grid.lower + grid.upper()) / 2).z());
  for (std::size_t i = 0; i < points.size(); ++i) {
    float* facts = out + i * out_stride + column + kMapsRead - 1;
    const Eigen::Vector3f& seen = scratch.seen[i];
    const float away = -seen.z(), row = scratch.row[i], at = scratch.column[i];
    const float in_voxels =
        *facts * (static_cast<float>(kEvidenceReach) / reading.voxel) * away / static_cast<float>(camera.intrinsics.fx);
    const bool shown = row >= 0 && row <= kResizedSide && at >= 0 && at <= kResizedSide && away > 0;
    const Eigen::Vector3f direction = world_from_view * -seen.normalized();
    facts[0] = std::clamp(in_voxels / kFar, -1.0F, 1.0F);
    facts[1] = std::clamp(in_voxels / kClose, -1.0F, 1.0F);
    facts[2] = (away + middle) * (2 / size);
    facts[3] = shown ? 1.0F : 0.0F;
    std::copy_n(direction.data(), 3, facts + 4);
    scratch.hull[i] = view == 0 ? in_voxels : std::max(scratch.hull[i], in_voxels);
  }
}

/// Rows of [mean, maximum and variance over the views of their two layers, the hull's distances]. Returns their width.
std::size_t CpuDistanceNetwork::pool_views(std::span<const Eigen::Vector3d> points, const PointsRead& reading,
                                           std::span<const GridValues> maps, const RowLayer& first,
                                           const RowLayer& second, std::size_t width, DistanceScratch& scratch,
                                           float* out, std::size_t out_stride) const {
  const std::size_t views = cameras_.size(), count = points.size();
  float* const columns = DistanceScratch::rows(scratch.columns, first.in_stride());
  float* const hidden = DistanceScratch::rows(scratch.first, first.out_stride());
  float* const of_views = DistanceScratch::rows(scratch.second, second.out_stride(), views);
  for (std::size_t view = 0; view < views; ++view) {
    read_view(view, points, reading, maps, scratch, columns, first.in_stride());
    first.run(columns, count, true, hidden);
    second.run(hidden, count, true, of_views + view * kPanel * second.out_stride());
  }
  const float share = 1 / static_cast<float>(views);
  for (std::size_t i = 0; i < count; ++i) {
    float* row = out + i * out_stride;
    for (std::size_t channel = 0; channel < width; ++channel) {
      const float* value = of_views + i * second.out_stride() + channel;
      float sum = 0, largest = *value, squares = 0;
      for (std::size_t view = 0; view < views; ++view) {
        const float here = value[view * kPanel * second.out_stride()];
        sum += here;
        largest = std::max(largest, here);
      }
      const float mean = sum * share;
      for (std::size_t view = 0; view < views; ++view) {
        const float off = value[view * kPanel * second.out_stride()] - mean;
        squares += off * off;
      }
      row[channel] = mean;
      row[width + channel] = largest;
      row[2 * width + channel] = squares * share;
    }
    row[3 * width] = std::clamp(scratch.hull[i] / kFar, -1.0F, 1.0F);
    row[3 * width + 1] = std::clamp(scratch.hull[i] / kClose, -1.0F, 1.0F);
  }
  return 3 * width + kHullFacts;
}

void CpuDistanceNetwork::compute_coarse(const VoxelGrid& grid) {
  const std::size_t size = grid.size(), width = 3 * view_width_ + kHullFacts + kPlace + kPriorFacts;
  GridValues input(grid.counts, width);
  const Eigen::Vector3d middle = (grid.lower + grid.upper()) / 2;
  const double scale = 2 / (grid.voxel * grid.counts.maxCoeff());
  std::vector<DistanceScratch> scratches(static_cast<std::size_t>(pool_.thread_count()));
  pool_.run((size + kPanel - 1) / kPanel, [&](std::size_t panel, int worker) {
    const KernelSession session(kernels_);
    DistanceScratch& scratch = scratches[static_cast<std::size_t>(worker)];
    std::vector<Eigen::Vector3d> points;
    for (std::size_t voxel = panel * kPanel; voxel < std::min(size, (panel + 1) * kPanel); ++voxel) {
      points.push_back(grid.centre(voxel));
    }
    float* out = input.at(0, 0, 0) + panel * kPanel * input.stride();
    const std::size_t used = pool_views(points, {&grid, static_cast<float>(grid.voxel)}, std::span(maps_).subspan(1),
                                        view1_, view2_, view_width_, scratch, out, input.stride());
    for (std::size_t i = 0; i < points.size(); ++i) {
      const Eigen::Vector3f place = ((points[i] - middle) * scale).cast<float>();
      float* const row = out + i * input.stride() + used;
      std::copy_n(place.data(), kPlace, row);
      write_prior(prior_.at(points[i].cast<float>()), static_cast<float>(grid.voxel), row + kPlace);
    }
  });
  const GridValues features = unet_.run(input, pool_);
  volume_ = GridValues(grid.counts, features.channels() + kDistanceChannels);
  pool_.run((size + kPanel - 1) / kPanel, [&](std::size_t panel, int worker) {
    const KernelSession session(kernels_);
    DistanceScratch& scratch = scratches[static_cast<std::size_t>(worker)];
    const std::size_t first = panel * kPanel, count = std::min(kPanel, size - first);
    float* const rows = DistanceScratch::rows(scratch.columns, features.stride());
    float* const heads = DistanceScratch::rows(scratch.first, coarse_head_.out_stride());
    const float* from = features.data() + first * features.stride();
    for (std::size_t i = 0; i < count * features.stride(); ++i) rows[i] = std::max(from[i], 0.0F);
    coarse_head_.run(rows, count, false, heads);
    for (std::size_t i = 0; i < count; ++i) {
      float* out = volume_.at(0, 0, 0) + (first + i) * volume_.stride();
      std::copy_n(rows + i * features.stride(), features.channels(), out);
      std::copy_n(heads + i * coarse_head_.out_stride(), kDistanceChannels, out + features.channels());
    }
  });
}

NetworkDistances CpuDistanceNetwork::coarse(const VoxelGrid& grid) {
  compute_coarse(grid);
  NetworkDistances found{std::vector<float>(grid.size()), std::vector<float>(grid.size())};
  for (std::size_t voxel = 0; voxel < grid.size(); ++voxel) {
    const float* last = volume_.data() + voxel * volume_.stride() + volume_.channels();
    const DistanceField::Value prior = prior_.at(grid.centre(voxel).cast<float>());
    found.distances[voxel] = last[-2] + prior_distance(prior.distance, grid.voxel);
    found.log_errors[voxel] = last[-1];
  }
  return found;
}

/// The last `channels` of the coarse voxels, trilinearly. place: in coarse voxels from the grid's corner.
void CpuDistanceNetwork::look_up_volume(const Eigen::Vector3f& place, std::size_t channels, float* out) const {
  const VoxelCorners corners(volume_.counts(), place);
  std::fill_n(out, channels, 0.0F);
  for (int corner = 0; corner < 8; ++corner) {
    const float* from = volume_.data() + corners.index[corner] * volume_.stride() + volume_.channels() - channels;
    for (std::size_t channel = 0; channel < channels; ++channel) out[channel] += corners.weight[corner] * from[channel];
  }
}

/// Adds the corrections of voxels of `fine_grid` near the surface.
void CpuDistanceNetwork::compute_near(const VoxelGrid& grid, std::span<const std::size_t> voxels,
                                      const VoxelGrid& fine_grid, DistanceScratch& scratch,
                                      NetworkDistances& found) const {
  const KernelSession session(kernels_);
  std::vector<Eigen::Vector3d> points;
  for (const std::size_t voxel : voxels) points.push_back(fine_grid.centre(voxel));
  float* const joined = DistanceScratch::rows(scratch.joined, fine1_.in_stride());
  const std::size_t used =
      pool_views(points, {&grid, static_cast<float>(grid.voxel) / kFineVoxels}, std::span(maps_).first(2), fine_view1_,
                 fine_view2_, fine_view_width_, scratch, joined, fine1_.in_stride());
  for (std::size_t i = 0; i < points.size(); ++i) {
    float* const row = joined + i * fine1_.in_stride() + used;
    look_up_volume(((points[i] - grid.lower) / grid.voxel).cast<float>(), volume_.channels(), row);
    write_prior(prior_.at(points[i].cast<float>()), static_cast<float>(grid.voxel) / kFineVoxels,
                row + volume_.channels());
  }
  float* const hidden = DistanceScratch::rows(scratch.first, fine1_.out_stride());
  float* const second = DistanceScratch::rows(scratch.second, fine2_.out_stride());
  fine1_.run(joined, points.size(), true, hidden);
  fine2_.run(hidden, points.size(), true, second);
  float* const heads = DistanceScratch::rows(scratch.first, fine_head_.out_stride());
  fine_head_.run(second, points.size(), false, heads);
  for (std::size_t i = 0; i < points.size(); ++i) {
    found.distances[voxels[i]] += heads[i * fine_head_.out_stride()];
    found.log_errors[voxels[i]] += heads[i * fine_head_.out_stride() + 1];
  }
}

NetworkDistances CpuDistanceNetwork::fine(const VoxelGrid& grid, int factor) {
  compute_coarse(grid);
  const VoxelGrid fine_grid = grid.refined(factor);
  NetworkDistances found{std::vector<float>(fine_grid.size()), std::vector<float>(fine_grid.size())};
  std::vector<std::size_t> near;
  for (std::size_t voxel = 0; voxel < fine_grid.size(); ++voxel) {
    const Eigen::Vector3d point = fine_grid.centre(voxel);
    std::array<float, kDistanceChannels> value;
    look_up_volume(((point - grid.lower) / grid.voxel).cast<float>(), kDistanceChannels, value.data());
    found.distances[voxel] = value[0] + prior_distance(prior_.at(point.cast<float>()).distance, grid.voxel);
    found.log_errors[voxel] = value[1];
    if (std::fabs(found.distances[voxel]) < kNearSurface) near.push_back(voxel);
  }
  std::vector<DistanceScratch> scratches(static_cast<std::size_t>(pool_.thread_count()));
  pool_.run((near.size() + kPanel - 1) / kPanel, [&](std::size_t panel, int worker) {
    const auto some = std::span(near).subspan(panel * kPanel, std::min(kPanel, near.size() - panel * kPanel));
    compute_near(grid, some, fine_grid, scratches[static_cast<std::size_t>(worker)], found);
  });
  return found;
}

}  // namespace

std::unique_ptr<DistanceNetwork> make_cpu_distance_network(const Model& model, InstructionSet set, int threads) {
  return std::make_unique<CpuDistanceNetwork>(model, set, threads);
}

}  // namespace p2mpp
