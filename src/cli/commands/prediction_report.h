#pragma once

#include <cstddef>
#include <map>
#include <mutex>
#include <nlohmann/json.hpp>
#include <span>
#include <string>

#include "cli/support/sample_reading.h"
#include "p2mpp/engine.h"
#include "pipeline/steps.h"
#include "report/sample_pictures.h"

namespace p2mpp::cli {

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
  nlohmann::ordered_json document_;
  std::mutex mutex_;                                        // for captures_
  std::map<std::size_t, nlohmann::ordered_json> captures_;  // by the sample's number
};

}  // namespace p2mpp::cli
