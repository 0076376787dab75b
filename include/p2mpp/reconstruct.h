#pragma once

#include <optional>

#include "p2mpp/engine.h"
#include "p2mpp/export.h"
#include "p2mpp/fit.h"
#include "p2mpp/frame.h"
#include "p2mpp/sample.h"
#include "p2mpp/surface.h"
#include "p2mpp/texture.h"
#include "p2mpp/triangle_mesh.h"

namespace p2mpp {

/// A sample's mesh, and the figures of the steps that made it.
struct ReconstructedMesh {
  TriangleMesh mesh;
  std::optional<FitFigures> fit = {};          ///< empty if the sample has no masks to fit to
  std::optional<SurfaceFigures> surface = {};  ///< empty if the surface is not a volume's
  std::optional<TextureFigures> texture = {};  ///< empty if the mesh has no colours of photographs
};

/// What a mesh is made with beside its sample.
struct MeshRequest {
  Frame frame = Frame::kWorld;  ///< of the vertices
  SurfaceChoice surface = {.kind = SurfaceChoice::Kind::kAutomatic};
  /// Of the sample's capture (read_photographed_sample()): the mesh gets a texture. Null: no colours.
  const PhotographSource* photographs = nullptr;
};

/// Reconstructs one sample from images to mesh: the network, the fit to Sample::fit_masks if there are any, the surface
/// and the texture. The result has the bytes of `p2mpp predict`. Throws InputError if the sample cannot be computed,
/// Error if the device fails, UsageError if a batch is in flight in the engine.
[[nodiscard]] P2MPP_EXPORT ReconstructedMesh reconstruct_mesh(Engine& engine, const Sample& sample,
                                                              const MeshRequest& request = {});

/// The mesh of a result of Engine::reconstruct() or collect(), after the fit, with its surface and texture. Throws
/// InputError with the result's problem if it has one, and if there is no volume although it is asked for. Thread-safe.
[[nodiscard]] P2MPP_EXPORT ReconstructedMesh fitted_mesh(const Engine& engine, const Sample& sample,
                                                         const ReconstructionResult& result,
                                                         const MeshRequest& request = {});

}  // namespace p2mpp
