#pragma once

#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "geometry/distances/distance_field.h"
#include "p2mpp/engine.h"
#include "p2mpp/fit.h"
#include "p2mpp/frame.h"
#include "p2mpp/sample.h"
#include "p2mpp/surface.h"
#include "p2mpp/texture.h"
#include "results/run_options.h"

namespace p2mpp {

/// "8 masks, IoU 0.88 -> 0.97, 9 steps, 105 ms"
[[nodiscard]] std::string fit_summary(const FitFigures& figures);

/// A MaskFitter for each list of triangles: a model's meshes share one, or two that differ in their winding.
class MaskFitters {
 public:
  /// Thread-safe. The result lives as long as this object.
  [[nodiscard]] const MaskFitter& of(const TriangleMesh& mesh);

 private:
  std::mutex mutex_;
  std::deque<std::pair<std::vector<Triangle>, MaskFitter>> fitters_;
};

/// A sample's mesh, fitted to its masks.
struct FittedMesh {
  TriangleMesh mesh;
  FitFigures figures;
};

/// Fits a sample's mesh, in the world, to the sample's fit masks. The vertices are returned bit for bit if no
/// step is made. This function sets options.correct_masks, and no time in the figures. Thread-safe.
[[nodiscard]] FittedMesh fit_sample(const Sample& sample, const TriangleMesh& mesh, FitOptions options,
                                    MaskFitters& fitters);

/// A mesh and the step that made it: the network's in its own frame, that of every other step in the world.
struct NamedMesh {
  std::string name;
  TriangleMesh mesh;
  bool in_world = true;

  [[nodiscard]] TriangleMesh in(Frame frame, const Sample& sample) const {
    return in_world ? from_world(mesh, sample, frame) : in_frame(mesh, sample, frame);
  }
};

/// The meshes of a sample, and what the steps found.
struct MadeMeshes {
  std::vector<NamedMesh>
      meshes;  ///< as they followed each other: "refined", "fitted", "surface"; the last is the result
  std::optional<FitFigures> fit = {};          ///< empty if the mesh was not fitted
  std::optional<SurfaceFigures> surface = {};  ///< empty if the surface is not a volume's
  std::optional<TextureFigures> texture = {};  ///< empty if the mesh has no colours of the photographs
  /// Why an automatic choice made no volume of a capture with masks, or empty.
  std::string no_volume = {};
  std::vector<SampleWarning> warnings = {};
};

/// Reconstructor::distances() of a sample, for the mesh of stage 2 in the world.
using DistancesOf = std::function<std::shared_ptr<const DistanceField>(const TriangleMesh&)>;

/// Null if the model has no distance network, or if the sample has so many photographs that they say enough. Both must
/// outlive the function.
[[nodiscard]] DistancesOf predict_distances(const Reconstructor& reconstructor, const Sample& sample);

/// The means of the steps.
struct MeshSteps {
  int threads;
  MaskFitters& fitters;
  const PhotographSource* photographs = nullptr;  ///< a capture's, for colours; null: those of the sample's views
  const TriangleMesh* undeformed = nullptr;  ///< see Reconstructor::undeformed_mesh(): its layout is that of textures
  DistancesOf distances = nullptr;  ///< what a volume of few photographs expects; null: see predict_distances()
  /// Called with the name of each step, "fit", "surface" or "texture". It must call the function.
  std::function<void(std::string_view, const std::function<void()>&)> during =
      [](std::string_view, const std::function<void()>& step) { step(); };
};

/// Whether the mesh is fitted to the sample's masks, rather than that these are only for a hull or a volume.
[[nodiscard]] bool is_fitted(const RunOptions& options, const Sample& sample);

/// Runs what comes after the network, for every program and interface: the fit to the sample's masks, the surface of a
/// volume, and the colours of the last mesh, if the options ask for them. A mesh with the triangles of the sample's
/// initial mesh keeps that mesh's colours. A volume takes the views' own masks if the sample has none to fit to.
/// `refined`: the network's mesh, in its frame. Throws InputError if a mask cannot be used, or if there is no volume
/// although options.surface asks for it. Thread-safe.
[[nodiscard]] MadeMeshes make_meshes(const Sample& sample, TriangleMesh refined, const RunOptions& options,
                                     const MeshSteps& steps);

}  // namespace p2mpp
