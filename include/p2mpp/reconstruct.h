#pragma once

#include <optional>

#include "p2mpp/engine.h"
#include "p2mpp/export.h"
#include "p2mpp/fit.h"
#include "p2mpp/frame.h"
#include "p2mpp/sample.h"
#include "p2mpp/triangle_mesh.h"

namespace p2mpp {

/// A sample's mesh, and the figures of its fit.
struct ReconstructedMesh {
  TriangleMesh mesh;
  std::optional<FitFigures> fit = {};  ///< empty if the sample has no masks to fit to
};

/// Reconstructs one sample from images to mesh: the network, then the fit to Sample::fit_masks if there are any. The
/// result has the bytes of `p2mpp predict`. Throws InputError if the sample cannot be computed, Error if the device
/// fails, UsageError if a batch is in flight in the engine.
[[nodiscard]] P2MPP_EXPORT ReconstructedMesh reconstruct_mesh(Engine& engine, const Sample& sample,
                                                              Frame frame = Frame::kWorld);

/// The mesh of a result of Engine::reconstruct() or collect(), fitted if the sample has masks to fit to. Throws
/// InputError with the result's problem if it has one. Thread-safe.
[[nodiscard]] P2MPP_EXPORT ReconstructedMesh fitted_mesh(const Engine& engine, const Sample& sample,
                                                         const ReconstructionResult& result,
                                                         Frame frame = Frame::kWorld);

}  // namespace p2mpp
