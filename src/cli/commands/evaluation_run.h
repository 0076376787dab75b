#pragma once

#include <filesystem>

#include "cli/support/settings.h"
#include "eval/evaluation_report.h"

namespace p2mpp::cli {

/// Where the samples of an evaluation come from, and what is written of them.
struct EvaluationPlaces {
  std::filesystem::path images_root;
  std::filesystem::path truth_root;  ///< empty: nothing is scored
  std::filesystem::path out;
  Frame frame = Frame::kCamera0;
  MeshOutput meshes;
};

/// An evaluation by an engine; list, limit and shard are left to the caller. Scores where it computes, if that is with
/// kernels of ours.
[[nodiscard]] EvaluationSettings describe_run(const EvaluationPlaces& places, const Settings& settings,
                                              const Engine& engine);

}  // namespace p2mpp::cli
