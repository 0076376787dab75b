#pragma once

#include <vector>

#include "backends/cpu/deformation_reasoning.h"
#include "backends/cpu/projection.h"
#include "geometry/mesh_template.h"
#include "micro/random_operands.h"

namespace p2mpp::micro {

// The sizes of the published network, and what it computes on.

inline constexpr int kViews = 3;
inline constexpr std::size_t kHidden = 192;                ///< channels between graph convolutions
inline constexpr std::size_t kReasoningLayers = 6;         ///< of a deformation reasoning block
inline constexpr std::size_t kVerticesOfPanel = 3;         ///< of those that a thread refines at once
inline constexpr std::size_t kStage2ProjectedWidth = 339;  ///< [xyz, max, mean, std] of stage 2's maps

/// Three cameras as samples have them: around the object, a little above it.
[[nodiscard]] SampleCameras cameras();

/// The template of the published network: 156, 618 and 2466 vertices. Derived once.
[[nodiscard]] const MeshTemplate& mesh_template();

/// The template's vertices with the midpoints of its edges: 618, in the frame of camera 0.
[[nodiscard]] const Points& vertices_of_level1();

/// An icosahedron subdivided once, whose corners are joined to its centre: 43 hypotheses, 307 entries of the support.
[[nodiscard]] const LocalGraphOfHypotheses& local_graph();

/// The hypotheses around the first vertices of level 1, [129,3].
[[nodiscard]] std::vector<float> hypotheses_of_a_panel();

/// Entries of a support.
[[nodiscard]] std::size_t entry_count(const Support& support);

/// One of the maps that a stage reads.
struct MapSize {
  int side;
  std::size_t channels;
};
inline constexpr MapSize kStage1MapSizes[] = {{56, 64}, {28, 128}, {14, 256}, {7, 512}};
inline constexpr MapSize kStage2MapSizes[] = {{224, 16}, {112, 32}, {56, 64}};

/// A projection into random maps of all views.
class ProjectionScene {
 public:
  ProjectionScene(const Kernels<float>& kernels, std::span<const MapSize> sizes);
  ProjectionScene(const ProjectionScene&) = delete;  // the projection reads these maps
  ProjectionScene& operator=(const ProjectionScene&) = delete;

  [[nodiscard]] const Projection& projection() const { return projection_; }

 private:
  Projection projection_;
  std::vector<FeatureMaps<float>> maps_;
};

}  // namespace p2mpp::micro
