#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "cli/support/command.h"
#include "report/sample_pictures.h"
#include "results/run_options.h"

namespace p2mpp::cli {

/// The options of `predict` and `refine`. Input: folders, or the files of one sample.
struct PredictOptions {
  std::vector<std::filesystem::path> samples;
  std::vector<std::filesystem::path> images;
  std::filesystem::path cameras;
  std::string id;  ///< names the images' sample, or the only sample; empty: the first image's or the sample's name
  std::filesystem::path out = ".";
  RunOptions run = automatic_run_options();
  SamplePictureOptions pictures;
};

/// --out, which `predict` and `refine` have in different places of their help.
inline Option out_option() { return {"-o,--out", "Folder for the files", "FOLDER", file_name(), "Result"}; }

/// Reconstructs the samples, writes their files and prints what was done.
[[nodiscard]] ExitCode run_predict(const PredictOptions& options, const Settings& settings);

}  // namespace p2mpp::cli
