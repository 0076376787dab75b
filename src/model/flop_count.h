#pragma once

#include "p2mpp/model.h"
#include "p2mpp/reconstruction.h"

namespace p2mpp {

/// Floating-point operations, two a multiply-add.
struct FlopCount {
  double cnn1 = 0;  ///< stage 1's convolutions
  double gcn = 0;   ///< the dense products x W0 and x W1 of the graph convolutions
  double cnn2 = 0;  ///< stage 2's convolutions
  double drb = 0;   ///< the dense products x W0 and x W1 of the local graph convolutions

  [[nodiscard]] double total() const { return cnn1 + gcn + cnn2 + drb; }

  /// The operations of a part; NaN for a part whose operations are not counted.
  [[nodiscard]] double of(Part part) const;
};

/// The operations of one sample with this number of views. Not counted are the products with T1 (sparse: a few entries
/// a row), projection, sampling and pooling, activations and the softmax.
[[nodiscard]] FlopCount count_flops(const NetworkSizes& sizes, std::size_t view_count);

}  // namespace p2mpp
