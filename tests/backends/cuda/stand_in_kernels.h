#pragma once

#include <cstring>
#include <utility>

#include "emulation/runtime.h"

namespace p2mpp {

// Stand-ins for the kernels of fp32. Each makes of a sample's every input, of which it reads a number, a number of its
// output; so whoever reads too early, or writes too early, changes the vertices.

/// Queues what is done for each sample or image.
template <class Work>
int queue_for_each(int count, DeviceStream stream, Work work) {
  emulation::Stream::of(stream).add([count, work] {
    for (int i = 0; i < count; ++i) work(static_cast<std::size_t>(i));
  });
  return 0;
}

inline std::size_t product(int a, int b, int c = 1, int d = 1) {
  return static_cast<std::size_t>(a) * static_cast<std::size_t>(b) * static_cast<std::size_t>(c) *
         static_cast<std::size_t>(d);
}

inline float looked_up(const LookupArguments& lookup, std::size_t sample) {
  const auto views = static_cast<std::size_t>(lookup.views);
  float sum = 0;
  for (std::size_t view = sample * views; view < (sample + 1) * views; ++view) {
    double number = 0;
    std::memcpy(&number, &lookup.transforms[view], sizeof number);
    sum += static_cast<float>(number);
    for (int i = 0; i < lookup.map_count; ++i) {
      const DeviceMap& map = lookup.maps[i];
      sum += static_cast<const float*>(map.values)[view * product(map.side, map.side, map.stride)];
    }
  }
  return sum;
}

inline int preprocess_stand_in(const Launch& launch, const PreprocessArguments& a, DeviceStream stream) {
  return queue_for_each(launch.blocks_y, stream, [a](std::size_t image) {
    const SourceImage& source = a.images[image];
    float sum = 0;
    for (std::size_t i = 0; i < product(4, source.width, source.height); ++i) {
      sum += static_cast<float>(a.pixels[source.offset + i]) / static_cast<float>(i + 1);
    }
    const std::size_t pixels = product(kResizedSide, kResizedSide, kPixelStride);
    if (source.stage1 >= 0) a.stage1[static_cast<std::size_t>(source.stage1) * pixels] = sum;
    if (source.stage2 >= 0) static_cast<float*>(a.stage2)[static_cast<std::size_t>(source.stage2) * pixels] = 2 * sum;
  });
}

inline int convolve_stand_in(const Launch& /*launch*/, const ConvolutionArguments& a, DeviceStream stream) {
  const auto images = static_cast<int>(a.output_pixels / (a.output_height * a.output_width));
  return queue_for_each(images, stream, [a](std::size_t image) {
    const float in = static_cast<const float*>(a.input)[image * product(a.input_height, a.input_width, a.input_stride)];
    static_cast<float*>(a.output)[image * product(a.output_height, a.output_width, a.output_stride)] = in / 2 + 1;
  });
}

inline int project_stand_in(const Launch& launch, const ProjectionArguments& a, DeviceStream stream) {
  return queue_for_each(launch.blocks_y, stream, [a](std::size_t sample) {
    float sum = looked_up(a.lookup, sample) +
                a.coarse_vertices[a.shared_vertices ? 0 : 3 * sample * product(a.coarse_count, 1)];
    if (a.hidden != nullptr) sum += a.hidden[sample * product(a.coarse_count, a.hidden_stride)];
    a.output[sample * product(a.vertex_count, a.stride)] = sum;
  });
}

inline int combine_stand_in(const Launch& launch, const CombineArguments& a, DeviceStream stream) {
  return queue_for_each(launch.blocks_y, stream, [a](std::size_t sample) {
    a.output[sample * product(a.vertex_count, a.stride)] =
        a.products[sample * product(a.product_rows, 2, a.padded)] + 1;
  });
}

// Leaves the counters as blocks of threads that wait for each other do: they must be zeros again in the next pass.
inline int convolve_graph_stand_in(const Launch& launch, const GraphLayersArguments& a, DeviceStream stream) {
  return queue_for_each(launch.blocks_y, stream, [a](std::size_t sample) {
    const std::size_t first = sample * product(a.layer.vertex_count, a.layer.stride);
    const bool joined = a.layer_count > 1;
    const float left_over = joined ? static_cast<float>(std::exchange(a.arrivals[sample], 1U)) : 0;
    for (int i = 0; i < a.layer_count; ++i) {
      const float in = a.states[i % 2][first];
      float& out = a.states[1 - i % 2][first];
      out = in / 2 + (a.layers[i].averages_before ? out / 4 : 1) + left_over;
    }
  });
}

inline int coordinates_stand_in(const Launch& launch, const CoordinatesArguments& a, DeviceStream stream) {
  return queue_for_each(launch.blocks_y, stream, [a](std::size_t sample) {
    const float value = a.input[sample * product(a.vertex_count, a.stride)];
    for (std::size_t i = 0; i < product(a.vertex_count, 3); ++i) {
      a.output[sample * product(a.vertex_count, 3) + i] = value + static_cast<float>(i);
    }
  });
}

inline int reason_stand_in(const Launch& /*launch*/, const ReasoningArguments& a, DeviceStream stream) {
  return queue_for_each(a.vertex_count / a.vertices_per_sample, stream, [a](std::size_t sample) {
    const float moved_by = looked_up(a.lookup, sample);
    const std::size_t first = sample * product(a.vertices_per_sample, 3);
    for (std::size_t i = first; i < first + product(a.vertices_per_sample, 3); ++i) {
      a.moved[i] = a.vertices[i] + moved_by;
    }
  });
}

/// The emulation with stand-ins.
class StandInRuntime : public emulation::Runtime {
 public:
  using Runtime::Runtime;

  [[nodiscard]] const CudaKernels& kernels() const override { return kernels_; }

 private:
  static CudaKernels stand_ins() {
    constexpr auto kFp32 = static_cast<std::size_t>(Arithmetic::kFp32);
    CudaKernels kernels{};
    kernels.project = project_stand_in;
    kernels.combine = combine_stand_in;
    kernels.find_coordinates = coordinates_stand_in;
    kernels.preprocess[kFp32] = preprocess_stand_in;
    kernels.convolve[kFp32] = convolve_stand_in;
    kernels.convolve_graph[kFp32] = convolve_graph_stand_in;
    kernels.reason[kFp32] = reason_stand_in;
    return kernels;
  }

  CudaKernels kernels_ = stand_ins();
};

}  // namespace p2mpp
