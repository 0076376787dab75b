#pragma once

#include <nanobind/nanobind.h>

#include <string>

#include "p2mpp/camera.h"
#include "p2mpp/engine.h"
#include "p2mpp/reconstruct.h"
#include "p2mpp/triangle_mesh.h"
#include "results/run_options.h"

namespace p2mpp::python {

/// p2mpp.Mesh. `fit`: of a reconstructed mesh that was fitted to masks.
using Mesh = ReconstructedMesh;

/// Each adds its classes and functions to the module p2mpp._core.
void bind_camera(nanobind::module_& module);
void bind_mesh(nanobind::module_& module);
void bind_metrics(nanobind::module_& module);
void bind_samples(nanobind::module_& module);
void bind_engine(nanobind::module_& module);

/// A row of five numbers. Throws InputError, which begins with `name`, if it is something else.
[[nodiscard]] CameraRow to_camera_row(nanobind::handle row, const std::string& name);
/// Vertices [V, 3] and faces [F, 3], anything that NumPy makes arrays of. Throws InputError.
[[nodiscard]] TriangleMesh mesh_of(nanobind::handle vertices, nanobind::handle faces);

}  // namespace p2mpp::python

// Keyword arguments of Python, from the declarations of options (base/option.h).
namespace p2mpp::python {

/// The engine's options that `keywords` set. Throws UsageError for an unknown name and for a value of another type. The
/// values are checked by EngineOptions::check().
[[nodiscard]] EngineOptions to_engine_options(const nanobind::dict& keywords);

/// How samples are reconstructed: automatic_run_options(), with the options that `keywords` set, which are those of the
/// requests to `worker`. Throws UsageError naming the option and what was expected.
[[nodiscard]] RunOptions to_run_options(const nanobind::dict& keywords);

/// Adds engine_keywords() and run_keywords() to the module: name, default and help of each option.
void bind_keywords(nanobind::module_& module);

}  // namespace p2mpp::python
