#include "backends/cpu/cpu_backend.h"

#include <algorithm>
#include <chrono>

#include "backends/common/mask_evidence.h"
#include "backends/common/preprocess.h"
#include "backends/cpu/coarse_deformation.h"
#include "backends/cpu/convolution.h"
#include "backends/cpu/deformation_reasoning.h"
#include "backends/cpu/projection.h"
#include "base/clock.h"
#include "model/network_weights.h"

namespace p2mpp {
namespace {

constexpr int kSide = static_cast<int>(kImageSize);

LocalGraphOfHypotheses load_local_graph(const Model& model) {
  LocalGraphOfHypotheses graph;
  for (const Eigen::Vector3f& hypothesis : model.hypotheses) {
    graph.offsets.insert(graph.offsets.end(), hypothesis.data(), hypothesis.data() + 3);
  }
  graph.support = Support(model.local_support.sparseView());
  return graph;
}

/// A CNN and the projection that samples its maps.
template <class Number>
struct ImageStage {
  ImageStage(const Kernels<ElementOf<Number>>& kernels, const StageWeights& weights, const ProjectionRules& rules,
             const Kernels<float>& float_kernels, std::span<const std::size_t> layers_read, bool mask_evidence = false)
      : cnn(kernels, weights.convolutions(), kSide, layers_read),
        projection(float_kernels, rules, weights.channels(layers_read), mask_evidence),
        reads_evidence(mask_evidence),
        images(kSide, cnn.image_channels(), cnn.image_channels(), cnn.border_before(), cnn.border_after()) {}

  void reserve(std::size_t views) {
    images.reserve(static_cast<int>(views));
    if (reads_evidence) evidence.resize(views * kEvidenceOfView);
  }

  /// Stores one view's image: [channels,224,224] -> channels last.
  void store_image(std::span<const float> planes, int view) {
    constexpr std::size_t kPlane = std::size_t{kSide} * kSide;
    for (int y = 0; y < kSide; ++y) {
      ElementOf<Number>* pixel = images.data() + images.offset(view, y, 0);
      const float* value = planes.data() + static_cast<std::size_t>(y * kSide);
      for (int x = 0; x < kSide; ++x, ++value) {
        for (std::size_t channel = 0; channel < cnn.image_channels(); ++channel) {
          store_number<Number>(value[channel * kPlane], pixel++, images.rest());
        }
      }
    }
    if (!reads_evidence) return;
    find_evidence(planes.subspan(kColourChannels * kPlane),
                  std::span(evidence).subspan(static_cast<std::size_t>(view) * kEvidenceOfView, kEvidenceOfView));
  }

  void compute_features(const SampleCameras& cameras, ThreadPool& pool) {
    cnn.run(images, static_cast<int>(cameras.views.size()), pool);
    projection.set_sample(cameras, cnn.maps_read(), reads_evidence ? evidence.data() : nullptr);
  }

  ImageFeatures<Number> cnn;
  static constexpr std::size_t kEvidenceOfView = std::size_t{kSide} * kSide * kEvidenceChannels;

  Projection projection;
  bool reads_evidence;
  FeatureMaps<Number> images;
  std::vector<float> evidence;  // [view, 224, 224, kEvidenceChannels]; empty if the stage does not read it
};

/// The numbers of each stage's products. Stage 1 has float or SplitFloat (see CoarseDeformation).
template <class Number1, class Number2>
class CpuBackend : public SynchronousBackend {
 public:
  CpuBackend(const Model& model, const BackendOptions& options, const StageWeights& weights1,
             const StageWeights& weights2);

 protected:
  std::vector<Reconstruction> compute(std::span<const Sample> batch, PartTimes& times,
                                      Intermediates* intermediates) override {
    std::vector<Reconstruction> results;
    for (std::size_t i = 0; i < batch.size(); ++i) {
      results.push_back(reconstruct(batch[i], times, i == 0 ? intermediates : nullptr));
    }
    return results;
  }

  [[nodiscard]] BatchMemory memory_for(std::size_t samples, std::size_t views) override {
    return host_memory_for(samples, views);
  }

 private:
  Reconstruction reconstruct(const Sample& sample, PartTimes& times, Intermediates* intermediates) {
    auto last = Clock::now();
    const auto mark = [&](Part part) {
      const auto now = Clock::now();
      times[part] += std::chrono::duration<double, std::milli>(now - last).count();
      last = now;
    };
    preprocess_views(sample);
    mark(Part::kPreprocess);
    Reconstruction result;
    Points vertices;
    if (sample.initial_mesh) {
      vertices = initial_vertices(sample);
    } else {
      stage1_.compute_features(cameras_of(sample, 1), pool_);
      mark(Part::kCnn1);
      if (intermediates != nullptr)
        intermediates->stage1_projection = deformation_.first_projection(stage1_.projection);
      result.coarse = deformation_.run(stage1_.projection, pool_);
      vertices = result.coarse.back();
      mark(Part::kGcn);
    }
    stage2_.compute_features(cameras_of(sample, 2), pool_);
    mark(Part::kCnn2);
    for (DeformationReasoning<Number2>& block : reasoning_) {
      vertices = refine(block, vertices, times, intermediates);
      result.refined.push_back(vertices);
    }
    return result;
  }

