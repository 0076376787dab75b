#pragma once

#include <cstddef>
#include <filesystem>
#include <map>
#include <mutex>
#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <vector>

#include "base/json_text.h"
#include "cli/support/command.h"
#include "cli/support/settings.h"
#include "p2mpp/engine.h"
#include "pipeline/steps.h"
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

/// The output of `predict` on stdout: the mesh and the milliseconds by part of each sample when it is done, or one JSON
/// document at the end.
class PredictionReport {
 public:
  PredictionReport(const Engine& engine, const MeshOutput& meshes, std::size_t sample_count, bool json);

  /// Reports what was found in a capture, before its mesh. May be called while another thread reports meshes.
  void add_capture(std::size_t number, const CaptureReport& report);

  /// Reports a mesh that was written according to `output`.
  void add(const Job& job, const PipelineOptions& output, const SamplePictures& pictures);

  void add_failure(std::size_t number, const std::string& id, const std::string& problem,
                   std::span<const SampleWarning> warnings);

  void finish();

  [[nodiscard]] std::size_t done() const { return done_; }
  [[nodiscard]] std::size_t failed() const { return failed_; }

 private:
  bool json_;
  bool header_printed_ = false;
  std::size_t done_ = 0, failed_ = 0;
  Json document_;
  std::mutex mutex_;                      // for captures_
  std::map<std::size_t, Json> captures_;  // by the sample's number
};

}  // namespace p2mpp::cli
