#pragma once

#include <nanobind/nanobind.h>

namespace p2mpp::python {

// Each adds its classes and functions to the module p2mpp._core.
void bind_geometry(nanobind::module_& module);
void bind_samples(nanobind::module_& module);
void bind_engine(nanobind::module_& module);

}  // namespace p2mpp::python
