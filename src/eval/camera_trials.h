#pragma once

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "capture/open_sample.h"
#include "p2mpp/engine.h"
#include "p2mpp/trained_views.h"
#include "render/overlay.h"

namespace p2mpp {

/// Cameras with which the network ran, and how its mesh covers the object in the views.
struct CameraTrial {
  std::string name;
  std::vector<ViewOverlap> overlaps;  ///< of each view; at least one

  [[nodiscard]] double mean_iou() const;
};

/// Whether the masks of so many photographs agree with the cameras that the network cannot say more about them. report:
/// a capture's, or null.
[[nodiscard]] bool are_cameras_proven(const CaptureReport* report);

/// Runs the network with a sample's cameras and with those of common mistakes, unless the silhouettes refute them or,
/// in a capture, prove the given ones. The given cameras first, then the others, best first. `report`: a capture's, or
/// null. on_trial(done, all): before each further run. Throws InputError if the sample cannot be computed.
[[nodiscard]] std::vector<CameraTrial> try_cameras(Engine& engine, const Sample& sample, const CaptureReport* report,
                                                   const std::function<void(std::size_t, std::size_t)>& on_trial);

/// The network's verdict on the given cameras.
struct CameraVerdict {
  std::string warning;  ///< why they are suspicious; empty if they are not
  std::string typical;  ///< how their IoU compares with what the model reaches; empty if that is not known
  bool is_low = false;  ///< it is far below that
};

/// Precondition: the first trial is the given cameras', and the others are in order, best first.
[[nodiscard]] CameraVerdict verdict(std::span<const CameraTrial> trials, const TrainedViews& trained);

}  // namespace p2mpp
