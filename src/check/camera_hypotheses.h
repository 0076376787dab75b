#pragma once

#include <string>
#include <vector>

#include "p2mpp/sample.h"

namespace p2mpp {

/// The correct cameras of a sample if its author made a certain mistake.
struct CameraHypothesis {
  std::string name;             ///< "azimuths turn the other way"
  std::vector<Camera> cameras;  ///< one per view
};

/// Mistakes in the order or the direction of cameras: mirrored, two views exchanged, all shifted by one or more.
[[nodiscard]] std::vector<CameraHypothesis> order_hypotheses(const Sample& sample);

/// Mistakes in the cameras' numbers: all elevations or one view's azimuth off by 10 degrees, all distances off by 10
/// percent.
[[nodiscard]] std::vector<CameraHypothesis> number_hypotheses(const Sample& sample);

/// The sample with a hypothesis' cameras; the network's frame follows its first view.
[[nodiscard]] Sample with_cameras(Sample sample, const CameraHypothesis& hypothesis);

}  // namespace p2mpp
