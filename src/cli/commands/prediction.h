#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "cli/commands/sample_pictures.h"
#include "cli/support/command.h"
#include "pipeline/prediction_files.h"

namespace p2mpp::cli {

/// What `p2mpp predict` was asked for: folders, or the files of one sample.
struct PredictOptions {
  std::vector<std::filesystem::path> samples;
  std::vector<std::filesystem::path> images;
  std::filesystem::path cameras;
  std::string id;  ///< empty: the first image's name without extension
  std::filesystem::path out = ".";
  Frame frame = Frame::kCamera0;
  bool coarse = false;
  MeshOutput meshes;
  SamplePictureOptions pictures;
};

/// Reconstructs the samples, a batch at a time, writes their meshes and prints what became of each. One sample of
/// several that fails is logged, and the others go on (kSomeSamplesFailed); a single one throws. Throws UsageError for
/// no sample and for two that would write the same files.
[[nodiscard]] ExitCode run_predict(PredictOptions options, const Settings& settings);

}  // namespace p2mpp::cli
