#pragma once

#include <span>
#include <string>
#include <vector>

#include "p2mpp/trained_views.h"
#include "render/overlay.h"

namespace p2mpp::cli {

/// Cameras with which `check` ran the network.
struct Trial {
  std::string name;
  std::vector<ViewOverlap> overlaps;  ///< of each view; at least one

  [[nodiscard]] double mean_iou() const;
};

/// The network's verdict on the given cameras.
struct CheckVerdict {
  std::string warning;  ///< why they are suspicious; empty if they are not
  std::string typical;  ///< how their IoU compares with what the model reaches; empty if that is not known
  bool is_low = false;  ///< it is far below that
};

/// Precondition: the first trial is the given cameras', and the others are in order, best first.
[[nodiscard]] CheckVerdict verdict(std::span<const Trial> trials, const TrainedViews& trained);

}  // namespace p2mpp::cli
