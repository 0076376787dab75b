#pragma once

#include <vector>

#include "backends/cuda/resident_network.h"

namespace p2mpp {

/// The number of samples computed together and of views per sample that each stage reads.
struct BatchShape {
  int samples = 0;
  int views1 = 0;  ///< 0 if there is an initial mesh: stage 1 is skipped
  int views2 = 0;
  int vertices = 0;  ///< of the initial mesh; 0: stage 1's vertices

  [[nodiscard]] bool has_initial_mesh() const { return vertices > 0; }
  [[nodiscard]] int views() const { return views1 > views2 ? views1 : views2; }
  [[nodiscard]] int images() const { return samples * views(); }
  friend auto operator<=>(const BatchShape&, const BatchShape&) = default;
};

/// The input that depends on the samples. The host fills a block and the device has one with the same layout, so one
/// copy transfers it.
struct InputBuffers {
  InputBuffers(Arena& arena, const BatchShape& shape, std::size_t levels, std::size_t pixel_bytes);

  SourceImage* images;             ///< [images]
  Tap *rows, *columns;             ///< [images, 224]
  ViewTransform *stage1, *stage2;  ///< [samples, views of the stage]
  float* vertices;                 ///< of the initial mesh, [vertices, 3]
  std::uint32_t* arrivals;         ///< [levels][samples], zeros: counters with which thread blocks synchronise
  std::uint8_t* pixels;            ///< [pixel_bytes]
};

/// Vertices after each block of stage 1 (unless it is skipped) and stage 2, [samples, vertices, 3], in one block so
/// that one copy transfers them to the host.
struct OutputBuffers {
  OutputBuffers(Arena& arena, const BatchShape& shape, const ResidentNetwork& network);

  std::vector<float*> coarse;   ///< by level
  std::vector<float*> refined;  ///< by deformation reasoning block
};

/// Intermediate buffers. Each pass writes them before it reads them.
struct Workspace {
  Workspace(Arena& arena, const BatchShape& shape, const ResidentNetwork& network);

  /// A CNN's images and the outputs of its convolutions. Maps that are not sampled later alternate between two buffers.
  struct Maps {
    std::byte* images;
    std::vector<std::byte*> layers;
  };
  Maps stage1, stage2;
  // Stage 2's masks and their evidence, see EvidenceArguments; null if it does not read it.
  std::uint8_t* masks = nullptr;
  RowDistance* mask_rows = nullptr;
  float* evidence = nullptr;
  // Stage 1's; null if it is skipped.
  float* features = nullptr;  ///< input rows of a first layer
  float* products = nullptr;  ///< [x W0 | x W1] of a first layer
  float* hidden[2][2] = {};   ///< [level % 2][layer % 2]: the current level's and the previous level's

 private:
  void allocate_states(Arena& arena, const BatchShape& shape, const ResidentNetwork& network);
  static Maps allocate_maps(Arena& arena, int images, std::span<const ResidentConvolution> cnn,
                            std::span<const std::size_t> layers_read, std::size_t element_size);
};

/// The sizes of a shape's blocks, computed without allocating.
struct BatchBytes {
  BatchBytes(const BatchShape& shape, std::size_t pixel_bytes, const ResidentNetwork& network);

  std::size_t input, output, workspace;
};

}  // namespace p2mpp
