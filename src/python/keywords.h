#pragma once

#include <nanobind/nanobind.h>

#include <string>

#include "p2mpp/engine.h"
#include "results/run_options.h"

// Keyword arguments of Python, from the declarations of options (base/option.h).
namespace p2mpp::python {

/// The engine's options that `keywords` set. Throws UsageError for an unknown name and for a value of another type. The
/// values are checked by EngineOptions::check().
[[nodiscard]] EngineOptions engine_options_of(const nanobind::dict& keywords);

/// How samples are reconstructed: automatic_run_options(), with the options that `keywords` set, which are those of the
/// requests to `worker`. Throws UsageError naming the option and what was expected.
[[nodiscard]] RunOptions run_options_of(const nanobind::dict& keywords);

/// Adds engine_keywords() and run_keywords() to the module: name, default and help of each option.
void bind_keywords(nanobind::module_& module);

}  // namespace p2mpp::python
