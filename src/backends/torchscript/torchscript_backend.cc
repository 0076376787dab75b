#include <ATen/ops/cat.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/from_blob.h>
#include <c10/core/CachingDeviceAllocator.h>
#include <c10/core/InferenceMode.h>

#include <algorithm>
#include <array>
#include <limits>

#include "backends/common/preprocess.h"
#include "backends/common/projection.h"
#include "backends/torchscript/library.h"
#include "backends/torchscript/libtorch_runtime.h"
#include "backends/torchscript/part_timer.h"
#include "backends/torchscript/torchscript_module.h"
#include "base/machine/host.h"
#include "model/model.h"
#include "p2mpp/error.h"

namespace p2mpp::torchscript {
namespace {

using torch::jit::IValue;

constexpr std::int64_t kSide = static_cast<std::int64_t>(kImageSize);
constexpr std::int64_t kRowColumns = 5;
constexpr std::int64_t kPinholeColumns = 16;
constexpr int kFormatWithPinholes = 2;  // of the model folder

// Stage 2 computes vertices in tiles. Vertices times views of a tile stay below a limit, because the features of all
// views at all hypotheses are one tensor. On a CPU the stage splits vertices into panels of 64. The panels must be the
// same for every tiling.
std::int64_t vertices_together(std::int64_t views) {
  constexpr std::int64_t kMostVerticesTimesViews = 16384;
  constexpr std::int64_t kPanel = 64;
  return std::max<std::int64_t>(1, kMostVerticesTimesViews / views / kPanel) * kPanel;
}

// Whether the cameras can be passed as rows: with these, the network's frame is the first view's.
bool has_rows(const Sample& sample) {
  return !sample.network_frame &&
         std::ranges::all_of(sample.views, [](const View& view) { return view.row.has_value(); });
}

// The samples that run with the same kind of cameras and the same number of views.
std::span<const Sample> alike(std::span<const Sample> piece) {
  const bool rows = has_rows(piece.front());
  return {piece.begin(), std::ranges::find_if(piece, [rows](const Sample& each) { return has_rows(each) != rows; })};
}

std::int64_t views_of(std::span<const Sample> batch, int stage) {
  return static_cast<std::int64_t>(views_read(batch.front(), stage));
}

// [B,V,5], as python/p2mpp/network/camera.py describes them, of all views.
at::Tensor camera_rows(std::span<const Sample> batch) {
  at::Tensor cameras = at::empty({std::ssize(batch), std::ssize(batch.front().views), kRowColumns}, at::kFloat);
  auto* numbers = cameras.data_ptr<float>();
  for (const Sample& sample : batch) {
    for (const View& view : sample.views) {
      const CameraRow& row = view.row.value();
      numbers = std::ranges::copy(std::array{row.azimuth_deg, row.elevation_deg, row.in_plane_rotation_deg,
                                             row.distance, row.field_of_view_deg},
                                  numbers)
                    .out;
    }
  }
  return cameras;
}

// [B,V,16], of a stage's views.
at::Tensor pinholes(std::span<const Sample> batch, int stage, const ProjectionRules& rules) {
  at::Tensor cameras = at::empty({std::ssize(batch), views_of(batch, stage), kPinholeColumns}, at::kDouble);
  auto* numbers = cameras.data_ptr<double>();
  for (const Sample& sample : batch) {
    for (const ViewTransform& view : view_transforms(cameras_of(sample, stage), rules)) {
      numbers = std::ranges::copy(view.rotation, numbers).out;
      numbers = std::ranges::copy(view.translation, numbers).out;
      numbers = std::ranges::copy(std::array{view.fx, view.fy, view.cx, view.cy}, numbers).out;
    }
  }
  return cameras;
}

// [1,N,3]
at::Tensor initial_tensor(const Sample& sample) {
  const Points vertices = initial_vertices(sample);
  at::Tensor tensor = at::empty({1, std::ssize(vertices), 3}, at::kFloat);
  std::copy_n(vertices.front().data(), tensor.numel(), tensor.data_ptr<float>());
  return tensor;
}

Points to_points(const at::Tensor& vertices) {
  Points points(static_cast<std::size_t>(vertices.size(0)));
  std::copy_n(vertices.data_ptr<float>(), vertices.numel(), points.front().data());
  return points;
}

class TorchscriptBackend : public SynchronousBackend {
 public:
  TorchscriptBackend(const Model& model, const BackendOptions& options)
      : options_(options),
        device_(prepare_libtorch(options)),
        semantics_(model.info.semantics),
        image_rules_(image_rules(model.info)),
        format_version_(model.info.format_version),
        folder_(model.info.folder),
        stage1_(open_module(model.info.folder / "stage1.pt", model.stage1_archive, 1, model.info, device_)),
        stage2_(open_module(model.info.folder / "stage2.pt", model.stage2_archive, 2, model.info, device_)),
        block_count_(stage2_.attr("drb_blocks").toInt()),
        resident_(model, device_) {}

