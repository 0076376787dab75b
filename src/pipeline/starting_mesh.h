#pragma once

#include <memory>
#include <string>

#include "io/fit_views.h"
#include "p2mpp/engine.h"
#include "p2mpp/sample.h"
#include "pipeline/initial_shape.h"
#include "pipeline/prediction_files.h"

namespace p2mpp {

/// The mesh that stage 2 begins from, for the samples of a run.
struct StartingMesh {
  InitialShape shape;
  std::shared_ptr<const TriangleMesh> mesh = {};  ///< the file's; null without a file
  std::string sha256 = {};                        ///< of the file
  Frame frame = Frame::kWorld;                    ///< of the file's vertices
};

/// Reads the file, if the shape is one. Its vertices are in the frame in which `output` writes a file of its format.
/// Throws InputError naming the file: what read_mesh() throws, and describe_problem() of the mesh. Throws UsageError if
/// there is neither a mesh nor stage 2.
[[nodiscard]] StartingMesh read_starting_mesh(const InitialShape& shape, const MeshOutput& output);

/// The views whose masks are read for a fit to `fit`: all of them if the sample starts from its hull.
[[nodiscard]] FitViews views_read_for(const FitViews& fit, const InitialShape& shape);

/// Sets the sample's initial mesh, and removes the masks that `fit` does not include. Returns one line for the user, or
/// an empty one. Throws what hull_mesh() throws, and InputError naming the file if the mesh is not where the object is.
[[nodiscard]] std::string set_initial_mesh(const StartingMesh& start, const FitViews& fit, int threads, Sample& sample);

}  // namespace p2mpp
