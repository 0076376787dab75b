#pragma once

#include <algorithm>
#include <array>
#include <span>

#include "model/model.h"
#include "model/stage_archive.h"

namespace p2mpp {

/// Distances are learned up to this many coarse voxels, which are their unit.
inline constexpr double kDistanceUnit = 2;
/// Units from the surface beyond which the coarse distance is taken.
inline constexpr float kNearSurface = 0.7F;
/// A prior's distance in units of coarse voxels of a side: what the network's is added to.
[[nodiscard]] inline float prior_distance(float distance, double voxel) {
  constexpr float kLargest = 2;
  return std::clamp(distance / static_cast<float>(kDistanceUnit * voxel), -kLargest, kLargest);
}

inline constexpr std::size_t kReadChannels = 6;      ///< of a picture: BGR, mask, two distances to its outline
inline constexpr std::size_t kFacts = 11;            ///< of a view at a point: BGR, mask, and seven numbers
inline constexpr std::size_t kHullFacts = 2;         ///< the distance to the masks' hull, twice
inline constexpr std::size_t kPlace = 3;             ///< in the grid
inline constexpr std::size_t kPriorFacts = 4;        ///< the prior's distance and its magnitude, on two scales
inline constexpr std::size_t kDistanceChannels = 2;  ///< distance, logarithm of its error

/// A layer of columns. Non-owning.
struct LayerWeights {
  std::span<const float> weight;  ///< [out, in]
  std::span<const float> bias;    ///< [out]

  [[nodiscard]] std::size_t out() const { return bias.size(); }
  [[nodiscard]] std::size_t in() const { return weight.size() / bias.size(); }
};

/// A convolution of a grid, or of pictures, which are a grid of one view along its first axis. Non-owning.
struct GridConvolutionWeights {
  LayerWeights layer;           ///< its weight is [out, in, kernel]
  std::array<int, 3> kernel{};  ///< 1 or 3 along each axis
  int stride = 1;               ///< along the axes whose kernel is 3

  [[nodiscard]] int taps() const { return kernel[0] * kernel[1] * kernel[2]; }
  [[nodiscard]] std::size_t in() const { return layer.in() / static_cast<std::size_t>(taps()); }
};

/// x + second(relu(first(relu(x)))).
struct ResidualWeights {
  GridConvolutionWeights first, second;
};

/// A U-Net on three levels: python/p2mpp/volume/network.py.
struct UnetWeights {
  GridConvolutionWeights enter, down1, down2, up1, up0;
  ResidualWeights top_before, top_after, middle_before, middle_after, bottom1, bottom2;
};

/// The parameters of the distance network in volume.pt, with consistent sizes: python/p2mpp/volume/network.py. Valid
/// during this object's lifetime.
class DistanceWeights {
 public:
  static constexpr std::size_t kLevels = 4;  ///< maps of a picture, at a half to a sixteenth of its side

  /// Precondition: the model has a volume.pt. Throws InputError naming the file if sizes contradict each other.
  explicit DistanceWeights(const Model& model);

  std::array<GridConvolutionWeights, kLevels> first, second, lateral;
  LayerWeights view1, view2, coarse_head, fine_view1, fine_view2, fine1, fine2, fine_head;
  UnetWeights unet;

 private:
  [[nodiscard]] LayerWeights layer(const std::string& name) const;
  [[nodiscard]] GridConvolutionWeights convolution(const std::string& name, int dimensions, int stride = 1) const;
  [[nodiscard]] ResidualWeights residual(const std::string& name) const;
  void expect(const char* what, std::size_t found, std::size_t expected) const;
  void check_sizes() const;
  void check_unet() const;

  StageArchive parameters_;
};

}  // namespace p2mpp
