#pragma once

#include <memory>
#include <string>

#include "p2mpp/engine.h"
#include "p2mpp/sample.h"
#include "results/run_options.h"

namespace p2mpp {

/// The mesh of `--initial FILE`. Default-constructed for another initial mesh.
struct InitialMesh {
  std::shared_ptr<const TriangleMesh> mesh = {};
  std::string sha256 = {};      ///< of the file
  Frame frame = Frame::kWorld;  ///< of the file's vertices
  std::string note = {};        ///< what the file's reader has to say, one line; empty if nothing
};

/// Reads the initial mesh's file, if there is one. Its vertices are in the frame in which `options` write a file of its
/// format. Throws InputError naming the file: what read_mesh() throws, and check_initial_mesh(). Throws UsageError if
/// there is neither an initial mesh nor stage 2.
[[nodiscard]] InitialMesh read_initial_mesh(const RunOptions& options);

/// A mesh in the sample's world, from the frame of its vertices. Throws InputError if it is not where the object is.
[[nodiscard]] TriangleMesh mesh_in_world(TriangleMesh mesh, Frame frame, const Sample& sample);

/// The views to fit to. Published semantics are not fitted unless the user names the views, so that meshes match the
/// paper's.
[[nodiscard]] FitViews fit_views_for(const FitViews& asked, const ModelInfo& model);

/// The views whose masks are read: those of the fit, or all if the sample starts from its hull or ends as a volume. See
/// is_fitted().
[[nodiscard]] FitViews views_read_for(const RunOptions& options);

/// Sets the sample's initial mesh. Returns one line for the user, or an empty one. Throws what reconstruct_surface()
/// throws, and InputError naming the file if the mesh is not where the object is.
[[nodiscard]] std::string set_initial_mesh(const RunOptions& options, const InitialMesh& start, int threads,
                                           Sample& sample);

}  // namespace p2mpp
