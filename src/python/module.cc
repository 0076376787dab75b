// p2mpp._core, what the package p2mpp (python/p2mpp) is made of. Docstrings are for users: shapes, units, frames.
#include "base/environment.h"
#include "p2mpp/error.h"
#include "python/background.h"
#include "python/bindings.h"

namespace nb = nanobind;

NB_MODULE(_core, module) {
  module.doc() = "The compiled part of p2mpp.";
  module.attr("__version__") = nb::str(p2mpp::p2mpp_version().data(), p2mpp::p2mpp_version().size());
  const auto error = nb::exception<p2mpp::Error>(module, "Error", PyExc_RuntimeError);
  nb::exception<p2mpp::UsageError>(module, "UsageError", error);
  nb::exception<p2mpp::InputError>(module, "InputError", error);
  p2mpp::python::bind_camera(module);
  p2mpp::python::bind_mesh(module);
  p2mpp::python::bind_metrics(module);
  p2mpp::python::bind_samples(module);
  p2mpp::python::bind_engine(module);
  nb::module_::import_("atexit").attr("register")(
      nb::cpp_function(&p2mpp::python::finish_background, nb::call_guard<nb::gil_scoped_release>()));
}