 protected:
  std::vector<Reconstruction> compute(std::span<const Sample> batch, PartTimes& times,
                                      Intermediates* intermediates) override {
    const c10::InferenceMode inference;
    set_up_libtorch(options_);
    try {
      if (device_.is_cuda()) return run_what_fits(batch, times, intermediates);
      return run_one_by_one(batch, times, intermediates);
    } catch (const c10::Error& error) {
      throw Error("LibTorch: " + short_message(error));
    }
  }

  // LibTorch does not report how much memory a batch needs, and it keeps memory it has allocated. The estimate
  // therefore scales the memory taken by the largest batch so far.
  BatchMemory memory_for(std::size_t samples, std::size_t views) override {
    if (!device_.is_cuda()) return host_memory_for(samples, views);
    const MemoryState now = cuda_memory();
    const std::size_t images = samples * views;
    if (images <= images_seen_ || images_seen_ == 0) return {.device = now, .needed = 0};
    const std::uint64_t taken = available_at_first_ - std::min(available_at_first_, now.available);
    return {.device = now, .needed = taken * (images - images_seen_) / images_seen_};
  }

  [[nodiscard]] std::size_t largest_batch() const override { return largest_batch_; }

 private:
  struct Inputs {
    at::Tensor images;              // [B,V,3 or 4,224,224], of all views
    at::Tensor cameras1, cameras2;  // of each stage: rows [B,V,5] or pinholes [B,V,16]
  };

  // On a CPU a larger batch is not faster, needs proportionally more memory and rounds differently.
  std::vector<Reconstruction> run_one_by_one(std::span<const Sample> batch, PartTimes& times,
                                             Intermediates* intermediates) {
    std::vector<Reconstruction> results;
    for (std::size_t i = 0; i < batch.size(); ++i) {
      results.push_back(run_together(batch.subspan(i, 1), times, i == 0 ? intermediates : nullptr).front());
    }
    return results;
  }

  // Halves a batch that does not fit into the device's memory, and never again tries a larger one.
  std::vector<Reconstruction> run_what_fits(std::span<const Sample> batch, PartTimes& times,
                                            Intermediates* intermediates) {
    if (images_seen_ == 0) available_at_first_ = cuda_memory().available;
    std::vector<Reconstruction> results;
    while (results.size() < batch.size()) {
      const std::span<const Sample> piece = alike(leading_piece(batch.subspan(results.size()), largest_batch_));
      try {
        std::ranges::move(run_together(piece, times, results.empty() ? intermediates : nullptr),
                          std::back_inserter(results));
        images_seen_ = std::max(images_seen_, piece.size() * piece.front().views.size());
      } catch (const c10::OutOfMemoryError&) {
        if (piece.size() == 1) throw;
        largest_batch_ = piece.size() / 2;
      }
    }
    return results;
  }

  [[nodiscard]] MemoryState cuda_memory() const {
    const auto [available, total] = c10::getDeviceAllocator(c10::kCUDA)->getMemoryInfo(device_.index());
    return {.total = total, .available = available};
  }

  std::vector<Reconstruction> run_together(std::span<const Sample> batch, PartTimes& times,
                                           Intermediates* intermediates) {
    PartTimer host_timer{c10::Device(c10::kCPU)};
    Inputs inputs = preprocess_batch(batch);
    host_timer.mark(Part::kPreprocess);
    host_timer.finish(times);

    PartTimer timer(device_);
    inputs = {inputs.images.to(device_), inputs.cameras1.to(device_), inputs.cameras2.to(device_)};
    timer.mark(Part::kCopyIn);
    const bool initial = batch.front().initial_mesh != nullptr;
    std::vector<at::Tensor> levels =
        initial ? std::vector{initial_tensor(batch.front()).to(device_)} : deform(inputs, timer, intermediates);
    std::size_t coarse_count = levels.size();
    refine(inputs, levels, timer, intermediates);
    if (initial) {
      levels.erase(levels.begin());
      coarse_count = 0;
    }
    std::vector<Reconstruction> results = copy_out(levels, coarse_count, batch.size());
    timer.mark(Part::kCopyOut);
    timer.finish(times);
    return results;
  }

  // Without images. Rows where there are rows: they give the bytes that they always gave.
  [[nodiscard]] Inputs cameras_of_stages(std::span<const Sample> batch) const {
    if (has_rows(batch.front())) {
      const at::Tensor rows = camera_rows(batch);
      return {{}, rows.narrow(1, 0, views_of(batch, 1)), rows.narrow(1, 0, views_of(batch, 2))};
    }
    if (format_version_ < kFormatWithPinholes) {
      throw InputError(folder_.string() +
                       ": takes camera rows only (format 1); expected a model that is exported again, or the backend "
                       "fused");
    }
    return {{}, pinholes(batch, 1, stage1_rules(semantics_)), pinholes(batch, 2, stage2_rules(semantics_))};
  }

  [[nodiscard]] Inputs preprocess_batch(std::span<const Sample> batch) const {
    const auto batch_size = static_cast<std::int64_t>(batch.size());
    const auto view_count = static_cast<std::int64_t>(batch.front().views.size());
    Inputs inputs = cameras_of_stages(batch);
    const auto channels = static_cast<std::int64_t>(image_rules_.channels);
    inputs.images = at::empty({batch_size, view_count, channels, kSide, kSide}, at::kFloat);
    const auto plane_count = static_cast<std::size_t>(channels * kSide * kSide);
    auto* planes = inputs.images.data_ptr<float>();
    for (const Sample& sample : batch) {
      for (const View& view : sample.views) {
        preprocess(view.image, image_rules_, {planes, plane_count});
        planes += plane_count;
      }
    }
    return inputs;
  }

