#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "p2mpp/engine.h"

namespace p2mpp {

/// An engine for one of the models with random weights.
inline EngineOptions small_options(std::string_view backend = "auto", const std::string& semantics = "clean") {
  EngineOptions options;
  options.backend = backend;
  options.model = std::filesystem::path(P2MPP_TEST_MODELS) / ("small-" + semantics);
  options.device = "cpu";
  options.threads = 1;  // tests run side by side: threads that spin would wait for each other
  return options;
}

}  // namespace p2mpp
