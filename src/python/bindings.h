#pragma once

#include <nanobind/nanobind.h>

#include <string>

#include "p2mpp/camera.h"
#include "p2mpp/reconstruct.h"
#include "p2mpp/triangle_mesh.h"

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
[[nodiscard]] CameraRow camera_row_of(nanobind::handle row, const std::string& name);
/// Vertices [V, 3] and faces [F, 3], anything that NumPy makes arrays of. Throws InputError.
[[nodiscard]] TriangleMesh mesh_of(nanobind::handle vertices, nanobind::handle faces);

}  // namespace p2mpp::python