  void preprocess_views(const Sample& sample) {
    constexpr std::size_t kPlane = std::size_t{kSide} * kSide;
    const std::size_t views1 = views_read(sample, 1);
    const std::size_t views2 = views_read(sample, 2);
    stage1_.reserve(views1);
    stage2_.reserve(views2);
    const std::size_t floats = image_rules_.channels * kPlane;
    planes_.resize(static_cast<std::size_t>(pool_.thread_count()) * floats);
    pool_.run(std::max(views1, views2), [&](std::size_t view, int worker) {
      const std::span<float> planes(planes_.data() + static_cast<std::size_t>(worker) * floats, floats);
      preprocess(sample.views[view].image, image_rules_, planes);
      if (view < views1) stage1_.store_image(planes, static_cast<int>(view));
      if (view < views2) stage2_.store_image(planes, static_cast<int>(view));
    });
  }

  Points refine(DeformationReasoning<Number2>& block, const Points& vertices, PartTimes& times,
                Intermediates* intermediates) {
    Points moved(vertices.size());
    ReasoningTrace trace;
    const ReasoningTimes spent =
        block.run(stage2_.projection, {vertices.front().data(), 3 * vertices.size()},
                  {moved.front().data(), 3 * moved.size()}, pool_, intermediates != nullptr ? &trace : nullptr);
    times[Part::kProjection] += spent.projection_ms;
    times[Part::kDrb] += spent.reasoning_ms;
    if (intermediates != nullptr) {
      intermediates->stage2_projection.push_back(std::move(trace.projection));
      intermediates->scores.push_back(std::move(trace.scores));
    }
    return moved;
  }

  ThreadPool pool_;
  ImageRules image_rules_;
  ImageStage<Number1> stage1_;
  ImageStage<Number2> stage2_;
  CoarseDeformation<Number1> deformation_;
  LocalGraphOfHypotheses local_graph_;
  std::vector<DeformationReasoning<Number2>> reasoning_;
  std::vector<float> planes_;  // one view per thread
};

template <class Number1, class Number2>
CpuBackend<Number1, Number2>::CpuBackend(const Model& model, const BackendOptions& options,
                                         const StageWeights& weights1, const StageWeights& weights2)
    : pool_(options.threads),
      image_rules_(image_rules(model.info)),
      stage1_(kernels_for<ElementOf<Number1>>(options.instruction_set), weights1, stage1_rules(model.info.semantics),
              kernels_for<float>(options.instruction_set), kStage1Maps),
      stage2_(kernels_for<ElementOf<Number2>>(options.instruction_set), weights2, stage2_rules(model.info.semantics),
              kernels_for<float>(options.instruction_set), kStage2Maps, model.info.sizes.stage2_mask_evidence),
      deformation_(kernels_for<ElementOf<Number1>>(options.instruction_set), weights1.blocks("gcn"),
                   stage1_.projection.layout(), model.mesh_template, unpools_features(model.info.semantics)),
      local_graph_(load_local_graph(model)) {
  for (const std::vector<GraphConvolutionWeights>& layers : weights2.blocks("drb")) {
    reasoning_.emplace_back(kernels_for<ElementOf<Number2>>(options.instruction_set), layers,
                            stage2_.projection.layout(), local_graph_, rectifies_scores(model.info.semantics));
  }
}

}  // namespace

bool cpu_backend_computes(Precision precision) {
  return precision == Precision::kFp32 || precision == Precision::kBf16 || precision == Precision::kBf16x3;
}

std::unique_ptr<Backend> make_cpu_backend(const Model& model, const BackendOptions& options) {
  const StageWeights weights1(model, 1);
  const StageWeights weights2(model, 2);
  switch (options.precision) {
    case Precision::kBf16x3:
      return std::make_unique<CpuBackend<SplitFloat, SplitFloat>>(model, options, weights1, weights2);
    case Precision::kBf16:
      if (multiplies_tiles(options.instruction_set)) {  // where SplitFloat is faster than float
        return std::make_unique<CpuBackend<SplitFloat, Bfloat16>>(model, options, weights1, weights2);
      }
      return std::make_unique<CpuBackend<float, Bfloat16>>(model, options, weights1, weights2);
    default:
      return std::make_unique<CpuBackend<float, float>>(model, options, weights1, weights2);
  }
}

}  // namespace p2mpp
