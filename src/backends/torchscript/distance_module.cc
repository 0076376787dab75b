#include <ATen/ops/empty.h>
#include <ATen/ops/from_blob.h>
#include <c10/core/InferenceMode.h>

#include <algorithm>
#include <array>
#include <vector>

#include "backends/common/resize.h"
#include "backends/torchscript/library.h"
#include "backends/torchscript/libtorch_runtime.h"
#include "backends/torchscript/torchscript_module.h"
#include "model/distance_weights.h"
#include "model/stage_archive.h"
#include "p2mpp/error.h"

namespace p2mpp::torchscript {
namespace {

/// [views, 16], as python/p2mpp/network/camera.py describes pinholes.
at::Tensor to_rows(const std::vector<Camera>& cameras) {
  constexpr std::int64_t kColumns = 16;
  at::Tensor rows = at::empty({std::ssize(cameras), kColumns}, at::kDouble);
  auto* numbers = rows.data_ptr<double>();
  for (const Camera& camera : cameras) {
    const Eigen::Matrix<double, 3, 3, Eigen::RowMajor> rotation = camera.rotation;
    const Eigen::Vector3d translation = -(camera.rotation * camera.origin);
    const Intrinsics& lens = camera.intrinsics;
    numbers = std::copy_n(rotation.data(), 9, numbers);
    numbers = std::copy_n(translation.data(), 3, numbers);
    numbers = std::ranges::copy(std::array{lens.fx, lens.fy, lens.cx, lens.cy}, numbers).out;
  }
  return rows;
}

class TorchscriptDistanceNetwork final : public DistanceNetwork {
  template <typename Compute>
  auto guard(const Compute& compute) {
    const c10::InferenceMode inference;
    set_up_libtorch(options_);
    try {
      return compute();
    } catch (const c10::Error& error) {
      throw Error("LibTorch: " + short_message(error));
    }
  }

 public:
  TorchscriptDistanceNetwork(const Model& model, const BackendOptions& options)
      : options_(options),
        device_(prepare_libtorch(options)),
        module_(
            open_module(model.info.folder / "volume.pt", model.volume_archive, kDistanceStage, model.info, device_)) {}

  void set_views(const DistanceViews& views) override {
    guard([&] {
      const std::int64_t count = std::ssize(views.cameras);
      at::Tensor images = at::empty({count, 4, kResizedSide, kResizedSide}, at::kFloat);
      std::ranges::copy(views.images, images.data_ptr<float>());
      images_ = images.to(device_);
      cameras_ = to_rows(views.cameras).to(device_);
      prior_ = views.prior;
      return 0;
    });
  }

  [[nodiscard]] NetworkDistances coarse(const VoxelGrid& grid) override {
    return guard([&] {
      const torch::jit::IValue maps = module_.get_method("maps")({images_});
      const at::Tensor prior = prior_at(grid);
      const at::Tensor found =
          module_.get_method("coarse")({maps, cameras_, lower_corner(grid), grid.voxel, counts_of(grid), prior})
              .toTensor()[0];
      NetworkDistances distances{to_floats(found[-2]), to_floats(found[-1])};
      const std::vector<float> of_prior = to_floats(prior[0]);
      for (std::size_t i = 0; i < of_prior.size(); ++i) {
        distances.distances[i] += prior_distance(of_prior[i], grid.voxel);
      }
      return distances;
    });
  }

  [[nodiscard]] NetworkDistances fine(const VoxelGrid& grid, int factor) override {
    return guard([&] {
      const at::Tensor found = module_
                                   .forward({images_, cameras_, lower_corner(grid), grid.voxel, counts_of(grid),
                                             std::int64_t{factor}, prior_at(grid), prior_at(grid.refined(factor))})
                                   .toTensor();
      return NetworkDistances{to_floats(found[0]), to_floats(found[1])};
    });
  }

 private:
  [[nodiscard]] at::Tensor lower_corner(const VoxelGrid& grid) const {
    at::Tensor lower = at::empty({3}, at::kDouble);
    std::copy_n(grid.lower.data(), 3, lower.data_ptr<double>());
    return lower.to(device_);
  }

  /// [2, voxels]: distances and their magnitudes.
  [[nodiscard]] at::Tensor prior_at(const VoxelGrid& grid) const {
    const auto size = static_cast<std::int64_t>(grid.size());
    at::Tensor found = at::empty({2, size}, at::kFloat);
    float* const distances = found.data_ptr<float>();
    for (std::int64_t voxel = 0; voxel < size; ++voxel) {
      const auto [distance, magnitude] = prior_.at(grid.centre(static_cast<std::size_t>(voxel)).cast<float>());
      distances[voxel] = distance;
      distances[size + voxel] = magnitude;
    }
    return found.to(device_);
  }

  static c10::List<std::int64_t> counts_of(const VoxelGrid& grid) {
    return c10::List<std::int64_t>({grid.counts.x(), grid.counts.y(), grid.counts.z()});
  }

  BackendOptions options_;
  c10::Device device_;
  torch::jit::Module module_;
  at::Tensor images_, cameras_;
  DistanceField prior_;
};

}  // namespace

std::unique_ptr<DistanceNetwork> make_distance_network(const Model& model, const BackendOptions& options) {
  return std::make_unique<TorchscriptDistanceNetwork>(model, options);
}

}  // namespace p2mpp::torchscript
