#pragma once

#include <vector>

#include "backends/cuda/resident_network.h"

namespace p2mpp {

/// How many samples of how many views are computed together.
struct BatchShape {
  int samples = 0;
  int views = 0;

  [[nodiscard]] int images() const { return samples * views; }
  friend auto operator<=>(const BatchShape&, const BatchShape&) = default;
};

/// What depends on the samples, as the host fills it and the device reads it: both have it in one block, laid out the
/// same way, so that one copy brings it over.
struct InputBuffers {
  InputBuffers(Arena& arena, const BatchShape& shape, std::size_t levels, std::size_t pixel_bytes);

  SourceImage* images;             ///< [images]
  Tap *rows, *columns;             ///< [images, 224]
  ViewTransform *stage1, *stage2;  ///< [samples, views]
  std::uint32_t* arrivals;         ///< [levels][samples], zeros: blocks of threads that wait for each other count here
  std::uint8_t* pixels;            ///< [pixel_bytes]
};

/// Vertices after each block of stage 1 and each of stage 2, [samples, vertices, 3], one after the other in one block
/// for one copy to the host.
struct OutputBuffers {
  OutputBuffers(Arena& arena, const BatchShape& shape, const ResidentNetwork& network);

  std::vector<float*> coarse;   ///< a level each
  std::vector<float*> refined;  ///< a deformation reasoning block each
};

/// What lies between input and output. Everything here is written before it is read, in each pass.
struct Workspace {
  Workspace(Arena& arena, const BatchShape& shape, const ResidentNetwork& network);

  /// The images and what each convolution of a CNN gives. Maps that nothing reads later take turns in two buffers.
  struct Maps {
    std::byte* images;
    std::vector<std::byte*> layers;
  };
  Maps stage1, stage2;
  float* features;      ///< rows of a first layer's input
  float* products;      ///< [x W0 | x W1] of a first layer
  float* hidden[2][2];  ///< of a level and of the one before it: [level % 2][layer % 2]

 private:
  static Maps take_maps(Arena& arena, const BatchShape& shape, std::span<const ResidentConvolution> cnn,
                        std::span<const std::size_t> layers_read, std::size_t element_size);
};

/// How large the blocks for a shape are; nothing is allocated to find out.
struct BatchBytes {
  BatchBytes(const BatchShape& shape, std::size_t pixel_bytes, const ResidentNetwork& network);

  std::size_t input, output, workspace;
};

}  // namespace p2mpp
