#pragma once

#include <memory>
#include <vector>

#include "backends/backend.h"
#include "backends/cuda/workspace.h"

namespace p2mpp {

/// Moments of a batch, as they are marked in the streams.
enum class Moment {
  kCopyInBegin,
  kCopyInEnd,
  kBegin,
  kPreprocessed,
  kCnn1,
  kGcn,
  kCnn2Begin,
  kCnn2End,
  kEnd,
  kCopyOutBegin,
  kCopyOutEnd
};
inline constexpr std::size_t kMomentCount = 11;

class Moments {
 public:
  explicit Moments(DeviceRuntime& runtime) {
    for (auto& mark : marks_) mark = runtime.make_mark();
  }
  [[nodiscard]] DeviceMark& operator[](Moment moment) const { return *marks_[static_cast<std::size_t>(moment)]; }

 private:
  std::array<std::unique_ptr<DeviceMark>, kMomentCount> marks_;
};

/// Queues the kernels of the whole network for one batch: stage 1 in the compute stream, stage 2's CNN beside it in
/// another, then stage 2's blocks in the first.
class ForwardPass {
 public:
  /// All must outlive this object.
  ForwardPass(DeviceRuntime& runtime, const ResidentNetwork& network, const BatchShape& shape,
              const InputBuffers& input, const Workspace& workspace, const OutputBuffers& output);

  /// intermediates: of the first sample; where given, waits for the device in between, so it cannot be recorded.
  void queue(const Moments& moments, Intermediates* intermediates);

  /// That a part takes, once they have been queued.
  [[nodiscard]] int kernels(Part part) const { return kernels_[static_cast<std::size_t>(part)]; }

 private:
  template <class Work>
  void queue_part(Part part, const Work& work);
  void check_launch(int status, const char* kernel);
  void mark(const Moments& moments, Moment moment, int stream);
  void preprocess();
  void run_cnn(std::span<const ResidentConvolution> cnn, const Workspace::Maps& maps, int views, Arithmetic arithmetic,
               int stream);
  void convolve(ConvolutionArguments arguments, int pairs, Arithmetic arithmetic, int stream, const char* name);
  void run_block(std::size_t level, Intermediates* intermediates);
  void project(std::size_t level, int rows, int coarse_rows);
  void multiply_first(const ResidentBlock& block, int rows_of_sample);
  void combine(std::size_t level, int product_rows, float* out);
  void run_inner_layers(std::size_t level);
  void find_coordinates(std::size_t level, const float* hidden);
  void reason(std::size_t block, Intermediates* intermediates);
  void launch_reasoning(const ReasoningArguments& arguments);
  [[nodiscard]] LookupArguments lookup(int stage) const;
  [[nodiscard]] DeviceSupport support(const ResidentLevel& level) const;
  [[nodiscard]] const float* last_hidden(std::size_t level) const;
  void copy_now(std::vector<float>& to, const float* from, std::size_t count);

  DeviceRuntime* runtime_;
  const ResidentNetwork* network_;
  BatchShape shape_;
  const InputBuffers* input_;
  const Workspace* workspace_;
  const OutputBuffers* output_;
  Part part_ = Part::kPreprocess;  // that is queued
  std::array<int, kPartCount> kernels_{};
};

/// Into how many slices a convolution's depth is cut: more where a sample's output alone would leave the device idle.
/// Depends on the layer and not on the batch, so that sums do not either.
[[nodiscard]] int slices_of(int output_pixels_of_sample, int pairs, int steps);

}  // namespace p2mpp
