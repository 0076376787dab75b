#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "cli/support/capture_options.h"
#include "cli/support/command.h"
#include "cli/support/sample_pictures.h"
#include "p2mpp/fit.h"
#include "pipeline/initial_shape.h"
#include "pipeline/prediction_files.h"

namespace p2mpp::cli {

/// The options of `predict` and `refine`. Input: folders, or the files of one sample.
struct PredictOptions {
  std::vector<std::filesystem::path> samples;
  std::vector<std::filesystem::path> images;
  std::filesystem::path cameras;
  std::string id;  ///< names the images' sample, or the only sample; empty: the first image's or the sample's name
  std::filesystem::path out = ".";
  MeshOutput meshes;
  SamplePictureOptions pictures;
  CaptureArguments capture;
  FitViews fit = {FitViews::Kind::kAutomatic};
  int fit_steps = FitOptions().steps;
  InitialShape initial = {};
  bool strict = false;
  // From the settings:
  std::size_t capture_views = 0;
  StageViews stage_views = {};
};

/// Reconstructs the samples, writes their files and prints what was done.
[[nodiscard]] ExitCode run_predict(PredictOptions options, const Settings& settings);

}  // namespace p2mpp::cli
