#pragma once

#include <memory>
#include <vector>

#include "backends/backend.h"
#include "backends/cuda/workspace.h"

namespace p2mpp {

/// Events that mark the steps of a batch in the streams.
enum class PassEvent {
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
inline constexpr std::size_t kEventCount = 11;

class PassEvents {
 public:
  explicit PassEvents(DeviceRuntime& runtime) {
    for (auto& event : events_) event = runtime.make_event();
  }
  [[nodiscard]] DeviceEvent& operator[](PassEvent event) const { return *events_[static_cast<std::size_t>(event)]; }

 private:
  std::array<std::unique_ptr<DeviceEvent>, kEventCount> events_;
};

/// Queues the kernels of the whole network for one batch: stage 1 in the compute stream, stage 2's CNN concurrently in
/// another stream, then stage 2's blocks in the compute stream.
class ForwardPass {
 public:
  /// The references must outlive this object.
  ForwardPass(DeviceRuntime& runtime, const ResidentNetwork& network, const BatchShape& shape,
              const InputBuffers& input, const Workspace& workspace, const OutputBuffers& output);

  /// intermediates: receives those of the first sample; may be null. If set, waits for the device in between, so the
  /// pass cannot be recorded.
  void queue(const PassEvents& events, Intermediates* intermediates);

  /// Number of kernels queued for a part.
  [[nodiscard]] int kernels(Part part) const { return kernels_[static_cast<std::size_t>(part)]; }

 private:
  template <class Work>
  void queue_part(Part part, const Work& work);
  void check_launch(int status, const char* kernel);
  void record(const PassEvents& events, PassEvent event, int stream);
  void preprocess();
  void find_evidence();
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
  Part part_ = Part::kPreprocess;  // the part being queued
  std::array<int, kPartCount> kernels_{};
};

}  // namespace p2mpp
