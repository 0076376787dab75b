#pragma once

#include <vector>

#include "model/sampling_rules.h"
#include "p2mpp/camera.h"
#include "p2mpp/sample.h"

namespace p2mpp {

/// The cameras that a stage reads.
struct SampleCameras {
  std::vector<Camera> views;
  Camera network;  ///< the frame of the network's points
};

[[nodiscard]] SampleCameras cameras_of(const Sample& sample, int stage);

/// The vertices of a sample's initial mesh in the network's frame. Precondition: it has one.
[[nodiscard]] Points initial_vertices(const Sample& sample);

/// Transforms from the frame of the points (the network's; with normalised_origin they are taken as they are) to each
/// view's camera.
[[nodiscard]] std::vector<ViewTransform> view_transforms(const SampleCameras& cameras, const ProjectionRules& rules);

}  // namespace p2mpp