  // Stage 1. Returns the vertices after each block.
  std::vector<at::Tensor> deform(const Inputs& inputs, PartTimer& timer, Intermediates* intermediates) {
    const IValue features = stage1_.get_method("features")({of_stage(inputs.images, inputs.cameras1)});
    timer.mark(Part::kCnn1);
    if (intermediates != nullptr) {
      const at::Tensor start = resident_.template_vertices.expand({inputs.images.size(0), -1, -1});
      const IValue projected = stage1_.get_method("project")({features, inputs.cameras1, start});
      intermediates->stage1_projection = to_floats(projected.toTensor()[0]);
    }
    const IValue levels = stage1_.get_method("deform")({features, inputs.cameras1, resident_.template_vertices,
                                                        IValue(resident_.supports), IValue(resident_.unpool_edges)});
    timer.mark(Part::kGcn);
    return levels.toTensorVector();
  }

  // Stage 2. Appends the vertices after each deformation reasoning block.
  void refine(const Inputs& inputs, std::vector<at::Tensor>& levels, PartTimer& timer, Intermediates* intermediates) {
    const IValue features = stage2_.get_method("features")({of_stage(inputs.images, inputs.cameras2)});
    timer.mark(Part::kCnn2);
    for (std::int64_t block = 0; block < block_count_; ++block) {
      if (intermediates != nullptr) {
        intermediates->stage2_projection.emplace_back();
        intermediates->scores.emplace_back();
      }
      std::vector<at::Tensor> moved;
      for (const at::Tensor& tile : levels.back().split(vertices_together(inputs.cameras2.size(1)), 1)) {
        moved.push_back(reason(block, features, inputs.cameras2, tile, timer, intermediates));
        timer.mark(Part::kDrb);  // after reason(), so that releasing the block's memory counts as the block's time
      }
      levels.push_back(at::cat(moved, 1));
    }
  }

  // The images of the views whose cameras these are.
  static at::Tensor of_stage(const at::Tensor& images, const at::Tensor& cameras) {
    return images.narrow(1, 0, cameras.size(1));
  }

  static void append(const at::Tensor& values, std::vector<float>& to) {
    const std::vector<float> more = to_floats(values);
    to.insert(to.end(), more.begin(), more.end());
  }

  // Runs one deformation reasoning block for some vertices [B,N,3] -> moved vertices [B,N,3].
  at::Tensor reason(std::int64_t block, const IValue& features, const at::Tensor& cameras, const at::Tensor& vertices,
                    PartTimer& timer, Intermediates* intermediates) {
    const IValue projected = stage2_.get_method("project")({features, cameras, vertices, resident_.hypotheses});
    timer.mark(Part::kProjection);
    const IValue scores = stage2_.get_method("scores")({block, projected, resident_.local_support});
    if (intermediates != nullptr) {
      append(projected.toTensor()[0], intermediates->stage2_projection.back());
      append(scores.toTensor()[0], intermediates->scores.back());
    }
    return stage2_.get_method("move")({vertices, resident_.hypotheses, scores}).toTensor();
  }

  // Copies all levels of all samples to the host at once.
  static std::vector<Reconstruction> copy_out(const std::vector<at::Tensor>& levels, std::size_t coarse_count,
                                              std::size_t batch_size) {
    const at::Tensor host = at::cat(levels, 1).to(at::kCPU).contiguous();
    std::vector<Reconstruction> results(batch_size);
    for (std::size_t b = 0; b < batch_size; ++b) {
      std::int64_t first = 0;
      for (std::size_t i = 0; i < levels.size(); ++i) {
        const std::int64_t count = levels[i].size(1);
        Points points = to_points(host[static_cast<std::int64_t>(b)].narrow(0, first, count));
        (i < coarse_count ? results[b].coarse : results[b].refined).push_back(std::move(points));
        first += count;
      }
    }
    return results;
  }

  BackendOptions options_;
  c10::Device device_;
  Semantics semantics_;
  ImageRules image_rules_;
  int format_version_;
  std::filesystem::path folder_;  // for messages
  torch::jit::Module stage1_;
  torch::jit::Module stage2_;
  std::int64_t block_count_;
  ResidentTensors resident_;
  std::size_t largest_batch_ = std::numeric_limits<std::size_t>::max();
  std::size_t images_seen_ = 0;           // in the largest batch so far
  std::uint64_t available_at_first_ = 0;  // bytes of device memory before the first batch
};

}  // namespace

std::unique_ptr<Backend> make_backend(const Model& model, const BackendOptions& options) {
  try {
    return std::make_unique<TorchscriptBackend>(model, options);
  } catch (const c10::Error& error) {
    throw Error("LibTorch: " + short_message(error));
  }
}

}  // namespace p2mpp::torchscript
