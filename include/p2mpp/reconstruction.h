#pragma once

#include <array>
#include <string_view>
#include <vector>

#include "p2mpp/export.h"
#include "p2mpp/triangle_mesh.h"

namespace p2mpp {

/// The network's vertices, in the network's frame: network_frame() of the sample.
struct Reconstruction {
  /// Stage 1, after each block: [N_level,3], coarse to fine. Empty if stage 2 began from an initial mesh.
  std::vector<Points> coarse;
  /// Stage 2, after each deformation reasoning block: [N,3], N of the finest level or of the initial mesh.
  std::vector<Points> refined;

  /// The final result: the last refinement. Precondition: not empty.
  [[nodiscard]] const Points& vertices() const { return refined.back(); }
};

/// The parts that a sample's time is divided into.
enum class Part {
  kRead,        ///< files opened and decoded
  kPreprocess,  ///< composite, resize, normalise
  kCopyIn,      ///< images and cameras to the device
  kCnn1,        ///< stage 1's image features
  kGcn,         ///< stage 1's graph convolutions, their projections and unpooling
  kCnn2,        ///< stage 2's image features
  kProjection,  ///< stage 2: hypotheses projected, sampled and pooled over the views
  kDrb,         ///< deformation reasoning blocks: local graph convolutions, softmax, weighted offset
  kCopyOut,     ///< vertices to the host
  kWrite,       ///< files written
};
inline constexpr std::size_t kPartCount = 10;

/// "read", "preprocess", "copy_in", ...
[[nodiscard]] P2MPP_EXPORT std::string_view to_string(Part part);

/// Milliseconds spent in each part.
struct P2MPP_EXPORT PartTimes {
  std::array<double, kPartCount> milliseconds{};

  double& operator[](Part part) { return milliseconds[static_cast<std::size_t>(part)]; }
  double operator[](Part part) const { return milliseconds[static_cast<std::size_t>(part)]; }
  PartTimes& operator+=(const PartTimes& other);
  PartTimes& operator/=(double divisor);
  [[nodiscard]] double total() const;
};

}  // namespace p2mpp
